"""Each failed call leaves one line in the log that says whose it was and why it failed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from structlog.testing import capture_logs

from servicekit.errors import NotFound, Unavailable
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import OpenGateway, Service, request

NOTHING: Mapping[str, Any] = {}
CLIENT = {"mcp_protocol_version": "2025-11-25"}
CALLER = {"account_id": "account-1", "credential_id": "key-1", "method": "tools/call"}
LOG = {"event": "call_failed", "log_level": "info"}


async def failed(
    service: Service,
    tool: str,
    arguments: Mapping[str, Any] = NOTHING,
    headers: Mapping[str, Any] = NOTHING,
) -> tuple[list[Any], int]:
    """Make a call; return the lines that say that it failed, and its status."""
    with capture_logs() as lines:
        reply = await service.call(tool, dict(arguments), **headers)
    return [line for line in lines if line["event"] == "call_failed"], reply.status_code


async def test_a_failure_within_a_successful_reply_is_logged_once(
    service: Service, backends: Backends
) -> None:
    backends.catalog_error = NotFound("No sponsor is called x.")
    arguments = {"sponsor": "a name that nobody else has to read"}
    lines, status = await failed(service, "sponsor.get", arguments, CLIENT)
    assert status == 200
    assert lines == [{**LOG, **CALLER, "tool": "sponsor.get", "code": "not_found"}]


async def test_a_scripts_failure_is_logged_the_same(service: Service, backends: Backends) -> None:
    backends.catalog_error = Unavailable("A part of the service does not respond now.")
    lines, status = await failed(service, "category.list")
    assert status == 503
    (line,) = lines
    assert line == {
        **CALLER,
        "event": "call_failed",
        "log_level": "warning",
        "tool": "category.list",
        "code": "unavailable",
        "problem": "A part of the service does not respond now.",
    }


async def test_wrong_arguments_are_logged_by_the_field_and_not_by_the_value(
    service: Service,
) -> None:
    lines, _ = await failed(service, "sponsor.search", {"limit": "many"}, CLIENT)
    assert lines == [
        {**LOG, **CALLER, "tool": "sponsor.search", "code": "invalid_arguments", "fields": "limit"}
    ]


async def test_an_unknown_tool_a_missing_scope_and_a_month_used_up_are_logged(
    service: Service, backends: Backends
) -> None:
    lines, _ = await failed(service, "no.such.tool", headers=CLIENT)
    assert [line["code"] for line in lines] == ["-32602"]
    backends.access.used = 1000
    lines, _ = await failed(service, "category.list", headers=CLIENT)
    assert [(line["code"], line["tool"]) for line in lines] == [("quota_exceeded", "category.list")]
    other = "mcp_" + "n" * 36
    backends.access.give(other, principal(scopes=("channels:import",)))
    lines, _ = await failed(service, "category.list", headers={"authorization": f"Bearer {other}"})
    assert [line["code"] for line in lines] == ["insufficient_scope"]


async def test_an_internal_error_is_logged_with_its_traceback_and_id(
    service: Service, backends: Backends
) -> None:
    backends.catalog_error = ValueError("a bug")
    with capture_logs() as lines:
        reply = await service.call("category.list")
    found = [line for line in lines if line["event"] == "call_failed"]
    assert [line["account_id"] for line in found] == ["account-1"]
    error = reply.json()["error"]
    assert found[0]["code"] == error["data"]["code"]


async def test_a_bad_credential_is_logged_with_its_reason(service: Service) -> None:
    stranger = {"authorization": "Bearer mcp_" + "z" * 36}
    with capture_logs() as lines:
        reply = await service.http.post("/mcp", json=request("ping"), headers=stranger)
    assert reply.status_code == 401
    found = [line for line in lines if line["event"] == "call_failed"]
    assert found == [
        {**LOG, "code": "unauthenticated", "reason": reply.json()["error"]["data"]["reason"]}
    ]


async def test_a_call_that_cannot_be_read_is_logged_by_its_code(service: Service) -> None:
    with capture_logs() as lines:
        reply = await service.http.post(
            "/mcp",
            content=b'{"a secret of mine',
            headers={"authorization": f"Bearer {KEY}", "content-type": "application/json"},
        )
    assert reply.status_code == 400
    found = [line for line in lines if line["event"] == "call_failed"]
    assert found == [{**LOG, "code": "-32700"}]


async def test_a_call_whose_credential_cannot_be_verified_now_is_logged(
    service: Service, backends: Backends
) -> None:
    backends.access.error = Unavailable("Credentials cannot be verified now.")
    stranger = {"authorization": "Bearer mcp_" + "y" * 36}
    with capture_logs() as lines:
        reply = await service.http.post("/mcp", json=request("ping"), headers=stranger)
    assert reply.status_code == 503
    (line,) = [line for line in lines if line["event"] == "call_failed"]
    assert (line["code"], line["log_level"]) == ("unavailable", "warning")


async def test_how_a_service_failed_is_for_the_log_and_not_for_callers(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    never: asyncio.Future[None] = asyncio.Future()

    async def hang() -> None:
        await asyncio.shield(never)

    backends.before_response = hang
    with capture_logs() as lines:
        async with open_gateway(catalog_timeout_seconds=0.2) as service:
            reply = await service.call("category.list")
    assert reply.status_code == 503
    assert "no response within" not in reply.text
    (line,) = [line for line in lines if line["event"] == "backend_failed"]
    assert "no response within" in line["error"]
    assert "catalog" in line["error"].lower()
    assert line["tool"] == "category.list"


async def test_successful_calls_leave_no_such_line(service: Service) -> None:
    lines, status = await failed(service, "category.list", headers=CLIENT)
    assert (lines, status) == ([], 200)
