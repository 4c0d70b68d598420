"""`subscriptions/listen` tells connected clients of new events of their account's watches."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest
from mcp_types import TextResourceContents

from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import Service, request
from tests.integration.gateway.test_protocol_versions import post_stateless
from tests.integration.gateway.test_requirements import (
    LISTEN,
    code_of,
    gateway_on_socket,
    listening_to,
)
from tests.integration.gateway.test_sdk_client import connected

ALL: Final = "sponsorgraph://alerts"
FIRST: Final = "sponsorgraph://alerts/watch_1"
OTHER: Final = "sponsorgraph://alerts/watch_2"
WITH_ALERTS: Final = ("channel_import", "alerts")


def following(*addresses: str) -> dict[str, Any]:
    return {"resourceSubscriptions": list(addresses)}


@pytest.fixture
def watching(backends: Backends) -> Backends:
    """An account with two watches, and an event from before."""
    backends.access.give(KEY, principal(features=WITH_ALERTS))
    backends.access.watch_ids += ["watch_1", "watch_2"]
    backends.access.alerts.append(("msg_0", "watch_1"))
    return backends


async def update(events: Any) -> str:
    """Return the address of the next update."""
    message = await anext(events)
    assert message["method"] == "notifications/resources/updated"
    assert message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "my stream"
    return message["params"]["uri"]


async def agreed(events: Any) -> dict[str, Any]:
    return (await anext(events))["params"]["notifications"]


async def test_the_sdk_learns_of_an_event_from_either_of_two_gateways(
    watching: Backends, fresh_valkey: str
) -> None:
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, first_url),
        gateway_on_socket(watching, fresh_valkey) as (_, second_url),
        connected(first_url, "auto") as first,
        connected(second_url, "auto") as second,
        first.listen(resource_subscriptions=[ALL]) as at_first,
        second.listen(resource_subscriptions=[FIRST]) as at_second,
    ):
        assert first.server_capabilities.resources
        assert first.server_capabilities.resources.subscribe
        watching.access.alerts.append(("msg_1", "watch_1"))
        for client, stream, uri in ((first, at_first, ALL), (second, at_second, FIRST)):
            event: Any = await anext(aiter(stream))
            assert event.uri == uri
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            (read, *_) = json.loads(content.text)["events"]
            assert (read["text"], read["data"]) == ("some text", {"percent": 80})


async def test_each_event_updates_the_resources_that_have_it_once(
    watching: Backends, fresh_valkey: str
) -> None:
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, following(FIRST, OTHER)) as events,
    ):
        assert await agreed(events) == following(FIRST, OTHER)
        for number, (watch_id, uri) in enumerate((("watch_2", OTHER), ("watch_1", FIRST)), 1):
            watching.access.alerts.append((f"msg_{number}", watch_id))
            assert await update(events) == uri


async def test_an_event_that_was_committed_late_is_sent(
    watching: Backends, fresh_valkey: str
) -> None:
    """Numbers are given before transactions commit: what comes later may have a lower one."""
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, following(OTHER)) as events,
    ):
        await agreed(events)
        watching.access.alerts.insert(0, ("msg_late", "watch_2"))
        assert await update(events) == OTHER


async def test_a_quiet_watch_is_updated_though_others_push_its_event_out(
    watching: Backends, fresh_valkey: str
) -> None:
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, following(OTHER)) as events,
    ):
        await agreed(events)
        many = [(f"msg_{number}", "watch_1") for number in range(1, 101)]
        watching.access.alerts += [("msg_quiet", "watch_2"), *many]
        assert await update(events) == OTHER


async def test_only_alerts_of_own_watches_are_agreed_to(
    watching: Backends, fresh_valkey: str
) -> None:
    filters = following(ALL, "sponsorgraph://alerts/watch_9", "sponsorgraph://sponsor/a", FIRST)
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, filters) as events,
    ):
        assert await agreed(events) == following(ALL, FIRST)


@pytest.mark.parametrize(
    "caller", [principal(features=()), principal(features=WITH_ALERTS, scopes=("catalog:read",))]
)
async def test_a_plan_or_a_credential_without_alerts_follows_none(
    watching: Backends, fresh_valkey: str, caller: Any
) -> None:
    watching.access.give(KEY, caller)
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, following(ALL)) as events,
    ):
        assert await agreed(events) == {}


async def test_the_stream_ends_when_the_plan_is_left(watching: Backends, fresh_valkey: str) -> None:
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, {"toolsListChanged": True, **following(ALL)}) as events,
    ):
        await agreed(events)
        watching.access.give(KEY, principal(features=()))
        assert (await anext(events))["method"] == "notifications/tools/list_changed"
        async with asyncio.timeout(10):
            assert "result" in await anext(events)


async def test_the_stream_ends_when_the_credential_is_revoked(
    watching: Backends, fresh_valkey: str
) -> None:
    async with (
        gateway_on_socket(watching, fresh_valkey) as (_, url),
        listening_to(url, following(ALL)) as events,
    ):
        await agreed(events)
        watching.access.holders.clear()
        assert "result" in await anext(events)


@pytest.mark.parametrize(
    "addresses", ["sponsorgraph://alerts", [1], [f"sponsorgraph://alerts/{n}" for n in range(251)]]
)
async def test_a_list_of_addresses_that_is_none_or_too_long_is_refused(
    service: Service, addresses: Any
) -> None:
    notifications = {"resourceSubscriptions": addresses}
    reply = await post_stateless(service, LISTEN, notifications=notifications)
    assert code_of(reply) == (400, -32602)


async def test_reading_alerts_is_free_and_needs_the_plan(
    watching: Backends, service: Service
) -> None:
    good = await service.post(request("resources/read", uri=FIRST))
    assert json.loads(good.json()["result"]["contents"][0]["text"])["events"]
    assert await service.counted() == 0
    watching.access.give(KEY, principal(features=()))
    await service.wait_for_pushes()
    refused = await service.post(request("resources/read", uri=ALL))
    assert refused.status_code == 403
