"""`sponsorgraph status` ends with 1 while a process of the stack does not work."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import cli
from cli.commands import status


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("running", 0),
        ("sleeping", 0),
        ("stopped", 1),
        ("zombie", 1),
        ("dead", 1),
        ("not running", 1),
    ],
)
def test_a_process_that_is_stopped_or_dead_does_not_work(
    state: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def current() -> dict[str, Any]:
        return {"processes": [{"name": "auth", "state": state}]}

    monkeypatch.setattr(status, "current_state", current)
    monkeypatch.setattr(status.remote, "is_named", lambda: False)
    assert CliRunner().invoke(cli, ["status", "--json"]).exit_code == code
