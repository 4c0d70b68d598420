"""`sponsorgraph doctor` names the service whose settings cannot be read, the variable and the fix."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.app import cli

SERVICES = ("catalog_service", "auth_service", "import_worker", "gateway")


def doctor(home: Path, **environment: str) -> Result:
    ports = {"SPONSORGRAPH_PORT": "0", "SPONSORGRAPH_SITE_PORT": "0"}
    return CliRunner().invoke(
        cli, ["doctor"], env={"SPONSORGRAPH_HOME": str(home), **ports, **environment}
    )


def test_settings_that_every_service_can_read_are_fine_and_no_home_is_made(tmp_path: Path) -> None:
    result = doctor(tmp_path / "home")
    assert result.exit_code == 0, result.output
    for name in SERVICES:
        assert f"ok      Settings of {name}" in result.output
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("service", "variable", "text", "fix"),
    [
        ("catalog_service", "CATALOG_DATABASE_POOL_SIZE", "many", "is not a whole number: set it to"),
        ("auth_service", "AUTH_PLANS", "{", "is not valid JSON: set it to JSON"),
        ("import_worker", "IMPORT_READER_FROM", "2", "is too large: set it to a number from 0 to 1"),
        ("gateway", "GATEWAY_SESSION_SECRET_FILE", "/nowhere", "GATEWAY_SESSION_SECRET_FILE"),
    ],
)  # fmt: skip
def test_a_service_that_would_refuse_its_settings_is_named_with_variable_and_fix(
    tmp_path: Path, service: str, variable: str, text: str, fix: str
) -> None:
    result = doctor(tmp_path / "home", **{variable: text})
    lines = result.output.splitlines()
    assert result.exit_code == 1
    at = lines.index(f"problem Settings of {service} cannot be read")
    remedy = " ".join(lines[at + 1 : at + 4])
    assert variable in remedy
    assert fix in remedy
    assert result.output.count("problem Settings") == 1
    assert (
        f"ok      Settings of {'gateway' if service != 'gateway' else 'auth_service'}"
        in result.output
    )


def test_a_mistyped_setting_is_named_with_the_one_that_is_meant(tmp_path: Path) -> None:
    result = doctor(tmp_path / "home", AUTH_SMTP_HOTS="mail.example")
    assert result.exit_code == 1
    assert "problem Settings of auth_service have no such name" in result.output
    assert "AUTH_SMTP_HOTS is no setting" in result.output
    assert "is AUTH_SMTP_HOST meant?" in " ".join(result.output.split())
    assert result.output.count("problem Settings") == 1


def test_settings_that_do_not_fit_together_are_named(tmp_path: Path) -> None:
    result = doctor(tmp_path / "home", IMPORT_READER_URL="https://llm.example/v1")
    assert result.exit_code == 1
    assert "problem Settings of import_worker cannot be read" in result.output
    assert "IMPORT_READER_MODEL" in result.output
