"""Logs are JSON, carry the request's ids and no secrets."""

import json
import logging
from typing import Literal

import pytest

from servicekit.observability import logs, telemetry
from servicekit.settings import ServiceSettings


def test_a_line_is_json_with_ids_and_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("probe", ServiceSettings())
    context = telemetry.new_context()
    with telemetry.bound(context):
        logs.get("test").info("key_used", api_key="mcp_secret", tool="sponsor.get")
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "key_used"
    assert line["service"] == "probe"
    assert (line["request_id"], line["trace_id"]) == (context.request_id, context.trace_id)
    assert line["tool"] == "sponsor.get"
    assert "mcp_secret" not in json.dumps(line)


@pytest.mark.parametrize("name", ["httpx2", "httpcore2.http11", "httpx", "stripe"])
def test_requests_to_others_are_logged_only_when_they_go_wrong(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    logs.configure("probe", ServiceSettings())
    logging.getLogger(name).info("HTTP Request: GET https://example.com/?a=secret")
    logging.getLogger(name).warning("odd")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "odd"


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_text_of_callers_makes_no_line_and_moves_no_cursor(
    capsys: pytest.CaptureFixture[str], log_format: Literal["json", "console"]
) -> None:
    logs.configure("probe", ServiceSettings(log_format=log_format))
    hostile = "x\r\nforged \x1b[2J\x1b]0;title\x07 \u202e\u2028"
    logs.get("test").info("asked", user_agent=hostile, nested={"a": hostile})
    logging.getLogger("library").warning("odd: %s", hostile)
    printed = capsys.readouterr().err
    assert len(printed.splitlines()) == 2 + printed.count("\u2028")
    for character in ("\x1b[2J", "\x1b]0", "\x07", "\r"):
        assert character not in printed
