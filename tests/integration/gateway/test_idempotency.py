"""Calls that are made again under their idempotency key, on a real Valkey and two gateways."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from devstack.engines import Valkey
from devstack.ports import free_port
from gateway.domain.idempotency import RESULT_SECONDS
from gateway.storage.idempotency import ValkeyIdempotencyStore
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import principal
from tests.integration.gateway.conftest import OpenGateway, Service, until

REPORT: Final = {"video": "v_1", "kind": "missing", "brand": "nordvpn.com", "idempotency_key": "k"}
OTHER_KEY: Final = "mcp_" + "o" * 36
IMPORT: Final = {"channel": "@example", "idempotency_key": "k"}


def request_count(service: Service, name: str) -> int:
    return sum(1 for rpc, _ in service.backends.requests if rpc == name)


async def test_a_repeated_report_gets_the_first_result_and_is_charged_once(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway() as first_gateway, open_gateway() as second_gateway:
        first = await first_gateway.call("sponsorship.report", REPORT)
        again = [
            await service.call("sponsorship.report", REPORT)
            for service in (first_gateway, second_gateway, first_gateway)
        ]
        assert first.status_code == 200, first.text
        for reply in again:
            assert reply.status_code == 200
            assert (
                reply.json()["result"]["structuredContent"]
                == first.json()["result"]["structuredContent"]
            )
        assert request_count(first_gateway, "ReportSponsorship") == 1
        assert await first_gateway.counted() == 1
        assert again[0].headers["ratelimit"] == first.headers["ratelimit"]


async def test_a_repeated_import_is_made_again_and_charged_once(service: Service) -> None:
    replies = [await service.call("channel.import", IMPORT) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200] * 3
    # Its worker knows the key, and returns the import as it is now.
    assert request_count(service, "StartImport") == 3
    assert await service.counted() == 1


async def test_a_repeated_cancellation_gets_the_first_result(service: Service) -> None:
    arguments = {"import_id": "imp_1", "idempotency_key": "k"}
    for _ in range(2):
        assert (await service.call("channel.cancelImport", arguments)).status_code == 200
    assert request_count(service, "CancelImport") == 1


async def test_without_a_key_each_call_is_a_call(service: Service) -> None:
    for _ in range(2):
        await service.call("sponsorship.report", {**REPORT, "idempotency_key": None})
        arguments = {name: value for name, value in REPORT.items() if name != "idempotency_key"}
        assert (await service.call("sponsorship.report", arguments)).status_code == 200
    assert request_count(service, "ReportSponsorship") == 4
    assert await service.counted() == 4


async def test_a_key_of_other_arguments_is_refused_and_costs_nothing(service: Service) -> None:
    await service.call("sponsorship.report", REPORT)
    refused = await service.call("sponsorship.report", {**REPORT, "brand": "surfshark.com"})
    assert refused.status_code == 400
    assert "idempotency_key" in refused.json()["error"]["message"]
    assert await service.counted() == 1


async def test_a_key_of_one_tool_or_account_says_nothing_to_another(service: Service) -> None:
    await service.call("sponsorship.report", REPORT)
    await service.call("channel.import", IMPORT)
    assert await service.counted() == 2
    service.backends.access.give(OTHER_KEY, principal(account_id="acc_other"))
    theirs = {"authorization": f"Bearer {OTHER_KEY}"}
    reply = await service.call("sponsorship.report", REPORT, **theirs)
    assert reply.status_code == 200
    assert request_count(service, "ReportSponsorship") == 2


async def test_a_call_that_fails_leaves_its_key_free(service: Service) -> None:
    service.backends.catalog_error = Unavailable("Away.")
    assert (await service.call("sponsorship.report", REPORT)).status_code == 503
    service.backends.catalog_error = None
    assert (await service.call("sponsorship.report", REPORT)).status_code == 200
    assert await service.counted() == 1


async def test_of_calls_at_the_same_time_one_is_made(open_gateway: OpenGateway) -> None:
    goes_on = asyncio.Event()

    async def waits() -> None:
        await goes_on.wait()

    async with open_gateway() as first_gateway, open_gateway() as second_gateway:
        first_gateway.backends.before_response = waits
        calls = [
            asyncio.create_task(service.call("sponsorship.report", REPORT))
            for service in (first_gateway, second_gateway) * 10
        ]

        async def others_were_refused() -> bool:
            return sum(call.done() for call in calls) == len(calls) - 1

        await until(others_were_refused)
        goes_on.set()
        replies = await asyncio.gather(*calls)
        assert sorted(reply.status_code for reply in replies) == [200] + [503] * 19
        assert all(a.headers["retry-after"] == "1" for a in replies if a.status_code == 503)
        assert request_count(first_gateway, "ReportSponsorship") == 1
        assert await first_gateway.counted() == 1


async def test_a_gateway_that_was_killed_holds_no_key_for_long(service: Service) -> None:
    goes_on = asyncio.Event()

    async def waits() -> None:
        await goes_on.wait()

    service.backends.before_response = waits
    call = asyncio.create_task(service.call("sponsorship.report", REPORT))

    async def is_held() -> bool:
        return bool([key async for key in service.valkey.scan_iter("sponsorgraph:idempotency:*")])

    await until(is_held)
    assert 0 < await store_pttl(service.valkey) <= 30_000
    goes_on.set()
    assert (await call).status_code == 200
    assert 30_000 < await store_pttl(service.valkey) <= RESULT_SECONDS * 1000


@pytest.mark.parametrize("owner", [b"-first", b"-other"])
async def test_a_claim_is_extended_by_its_owner_alone(valkey: Any, owner: bytes) -> None:
    store = ValkeyIdempotencyStore(valkey)
    assert await store.claim("call", owner, 10) is None
    await store.extend_claim("call", b"-first", 30)
    assert (await store_pttl(valkey) > 10_000) == (owner == b"-first")


async def test_a_late_renewal_does_not_shorten_the_life_of_a_result(valkey: Any) -> None:
    store = ValkeyIdempotencyStore(valkey)
    assert await store.claim("call", b"-first", 30) is None
    await store.put("call", b"+result", RESULT_SECONDS)
    await store.extend_claim("call", b"-first", 30)
    assert await store_pttl(valkey) > 30_000


async def store_pttl(valkey: Any) -> int:
    """Return the milliseconds after which the only key of the store expires."""
    (key,) = [key async for key in valkey.scan_iter("sponsorgraph:idempotency:*")]
    return await valkey.pttl(key)


async def test_while_the_first_result_is_unknown_a_call_under_its_key_is_put_off(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    """Made without knowing, it might be charged twice; its caller may safely make it again."""
    server = Valkey(free_port(), "test", tmp_path / "valkey.log")
    server.start()
    async with open_gateway(valkey_url=server.url()) as service:
        assert (await service.call("sponsorship.report", REPORT)).status_code == 200
        server.stop()
        assert (await service.call("sponsorship.report", REPORT)).status_code == 503
        assert request_count(service, "ReportSponsorship") == 1


@pytest.mark.parametrize("key", ["", "x" * 101, 7])
async def test_a_key_is_a_short_text(service: Service, key: Any) -> None:
    refused = await service.call("sponsorship.report", {**REPORT, "idempotency_key": key})
    assert refused.status_code == 400
