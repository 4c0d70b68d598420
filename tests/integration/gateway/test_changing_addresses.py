"""Catalogs behind a name whose addresses change: both are found, who leaves is left, and calls do not fail meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import pytest

from servicekit.grpc import stream_client
from servicekit.settings import GrpcServerSettings
from tests.fakes.backends import Backends, running_catalog
from tests.fakes.dns import dns_server
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import OpenGateway, Service, until

FIRST, OTHER = "127.0.0.1", "127.0.0.2"
AGE_SECONDS: Final = 1.0
MOMENT_SECONDS: Final = 1.0
AT_ONCE: Final = 8
MANY: Final = 1_000_000


def _has_other_address() -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((OTHER, 0))
        except OSError:
            return False
    return True


pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not _has_other_address(), reason=f"needs {OTHER} on the loopback device"),
]


@dataclass
class Caller:
    """Calls without a pause, each another one so that none is answered from a cache.

    Attributes:
        failed: When calls failed, of `time.monotonic`.
        succeeded: How many calls succeeded.
    """

    service: Service
    failed: list[float] = field(default_factory=list[float])
    succeeded: int = 0

    @asynccontextmanager
    async def calling(self) -> AsyncGenerator[None]:
        numbers = itertools.count()
        ended = asyncio.Event()

        async def call_on() -> None:
            while not ended.is_set():
                search = {"min_subscribers": next(numbers), "limit": 3}
                response = await self.service.call("youtuber.search", search)
                if response.status_code == 200:
                    self.succeeded += 1
                else:
                    self.failed.append(time.monotonic())

        callers = [asyncio.create_task(call_on()) for _ in range(AT_ONCE)]
        try:
            yield
        finally:
            ended.set()
            await asyncio.gather(*callers)

    def failing_seconds(self) -> float:
        """Return the time from the first failed call to the last one."""
        return self.failed[-1] - self.failed[0] if self.failed else 0.0


async def test_calls_follow_a_name_from_one_catalog_to_two_and_to_the_other(
    open_gateway: OpenGateway, backends: Backends, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A stream that is used again stays at its server; a minute is long for a test.
    monkeypatch.setattr(stream_client, "_OLD_SECONDS", AGE_SECONDS)
    backends.access.give(KEY, principal(monthly_requests=MANY, burst_requests=MANY))
    first, other = Backends(), Backends()
    async with AsyncExitStack() as stack, AsyncExitStack() as stopping:
        age = {"grpc_max_connection_age_seconds": AGE_SECONDS}
        port = await stopping.enter_async_context(running_catalog(first, FIRST, 0, **age))
        await stack.enter_async_context(running_catalog(other, OTHER, port, **age))
        names = await stack.enter_async_context(dns_server(FIRST))
        target = f"dns://127.0.0.1:{names.port}/catalog.example:{port}"
        service = await stack.enter_async_context(open_gateway(catalog_target=target))
        caller = Caller(service)
        await stack.enter_async_context(caller.calling())

        async def reached(backends: Backends, calls: int = 40) -> None:
            before = len(backends.requests)

            async def is_at_work() -> bool:
                return len(backends.requests) >= before + calls

            await until(is_at_work, 30)

        await reached(first)
        assert other.requests == []
        names.addresses = (FIRST, OTHER)
        await reached(other)
        await reached(first)
        # Nothing was wrong with either so far.
        assert caller.failed == []
        names.addresses = (OTHER,)
        await stopping.aclose()
        await reached(other, 200)
        left = len(first.requests)
        await reached(other, 200)
        assert len(first.requests) == left
        assert caller.failing_seconds() <= MOMENT_SECONDS, len(caller.failed)
    assert names.lookups >= 2


async def test_a_catalog_that_is_gone_without_a_word_is_left_within_a_moment(
    open_gateway: OpenGateway,
) -> None:
    first, other = Backends(), Backends()
    async with AsyncExitStack() as stack, AsyncExitStack() as stopping:
        port = await stopping.enter_async_context(running_catalog(first, FIRST, 0))
        names = await stack.enter_async_context(dns_server(FIRST))
        target = f"dns://127.0.0.1:{names.port}/catalog.example:{port}"
        service = await stack.enter_async_context(open_gateway(catalog_target=target))
        assert (await service.call("youtuber.search", {"limit": 3})).status_code == 200
        await stopping.aclose()
        # The name has moved: the gateway asks again because the connection has ended.
        await stack.enter_async_context(running_catalog(other, OTHER, port))
        names.addresses = (OTHER,)

        async def is_served() -> bool:
            return (await service.call("youtuber.search", {"limit": 4})).status_code == 200

        began = time.monotonic()
        await until(is_served, 30)
        assert time.monotonic() - began < 5 * MOMENT_SECONDS
        assert other.requests


def test_connections_end_after_five_minutes() -> None:
    assert GrpcServerSettings(grpc_port=0).grpc_max_connection_age_seconds == 300
