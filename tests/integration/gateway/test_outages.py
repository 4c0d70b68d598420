"""A part that is away: what still works, and what is told."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from local_stack.engines import Valkey
from local_stack.ports import free_port
from servicekit.errors import NotFound, Unavailable
from tests.fakes.backends import Backends
from tests.integration.gateway.conftest import OpenGateway, Service, request
from tests.integration.gateway.test_eras import initialize

NOWHERE = "127.0.0.1:1"


@pytest.fixture
async def without_catalog(open_gateway: OpenGateway) -> AsyncGenerator[Service]:
    async with open_gateway(catalog_target=NOWHERE, catalog_timeout_seconds=0.2) as service:
        yield service


async def test_all_parts_are_ready(service: Service) -> None:
    reply = await service.http.get("/readyz")
    parts = {"valkey": "ok", "catalog": "ok", "auth": "ok", "gateway": "ok"}
    assert (reply.status_code, reply.json()) == (200, {"status": "ready", "parts": parts})


async def test_readiness_names_the_part_that_is_away(without_catalog: Service) -> None:
    reply = await without_catalog.http.get("/readyz")
    assert reply.status_code == 503
    assert reply.json()["parts"] == {
        "valkey": "ok",
        "catalog": "down",
        "auth": "ok",
        "gateway": "ok",
    }
    assert (await without_catalog.http.get("/healthz")).status_code == 200


async def test_without_the_catalog_calls_are_unavailable_and_cost_nothing(
    without_catalog: Service,
) -> None:
    script = await without_catalog.call("category.list")
    assert script.status_code == 503
    assert int(script.headers["retry-after"]) >= 1
    client = await without_catalog.call("category.list", mcp_protocol_version="2025-11-25")
    assert client.status_code == 200
    error = client.json()["result"]["structuredContent"]["error"]
    assert error["code"] == "unavailable"
    assert error["retry_after_seconds"] >= 1
    assert await without_catalog.counted() == 0
    assert (await without_catalog.call("account.usage")).status_code == 200


async def test_without_the_auth_service_a_known_key_goes_on_and_others_wait(
    service: Service, backends: Backends
) -> None:
    await service.hears_pushes()
    await service.call("category.list")
    backends.access.error = Unavailable("The auth service is away.", retry_after=2)
    assert (await service.call("category.list")).status_code == 200
    other = {"authorization": "Bearer mcp_" + "z" * 36}
    reply = await service.http.post("/mcp", json=request("ping"), headers=other)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    assert reply.json()["id"] == 7
    assert "www-authenticate" not in reply.headers


async def test_an_outage_is_not_remembered_of_a_key(service: Service, backends: Backends) -> None:
    backends.access.error = Unavailable("The auth service is away.")
    assert (await service.post(request("ping"))).status_code == 503
    backends.access.error = None
    assert (await service.post(request("ping"))).status_code == 200


async def test_without_valkey_calls_are_unavailable_and_lists_go_on(
    open_gateway: OpenGateway,
) -> None:
    nowhere = "redis://127.0.0.1:1/0"
    async with open_gateway(valkey_url=nowhere, valkey_timeout_seconds=0.2) as service:
        assert (await service.post(request("tools/list"))).status_code == 200
        reply = await service.call("category.list")
        assert reply.status_code == 503
        assert reply.json()["error"]["data"]["code"] == "unavailable"
        assert service.backends.questions == []


async def test_readiness_names_valkey_when_it_is_away(open_gateway: OpenGateway) -> None:
    async with open_gateway(valkey_url="redis://127.0.0.1:1/0") as service:
        reply = await service.http.get("/readyz")
        assert reply.json()["parts"] == {
            "valkey": "down",
            "catalog": "ok",
            "auth": "ok",
            "gateway": "ok",
        }


async def test_when_a_failed_call_cannot_be_given_back_its_own_error_is_told(
    open_gateway: OpenGateway, backends: Backends, tmp_path: Path
) -> None:
    counter = Valkey(free_port(), "test", tmp_path / "log")
    counter.start()

    async def lose_the_counter() -> None:
        counter.stop()

    backends.before_answer = lose_the_counter
    backends.catalog_error = NotFound("No sponsor is called x.")
    async with open_gateway(valkey_url=counter.url(), valkey_timeout_seconds=1) as service:
        reply = await service.call("sponsor.get", {"sponsor": "x"})
        assert reply.json()["error"]["message"] == "No sponsor is called x."


async def test_a_caller_that_goes_away_while_sending_gets_nothing(service: Service) -> None:
    sent: list[object] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "path": "/mcp",
        "method": "POST",
        "query_string": b"",
        "headers": [(b"content-length", b"100")],
    }
    await service.web(scope, receive, send)
    assert sent == []


async def test_after_a_restart_of_valkey_calls_are_answered_again(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    port = free_port()
    first = Valkey(port, "test", tmp_path / "log")
    first.start()
    try:
        async with open_gateway(valkey_url=first.url(), valkey_timeout_seconds=1) as service:
            assert (await service.call("category.list")).status_code == 200
            first.stop()
            assert (await service.call("category.list")).status_code == 503
            first.start()
            assert (await service.call("category.list")).status_code == 200
    finally:
        first.stop()


async def test_metrics_tell_calls_refusals_and_lookups(service: Service) -> None:
    await service.call("category.list")
    service.backends.access.used = 1000
    text = (await service.http.get("/metrics")).text
    assert 'sponsorgraph_tool_calls_total{outcome="ok",tool="category.list"}' in text
    assert 'sponsorgraph_tool_seconds_count{tool="category.list"}' in text
    assert 'sponsorgraph_credential_lookups_total{result="miss"}' in text
    assert 'sponsorgraph_mcp_replies_total{status="200"}' in text
    assert "sponsorgraph_quota_refusals" in text


async def test_a_reply_to_a_question_that_cannot_be_carried_now_is_not_taken(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}") as service:
        session = (await initialize(service)).headers["mcp-session-id"]
        reply = {"jsonrpc": "2.0", "id": "ask-1", "result": {"action": "decline"}}
        sent = await service.post(reply, mcp_session_id=session)
    assert (sent.status_code, sent.json()["error"]["data"]["code"]) == (503, "unavailable")
