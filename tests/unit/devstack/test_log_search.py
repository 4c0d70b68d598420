"""All that was logged about one request is found by its id, in the logs of all processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import cli
from devstack.home import Addresses, Home
from devstack.log_search import lines_of_request

REQUEST, TRACE = "4f2c9a1be07d4638", "a" * 32


def line(event: str, second: int, **fields: Any) -> str:
    return json.dumps({"event": event, "timestamp": f"2026-11-23T06:00:{second:02}Z", **fields})


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    failed = line(
        "call_failed", 2, request_id=REQUEST, trace_id=TRACE, code="internal", error_id="e" * 12,
        tool="sponsor.get", account_id="acc_1", exception="Traceback\n\x1b[2JValueError",
    )  # fmt: skip
    other = line("call_failed", 1, request_id="b" * 16, trace_id="c" * 32)
    (folder / "gateway.log").write_text(f"{other}\n{failed}\n")
    (folder / "catalog_service.log").write_text(
        line("rpc_failed", 1, request_id="d" * 16, trace_id=TRACE) + "\n"
    )
    quoting = line("said", 3, text=f"somebody wrote {REQUEST}")
    (folder / "postgres.log").write_text(f"LOG: {TRACE}\n{quoting}\nnot closed {REQUEST} {{\n")
    return folder


@pytest.mark.parametrize("identifier", [REQUEST, TRACE, "e" * 12])
def test_a_request_is_found_in_the_logs_of_all_processes(logs: Path, identifier: str) -> None:
    found = lines_of_request(logs, identifier)
    assert [(item["process"], item["event"]) for item in found] == [
        ("catalog_service", "rpc_failed"),
        ("gateway", "call_failed"),
    ]


def test_an_id_that_no_line_has_finds_nothing(logs: Path) -> None:
    assert lines_of_request(logs, "0" * 16) == []
    assert lines_of_request(logs / "nowhere", REQUEST) == []


@pytest.fixture
def home(logs: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    folder = Home(logs.parent)
    nowhere = "127.0.0.1:1"
    folder.write_addresses(Addresses(nowhere, nowhere, nowhere, nowhere, nowhere, nowhere, 0))
    monkeypatch.setenv("SPONSORGRAPH_HOME", str(folder.path))
    return folder


@pytest.mark.usefixtures("home")
def test_the_command_shows_why_a_call_failed() -> None:
    shown = CliRunner().invoke(cli, ["request", REQUEST])
    assert shown.exit_code == 0
    for text in ("call_failed", "account_id=acc_1", "tool=sponsor.get", "code=internal"):
        assert text in shown.output
    assert "ValueError" in shown.output
    assert "\x1b" not in shown.output


@pytest.mark.usefixtures("home")
def test_the_command_prints_json_lines() -> None:
    shown = CliRunner().invoke(cli, ["request", REQUEST, "--json"])
    assert [json.loads(text)["event"] for text in shown.output.splitlines()] == [
        "rpc_failed",
        "call_failed",
    ]


def test_an_empty_id_is_refused() -> None:
    shown = CliRunner().invoke(cli, ["request", " "])
    assert (shown.exit_code, "is empty" in shown.output) == (2, True)


@pytest.mark.usefixtures("home")
def test_the_command_ends_with_1_when_nothing_was_logged() -> None:
    shown = CliRunner().invoke(cli, ["request", "0" * 16])
    assert shown.exit_code == 1
    assert "Failed calls are all logged" in shown.output
