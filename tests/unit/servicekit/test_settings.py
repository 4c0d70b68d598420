"""Settings come from the environment, or from the files that it names."""

from pathlib import Path

import pytest
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict, SettingsError

from servicekit.settings import ServiceSettings


class Probe(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="PROBE_")

    secret: SecretStr = Field(default=SecretStr("from the code"), min_length=3)
    limits: dict[str, int] = Field(default={})


def test_a_secret_is_read_from_the_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_text("from a file \n")
    monkeypatch.setenv("PROBE_SECRET_FILE", str(file))
    assert Probe().secret.get_secret_value() == "from a file "
    assert Probe(secret=SecretStr("given")).secret.get_secret_value() == "given"


def test_json_in_the_environment_is_json_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "limits"
    file.write_text('{"a": 1}\n')
    monkeypatch.setenv("PROBE_LIMITS_FILE", str(file))
    assert Probe().limits == {"a": 1}


def test_rules_hold_for_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("x\n")
    monkeypatch.setenv("PROBE_SECRET_FILE", str(file))
    with pytest.raises(ValidationError, match="secret"):
        Probe()


def test_a_setting_that_is_given_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_SECRET", "one")
    monkeypatch.setenv("PROBE_SECRET_FILE", str(tmp_path / "secret"))
    with pytest.raises(SettingsError, match="PROBE_SECRET and PROBE_SECRET_FILE"):
        Probe()


def test_a_file_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing"
    monkeypatch.setenv("PROBE_SECRET_FILE", str(missing))
    with pytest.raises(SettingsError, match=f"PROBE_SECRET_FILE: {missing}"):
        Probe()


def test_an_empty_name_of_a_file_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_SECRET_FILE", "")
    assert Probe().secret.get_secret_value() == "from the code"
