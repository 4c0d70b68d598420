"""Calls that count, calls that do not, and the quota that the caller reads."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.domain.account_usage import AccountUsage
from gateway.tools import Params, ToolContext, all_tools
from gateway.tools._tool import Hints, tool
from servicekit.errors import Internal, InvalidInput, NotFound, ServiceError, Unavailable
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import OpenGateway, Service, request, until


class Nothing(Params):
    pass


@tool(
    "channel.test",
    title="Needs a feature",
    hints=Hints(read_only=False, destructive=False, idempotent=True, open_world=True),
    feature="channel_import",
)
async def gated(_args: Nothing, _context: ToolContext) -> AccountUsage:
    """Stands for the tools that a plan must unlock; returns nothing of interest."""
    return AccountUsage("p", "P", 1, 0, 1, datetime(2026, 12, 1, tzinfo=UTC), ())


async def _ledger_has(service: Service, entries: int) -> None:
    ledger = service.backends.access.ledger

    async def arrived() -> bool:
        return len(ledger) >= entries

    await until(arrived)
    assert len(ledger) == entries


async def test_a_successful_call_counts_and_returns_the_remaining_quota(service: Service) -> None:
    reply = await service.call("category.list")
    quota = reply.json()["result"]["_meta"]["sponsorgraph/quota"]
    assert (quota["limit"], quota["remaining"]) == (1000, 999)
    assert quota["resets_at"].endswith("-01T00:00:00Z")
    assert reply.headers["ratelimit"].startswith('"monthly";r=999;t=')
    assert reply.headers["ratelimit-policy"].startswith('"monthly";q=1000;w=')
    assert await service.counted() == 1


async def test_handshakes_lists_and_account_usage_cost_nothing(service: Service) -> None:
    await service.post(request("initialize", protocolVersion="2025-11-25"))
    await service.post(request("tools/list"))
    await service.post(request("ping"))
    await service.call("account.usage")
    usage = (await service.call("account.usage")).json()["result"]["structuredContent"]
    assert (usage["requests_used"], usage["requests_remaining"]) == (0, 1000)
    assert await service.counted() == 0


async def test_of_200_parallel_calls_on_50_left_exactly_50_succeed(service: Service) -> None:
    service.backends.access.used = 950
    calls = [service.call("category.list") for _ in range(200)]
    replies = await asyncio.gather(*calls)
    assert Counter(reply.status_code for reply in replies) == {200: 50, 429: 150}
    assert await service.counted() == 1000
    await _ledger_has(service, 50)


async def test_an_exhausted_month_is_reported_to_a_script_by_status(service: Service) -> None:
    service.backends.access.used = 1000
    reply = await service.call("category.list")
    assert reply.status_code == 429
    assert int(reply.headers["retry-after"]) > 0
    assert reply.headers["ratelimit"].startswith('"monthly";r=0;')
    error = reply.json()["error"]
    assert error["data"]["code"] == "quota_exceeded"
    assert error["data"]["upgrade_url"] == "https://site.example/plans"
    assert error["data"]["resets_at"].endswith("-01T00:00:00Z")


async def test_a_call_of_more_requests_than_are_left_says_how_many_are(service: Service) -> None:
    service.backends.access.used = 998
    names = [f"brand {number}" for number in range(80)]
    refused = await service.call("catalog.resolve", {"names": names})
    message = refused.json()["error"]["message"]
    assert refused.status_code == 429
    assert message.startswith("This call counts as 4 requests, and 2 of the 1,000 ")
    assert "Calls that count as fewer are answered." in message
    assert "result" in (await service.call("category.list")).json()


async def test_an_exhausted_month_is_reported_to_a_client_in_words(service: Service) -> None:
    service.backends.access.used = 1000
    reply = await service.call("category.list", mcp_protocol_version="2025-11-25")
    assert reply.status_code == 200
    result = reply.json()["result"]
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert "1,000 requests" in text
    assert "-01 at 00:00 UTC" in text
    assert "https://site.example/plans" in text
    error = result["structuredContent"]["error"]
    assert error["code"] == "quota_exceeded"
    assert error["message"] == text
    assert error["retry_after_seconds"] > 0
    assert result["_meta"]["sponsorgraph/quota"]["remaining"] == 0


async def test_account_usage_is_returned_when_the_month_is_exhausted(service: Service) -> None:
    service.backends.access.used = 1000
    usage = (await service.call("account.usage")).json()["result"]["structuredContent"]
    assert usage["requests_remaining"] == 0


async def test_too_many_calls_at_once_have_to_wait(service: Service) -> None:
    holder = principal(burst_requests=2, burst_refill_per_second=0.1)
    service.backends.access.give(KEY, holder)
    replies = [await service.call("category.list") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    refused = replies[-1]
    assert 1 <= int(refused.headers["retry-after"]) <= 10
    assert refused.json()["error"]["data"]["code"] == "rate_limited"
    client = await service.call("category.list", accept="application/json, text/event-stream")
    error = client.json()["result"]["structuredContent"]["error"]
    assert error["code"] == "rate_limited"
    assert 1 <= error["retry_after_seconds"] <= 10
    assert "Wait" in error["message"]
    assert await service.counted() == 2


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (InvalidInput("This cursor is not of this list."), "invalid_arguments", 400),
        (NotFound("No sponsor is called x."), "not_found", 400),
        (
            InvalidInput("x may be several.", "AMBIGUOUS", details={"candidates": "a, b"}),
            "ambiguous",
            400,
        ),
        (Unavailable("Away.", retry_after=3), "unavailable", 503),
        (Internal("Went wrong (error abc)."), "internal", 503),
        (RuntimeError("a bug"), "internal", 503),
    ],
)
async def test_a_call_that_fails_behind_the_gateway_is_refunded(
    service: Service, error: Exception, code: str, status: int
) -> None:
    service.backends.catalog_error = error
    script = await service.call("sponsor.get", {"sponsor": "x"})
    assert script.status_code == status
    assert script.json()["error"]["data"]["code"] == code
    client = await service.call("sponsor.get", {"sponsor": "x"}, mcp_protocol_version="2025-11-25")
    assert client.status_code == 200
    result = client.json()["result"]
    assert result["structuredContent"]["error"]["code"] == code
    assert result["_meta"]["sponsorgraph/quota"]["remaining"] == 1000
    if isinstance(error, ServiceError):
        assert result["content"][0]["text"] == error.public_message
    assert await service.counted() == 0
    await _ledger_has(service, 4)
    assert sum(entry.cost for entry in service.backends.access.ledger.values()) == 0


async def test_a_bug_in_a_tool_is_logged_under_an_id_reported_and_refunded(
    open_gateway: OpenGateway,
) -> None:
    @tool("sponsor.broken", title="Broken", hints=gated.hints)
    async def broken(_args: Nothing, _context: ToolContext) -> AccountUsage:
        """Stands for a tool with a bug that nobody foresaw."""
        raise ZeroDivisionError

    async with open_gateway(tools=(broken,)) as service:
        script = await service.call("sponsor.broken")
        assert script.json()["error"]["code"] == -32603
        assert script.json()["error"]["data"]["error_id"] in script.json()["error"]["message"]
        assert "ZeroDivision" not in script.text
        client = await service.call("sponsor.broken", mcp_protocol_version="2025-11-25")
        assert (client.status_code, client.json()["error"]["code"]) == (200, -32603)
        assert await service.counted() == 0


async def test_the_turn_of_the_month_renews_the_requests(open_gateway: OpenGateway) -> None:
    now = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    async with open_gateway(clock=lambda: now) as service:
        service.backends.access.used = 1000
        assert (await service.call("category.list")).status_code == 429
        service.backends.access.used = 0
        now += timedelta(seconds=1)
        reply = await service.call("category.list")
        assert reply.json()["result"]["_meta"]["sponsorgraph/quota"]["remaining"] == 999
        assert service.backends.access.usage_requests[-1] == ("account-1", "2026-12")


async def test_a_lost_counter_is_rebuilt_from_the_ledger(service: Service) -> None:
    for _ in range(3):
        await service.call("category.list")
    await service.valkey.flushall()
    reply = await service.call("category.list")
    assert reply.json()["result"]["_meta"]["sponsorgraph/quota"]["remaining"] == 996


async def test_a_tool_of_a_larger_plan_is_hidden_and_says_so_when_called(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(tools=(*all_tools(), gated)) as service:
        service.backends.access.give(KEY, principal(features=(), plan_name="Free"))
        listed = await service.post(request("tools/list"))
        assert "channel.test" not in listed.text
        script = await service.call("channel.test")
        assert script.status_code == 403
        assert "www-authenticate" not in script.headers
        assert script.json()["error"]["data"]["code"] == "plan_required"
        client = await service.call("channel.test", mcp_protocol_version="2025-11-25")
        result: Any = client.json()["result"]
        assert "Free does not include channel_test" in result["content"][0]["text"]
        error = result["structuredContent"]["error"]
        assert error["upgrade_url"] == "https://site.example/plans"
        assert await service.counted() == 0


async def test_a_tool_of_a_larger_plan_is_listed_and_called_by_that_plan(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(tools=(*all_tools(), gated)) as service:
        assert "channel.test" in (await service.post(request("tools/list"))).text
        assert (await service.call("channel_test")).json()["result"]["isError"] is False


async def test_a_missing_scope_is_requested(service: Service) -> None:
    service.backends.access.give(KEY, principal(scopes=("other",)))
    for headers in ({}, {"mcp_protocol_version": "2025-11-25"}):
        reply = await service.call("sponsor.search", {"search": "x"}, **headers)
        assert reply.status_code == 403
        challenge = reply.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="other catalog:read"' in challenge
        assert "resource_metadata=" in challenge
        assert reply.json()["id"] == 7
    assert await service.counted() == 0


@pytest.mark.parametrize(("names", "requests"), [(1, 1), (25, 1), (26, 2), (100, 4)])
async def test_resolving_names_counts_a_request_for_every_25(
    service: Service, names: int, requests: int
) -> None:
    arguments = {"names": [f"brand {number}" for number in range(names)]}
    reply = await service.call("catalog.resolve", arguments)
    assert "error" not in reply.json()
    assert await service.counted() == requests
