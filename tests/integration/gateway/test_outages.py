"""While a part is away the others work, and errors say so."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from devstack.engines import Valkey
from devstack.ports import free_port
from gateway.mcp import metrics
from gateway.storage.valkey_client import open_valkey
from servicekit.errors import NotFound, Unavailable
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.fakes.backends import Backends, running_auth
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import (
    CATALOG_VERSION,
    OpenGateway,
    Service,
    request,
    until,
)
from tests.integration.gateway.test_protocol_versions import initialize

NOWHERE = "127.0.0.1:1"


@pytest.fixture
async def without_catalog(open_gateway: OpenGateway) -> AsyncGenerator[Service]:
    async with open_gateway(catalog_target=NOWHERE, catalog_timeout_seconds=0.2) as service:
        yield service


async def test_a_query_that_is_not_finished_in_time_says_what_makes_it_smaller(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    finished = asyncio.Event()

    async def wait() -> None:
        await finished.wait()

    async with open_gateway(catalog_timeout_seconds=0.2) as service:
        backends.before_response = wait
        replies = [await service.call(tool) for tool in ("sponsor.trends", "category.list")]
        finished.set()
        for reply in replies:
            assert reply.status_code == 503
            assert (
                "The catalogue did not finish this within 0.2 s. Ask for a shorter period"
                in reply.text
            )
        assert await service.counted() == 0


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
    await service.wait_for_pushes()
    await service.call("category.list")
    backends.access.error = Unavailable("The auth service is away.", retry_after=2)
    assert (await service.call("category.list")).status_code == 200
    other = {"authorization": "Bearer mcp_" + "z" * 36}
    reply = await service.http.post("/mcp", json=request("ping"), headers=other)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
    assert reply.json()["id"] == 7
    assert "www-authenticate" not in reply.headers


async def test_a_known_key_goes_on_at_reduced_limits_when_it_would_have_to_be_resolved_anew(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    limits = {"burst_requests": 8, "burst_refill_per_second": 0.001}
    backends.access.give(KEY, principal(**limits))
    facts = {"credential_ttl_seconds": 0.01, "credential_stale_share": 0.5}
    async with open_gateway(**facts) as service:
        await service.wait_for_pushes()
        assert (await service.call("category.list")).status_code == 200
        resolved = backends.access.resolved
        backends.access.error = Unavailable("The auth service is away.", retry_after=2)
        before = stale_lookups()

        async def is_served_stale() -> bool:
            assert (await service.post(request("ping"))).status_code == 200
            return stale_lookups() > before

        await until(is_served_stale)
        replies = [await service.call("category.list") for _ in range(6)]
        # Seven of eight are left, of which a bucket of four holds four.
        assert [reply.status_code for reply in replies] == [200] * 4 + [429] * 2
        assert backends.access.resolved > resolved
        assert stale_lookups() > before


def stale_lookups() -> float:
    return metrics.of(metrics.CREDENTIAL_LOOKUPS, "stale")._value.get()


async def test_a_push_ends_a_key_that_goes_on_without_the_auth_service(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with open_gateway(credential_ttl_seconds=0.01) as service:
        await service.wait_for_pushes()
        assert (await service.post(request("ping"))).status_code == 200
        backends.access.error = Unavailable("The auth service is away.")

        async def is_served_stale() -> bool:
            assert (await service.post(request("ping"))).status_code == 200
            return stale_lookups() > before

        before = stale_lookups()
        await until(is_served_stale)
        push = {"account_id": "account-1", "credential_id": "key-1", "reason": "revoked"}
        await service.valkey.publish(REVOCATION_CHANNEL, json.dumps(push))

        async def is_ended() -> bool:
            return (await service.post(request("ping"))).status_code == 503

        await until(is_ended, seconds=1)


async def test_readiness_says_that_known_callers_go_on_without_the_auth_service(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with AsyncExitStack() as stack:
        target = await stack.enter_async_context(running_auth(backends.access))
        async with open_gateway(auth_target=target) as service:
            await service.wait_for_pushes()
            assert (await service.post(request("ping"))).status_code == 200
            await stack.aclose()
            reply = await service.http.get("/readyz")
            assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
            assert reply.json()["parts"]["auth"] == "down"
            push = json.dumps({"account_id": "account-1"})
            await service.valkey.publish(REVOCATION_CHANNEL, push)

            async def nobody_is_known() -> bool:
                return (await service.http.get("/readyz")).status_code == 503

            await until(nobody_is_known)


async def statuses(service: Service, *paths: str) -> list[int]:
    return [(await service.http.get(path)).status_code for path in paths]


async def test_a_gateway_that_has_served_stays_healthy_while_the_auth_service_is_away(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with AsyncExitStack() as stack:
        target = await stack.enter_async_context(running_auth(backends.access))
        async with open_gateway(auth_target=target) as service:
            await service.wait_for_pushes()
            paths = ("/healthz", "/healthz/serving", "/readyz")
            assert await statuses(service, *paths) == [200, 200, 200]
            await stack.aclose()
            # Nobody is known to it: not even a stale credential hides the outage.
            assert await statuses(service, *paths) == [200, 200, 503]


async def test_a_new_gateway_gets_no_callers_before_its_parts_have_responded(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(auth_target=NOWHERE, auth_timeout_seconds=0.2) as service:
        assert await statuses(service, "/healthz", "/healthz/serving") == [200, 503]


async def test_a_long_outage_of_the_auth_service_fails_no_call_of_a_known_caller(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with AsyncExitStack() as stack:
        target = await stack.enter_async_context(running_auth(backends.access))
        facts = {"credential_ttl_seconds": 0.05, "auth_target": target}
        async with open_gateway(**facts) as service:
            await service.wait_for_pushes()
            assert (await service.call("category.list")).status_code == 200
            await stack.aclose()
            before = stale_lookups()
            found: list[int] = []

            async def is_long() -> bool:
                found.append((await service.call("category.list")).status_code)
                return stale_lookups() - before >= 50

            await until(is_long, seconds=60)
            assert set(found) == {200}
            assert await statuses(service, "/healthz/serving") == [200]


async def test_an_outage_is_not_remembered_of_a_key(service: Service, backends: Backends) -> None:
    backends.access.error = Unavailable("The auth service is away.")
    assert (await service.post(request("ping"))).status_code == 503
    backends.access.error = None
    assert (await service.post(request("ping"))).status_code == 200


async def test_without_valkey_the_ledger_counts_calls(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        reply = await service.call("category.list")
        assert reply.status_code == 200
        assert reply.json()["result"]["_meta"]["sponsorgraph/quota"]["remaining"] == 999
        assert [entry.cost for entry in backends.access.ledger.values()] == [1]
        metrics = (await service.http.get("/metrics")).text
        assert "sponsorgraph_quota_failover_active 1.0" in metrics


async def test_without_valkey_a_failed_call_costs_nothing(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    backends.catalog_error = NotFound("No sponsor is called x.")
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        reply = await service.call("sponsor.get", {"sponsor": "x"})
        assert reply.json()["error"]["message"] == "No sponsor is called x."
        assert sum(entry.cost for entry in backends.access.ledger.values()) == 0
        usage = await service.call("account.usage")
        assert usage.json()["result"]["structuredContent"]["requests_used"] == 0


async def test_without_valkey_no_more_is_admitted_than_the_month_has(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    backends.access.used = 995
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        calls = [service.call("category.list") for _ in range(8)]
        replies = await asyncio.gather(*calls)
        assert sorted(reply.status_code for reply in replies) == [200] * 5 + [429] * 3
        refused = next(reply for reply in replies if reply.status_code == 429)
        assert refused.json()["error"]["data"]["code"] == "quota_exceeded"


async def test_without_valkey_bursts_are_limited_all_the_same(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    slow = principal(burst_requests=2, burst_refill_per_second=0.001)
    backends.access.give(KEY, slow)
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        replies = [await service.call("category.list") for _ in range(3)]
        assert [reply.status_code for reply in replies] == [200, 200, 429]
        assert replies[2].json()["error"]["data"]["code"] == "rate_limited"


async def test_once_the_grace_is_over_calls_are_unavailable_and_lists_go_on(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0", quota_failover_seconds=0) as service:
        assert (await service.post(request("tools/list"))).status_code == 200
        reply = await service.call("category.list")
        assert reply.status_code == 503
        assert int(reply.headers["retry-after"]) >= 1
        assert reply.json()["error"]["data"]["code"] == "unavailable"
        assert "away for too long" in reply.json()["error"]["message"]
        assert service.backends.requests == []
        assert (await service.http.get("/readyz")).status_code == 503


async def test_without_valkey_and_the_ledger_calls_are_unavailable(
    open_gateway: OpenGateway, backends: Backends
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        assert (await service.call("category.list")).status_code == 200
        backends.access.error = Unavailable("The auth service is away.")
        reply = await service.call("category.list")
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
        backends.access.error = None
        assert (await service.call("category.list")).status_code == 200
        assert sum(entry.cost for entry in backends.access.ledger.values()) == 2


async def test_readiness_says_that_the_service_goes_on_without_valkey(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}/0") as service:
        await service.call("account.usage")
        reply = await service.http.get("/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "degraded")
        assert reply.json()["parts"] == {
            "valkey": "down",
            "catalog": "ok",
            "auth": "ok",
            "gateway": "ok",
        }
        assert "reasons" not in reply.json()


@pytest.mark.parametrize("password", ["wrong-secret", ""])
async def test_readiness_says_that_valkey_refused_the_credentials(
    open_gateway: OpenGateway, tmp_path: Path, password: str
) -> None:
    server = Valkey(free_port(), "right-secret", tmp_path / "valkey.log", tmp_path / "valkey")
    server.start()
    try:
        url = server.url().replace(":right-secret@", f":{password}@" if password else "")
        async with open_gateway(valkey_url=url) as service:
            await service.call("account.usage")
            reply = await service.http.get("/readyz")
    finally:
        server.stop()
    assert reply.json()["parts"]["valkey"] == "down"
    assert reply.json()["reasons"] == {
        "valkey": "Valkey refuses the credentials of GATEWAY_VALKEY_URL."
    }
    assert "secret" not in reply.text


async def test_when_a_failed_call_cannot_be_refunded_its_own_error_is_returned(
    open_gateway: OpenGateway, backends: Backends, tmp_path: Path
) -> None:
    counter = Valkey(free_port(), "test", tmp_path / "log")
    counter.start()

    async def lose_the_counter() -> None:
        counter.stop()

    backends.before_response = lose_the_counter
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


async def test_connections_from_before_a_restart_of_valkey_fail_nobody(tmp_path: Path) -> None:
    server = Valkey(free_port(), "test", tmp_path / "log")
    server.start()
    client: Any = open_valkey(server.url(), timeout=5)
    try:
        assert all(await asyncio.gather(*(client.ping() for _ in range(8))))
        server.stop()
        server.start()
        for _ in range(3):
            await asyncio.sleep(0)  # the loop learns of connections closed while it stood still
        assert all(await asyncio.gather(*(client.ping() for _ in range(8))))
    finally:
        await client.aclose()
        server.stop()


async def by_valkey(service: Service) -> bool:
    return "sponsorgraph_quota_failover_active 0.0" in (await service.http.get("/metrics")).text


@pytest.mark.parametrize("keeps", [True, False], ids=["full", "empty"])
async def test_after_a_restart_of_valkey_its_counters_have_every_call(
    open_gateway: OpenGateway, backends: Backends, tmp_path: Path, *, keeps: bool
) -> None:
    server = Valkey(free_port(), "test", tmp_path / "log", tmp_path / "data" if keeps else None)
    server.start()
    try:
        async with open_gateway(valkey_url=server.url(), valkey_timeout_seconds=1) as service:
            for _ in range(3):
                assert (await service.call("category.list")).status_code == 200
            assert server.process is not None
            server.process.kill()
            server.process.wait()
            for _ in range(2):
                assert (await service.call("category.list")).status_code == 200
            server.start()
            await until(lambda: by_valkey(service))
            reply = await service.call("category.list")
            assert reply.json()["result"]["_meta"]["sponsorgraph/quota"]["remaining"] == 994

            async def reported() -> bool:
                return sum(entry.cost for entry in backends.access.ledger.values()) == 6

            await until(reported)
    finally:
        server.stop()


async def test_metrics_count_calls_refusals_and_lookups(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    for _ in range(2):
        await service.call("category.list")
    service.backends.access.used = 1000
    text = (await service.http.get("/metrics")).text
    assert 'sponsorgraph_tool_calls_total{outcome="ok",tool="category.list"}' in text
    assert 'sponsorgraph_tool_calls_total{outcome="cached",tool="category.list"}' in text
    assert 'sponsorgraph_tool_seconds_count{tool="category.list"}' in text
    assert 'sponsorgraph_credential_lookups_total{result="miss"}' in text
    assert 'sponsorgraph_mcp_replies_total{status="200"}' in text
    assert "sponsorgraph_quota_refusals" in text


async def test_a_reply_that_cannot_be_carried_now_is_not_accepted(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(valkey_url=f"redis://{NOWHERE}") as service:
        session = (await initialize(service)).headers["mcp-session-id"]
        reply = {"jsonrpc": "2.0", "id": "elicit-1", "result": {"action": "decline"}}
        sent = await service.post(reply, mcp_session_id=session)
    assert (sent.status_code, sent.json()["error"]["data"]["code"]) == (503, "unavailable")
