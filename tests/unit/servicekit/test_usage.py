"""The command lines of services that only read their settings."""

import importlib
import inspect
import sys
from typing import Any
from unittest.mock import patch

import pytest

SERVICES = ["auth_service", "catalog_service", "gateway", "import_worker"]


def run(service: str, *arguments: str) -> Any:
    """Run a service as `python -m` does; return the status with which it ends."""
    module = importlib.import_module(f"{service}.__main__")
    parameters = [list(arguments)] if inspect.signature(module.main).parameters else []
    with patch.object(sys, "argv", [service, *arguments]), pytest.raises(SystemExit) as ended:
        module.main(*parameters)
    return ended.value.code


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("further", ["--json", "check-settings"])
def test_a_further_argument_behind_check_settings_is_refused_with_the_usage(
    service: str, further: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(service, "check-settings", further) == 2
    assert f"python -m {service} " in capsys.readouterr().err


def test_an_argument_that_the_gateway_does_not_know_starts_no_service(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("gateway", "chek-settings") == 2
    assert "python -m gateway " in capsys.readouterr().err
