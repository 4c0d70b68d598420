"""Logs are JSON, carry the request's ids and no secrets."""

import json
import logging

import pytest

from servicekit import logs, telemetry
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


@pytest.mark.parametrize("name", ["httpx", "httpcore.http11"])
def test_requests_to_others_are_told_of_only_when_they_go_wrong(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    logs.configure("probe", ServiceSettings())
    logging.getLogger(name).info("HTTP Request: GET https://example.com/?a=secret")
    logging.getLogger(name).warning("odd")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "odd"
