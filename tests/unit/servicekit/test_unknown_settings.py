"""A variable with a service's prefix that is none of its settings is named with the one that may be meant."""

import pytest
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from servicekit.settings import ServiceSettings
from servicekit.unknown_settings import unknown_settings


class _Settings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="PROBE_")

    smtp_host: str = ""
    plans: dict[str, int] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("variable", "sentence"),
    [
        ("PROBE_SMTP_HOTS", "PROBE_SMTP_HOTS is no setting and has no effect: is PROBE_SMTP_HOST meant?"),
        ("probe_smtp_hots", "probe_smtp_hots is no setting and has no effect: is PROBE_SMTP_HOST meant?"),
        (
            "PROBE_XYZZY",
            "PROBE_XYZZY is no setting and has no effect: docs/configuration.md has those that there are.",
        ),
    ],
)  # fmt: skip
def test_a_mistyped_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, "text")
    assert unknown_settings(_Settings) == [sentence]


@pytest.mark.parametrize(
    "variable",
    [
        "PROBE_SMTP_HOST",
        "probe_smtp_host",
        "PROBE_SMTP_HOST_FILE",
        "PROBE_PLANS__FREE",
        "PROBING_SMTP_HOTS",
        "PROBE_SERVICE_HOST",
        "PROBE_SERVICE_PORT_GRPC",
        "PROBE_PORT_8001_TCP_ADDR",
        "PROBE_SITE_SERVICE_HOST",
        "PROBE_WORKER_PORT_8001_TCP",
    ],
)
def test_settings_and_variables_of_others_are_not_named(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    assert unknown_settings(_Settings) == []


def test_a_port_is_of_a_linked_service_by_its_value_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_PORT", "tcp://10.0.0.1:8001")
    monkeypatch.setenv("PROBE_WORKER_PORT", "tcp://10.0.0.2:8001")
    assert unknown_settings(_Settings) == []
    monkeypatch.setenv("PROBE_PORT", "8001")
    (sentence,) = unknown_settings(_Settings)
    assert sentence.startswith("PROBE_PORT is no setting")
