"""A setting of a wrong form is named in one sentence with its fix, and its value is not repeated."""

import runpy

import pytest
from pydantic_settings import SettingsError

from auth_service.settings import AuthSettings
from catalog_service.settings import CatalogSettings
from gateway.settings import GatewaySettings
from import_worker.settings import ImportSettings
from servicekit.settings import read, read_or_exit
from servicekit.settings_errors import EXIT_STATUS

URL = "postgresql://someone:pass-of-url@127.0.0.1:5432/auth"
SECRET = "s" * 32


@pytest.fixture
def auth(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("AUTH_DATABASE_URL", URL)
    monkeypatch.setenv("AUTH_TOKEN_SECRET", SECRET)
    return monkeypatch


def problem() -> str:
    with pytest.raises(SettingsError) as refused:
        read(AuthSettings)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    return str(refused.value)


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("PLANS", "", "AUTH_PLANS is empty: set it to JSON, or remove it for its default"),
        ("PLANS", "{hidden", "AUTH_PLANS is not valid JSON: set it to JSON, or remove it"),
        (
            "PLANS",
            '{"free": {"monthly_requests": "hidden"}}',
            "AUTH_PLANS (free.monthly_requests) is not a whole number: set it to a whole number.",
        ),
        (
            "PLANS",
            '{"free": {"monthly_request": 7}}',
            "AUTH_PLANS (free.monthly_request) is no part of it: docs/configuration.md has the names that there are.",
        ),
        (
            "PLANS",
            '{"creater": {"monthly_requests": 7}}',
            "AUTH_PLANS is refused, as 'creater' is no plan; there are free, creator, creator_agent: change it",
        ),
        ("KNOWN_PUBLISHERS", "hidden.example", "AUTH_KNOWN_PUBLISHERS is not valid JSON"),
        (
            "HTTP_PORT",
            "hidden",
            "AUTH_HTTP_PORT is not a whole number: set it to a whole number from 0 to 65535, or remove it for 8001.",
        ),
        ("HTTP_PORT", "", "AUTH_HTTP_PORT is empty: set it to a whole number from 0 to 65535"),
        ("HTTP_PORT", "70000", "AUTH_HTTP_PORT is too large: set it to a number from 0 to 65535"),
        (
            "GRPC_REFLECTION",
            "hidden",
            "AUTH_GRPC_REFLECTION is neither true nor false: set it to true or false, or remove it for false.",
        ),
        (
            "SMTP_SECURITY",
            "hidden",
            "AUTH_SMTP_SECURITY is not one of its values: set it to starttls, tls or none, or remove it for starttls.",
        ),
        (
            "TOKEN_SECRET",
            "hidden",
            "AUTH_TOKEN_SECRET is too short: set it to at least 32 characters.",
        ),
        ("GRPC_TOKEN", "hidden", "AUTH_GRPC_TOKEN is refused, as a token has at least 32"),
        ("SITE_URL", "hidden", "AUTH_SITE_URL is refused, as it is not a URL of the form https"),
        ("VALKEY_URL", "http://:hidden@valkey:6379", "of the form redis://… or rediss://…"),
        ("DATABASE_URL", "postgresql://someone:hi:dden@db:54x2/a", "AUTH_DATABASE_URL is refused"),
        ("DATABASE_URL", "", "AUTH_DATABASE_URL is refused, as it is not a URL"),
        (
            "GRPC_ALLOWED_PEERS",
            "hidden",
            "AUTH_GRPC_ALLOWED_PEERS needs AUTH_GRPC_TLS_FOLDER, as callers are known by their",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_its_fix_and_without_its_value(
    auth: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    auth.setenv(f"AUTH_{variable}", value)
    text = problem()
    assert sentence in text
    assert text.endswith(".")
    assert len(text.splitlines()) == 1
    for hidden in ("hidden", "dden", "54x2", "70000", SECRET, "pass-of-url"):
        assert hidden not in text


def test_each_wrong_setting_has_a_sentence_of_its_own(auth: pytest.MonkeyPatch) -> None:
    auth.setenv("AUTH_HTTP_PORT", "x")
    auth.delenv("AUTH_TOKEN_SECRET")
    lines = problem().splitlines()
    assert [line.split()[0] for line in lines] == ["AUTH_HTTP_PORT", "AUTH_TOKEN_SECRET"]
    assert "AUTH_TOKEN_SECRET_FILE" in lines[1]


def test_a_wrong_setting_of_a_file_is_named_by_the_variable_of_the_file(
    auth: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name, content, words in (
        ("HTTP_PORT", "hidden\n", "is not a whole number"),
        ("PLANS", "{hidden\n", "is not valid JSON"),
    ):
        file = tmp_path_factory.mktemp("settings") / name
        file.write_text(content)
        with auth.context() as only:
            only.setenv(f"AUTH_{name}_FILE", str(file))
            text = problem()
        assert f"AUTH_{name}_FILE {words}" in text
        assert "hidden" not in text


def test_an_empty_port_that_is_optional_is_none(auth: pytest.MonkeyPatch) -> None:
    auth.setenv("AUTH_METRICS_PORT", "")
    auth.setenv("AUTH_GRPC_HEALTH_PORT", "")
    settings = read(AuthSettings)
    assert (settings.metrics_port, settings.grpc_health_port) == (None, None)


def test_settings_that_do_not_fit_together_are_named_by_their_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("IMPORT_DATABASE_URL", URL)
    monkeypatch.setenv("IMPORT_READER_URL", "https://llm.example/v1")
    with pytest.raises(SettingsError, match=r"^IMPORT_READER_URL needs a IMPORT_READER_MODEL\.$"):
        read(ImportSettings)


@pytest.mark.parametrize(
    "settings_class", [AuthSettings, CatalogSettings, GatewaySettings, ImportSettings]
)
def test_a_process_without_its_settings_ends_with_a_sentence_for_each(
    settings_class: type[AuthSettings], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_or_exit(settings_class)
    assert ended.value.code == EXIT_STATUS
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all(" is not set: set it, or " in line for line in lines)


@pytest.mark.parametrize("service", ["auth_service", "catalog_service", "gateway", "import_worker"])
def test_help_is_printed_without_settings(
    service: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [service, "migrate", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(service, run_name="__main__")
    assert ended.value.code == 0
    assert f"python -m {service}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://someone:secret@10.0.0.1:5432,10.0.0.2:5433/auth?target_session_attrs=read-write",
        "postgresql://someone:secret@/auth?host=10.0.0.1,10.0.0.2&port=5432,5433",
    ],
)
def test_a_database_may_have_several_hosts(auth: pytest.MonkeyPatch, url: str) -> None:
    auth.setenv("AUTH_DATABASE_URL", url)
    assert read(AuthSettings).database_url == url
