"""Names are looked up beside each other, and once for all who wait."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest

from servicekit.process.event_loop import EventLoop

LIVING, DEAD = "living.example", "dead.example"
ATTEMPTS = 50


class NameServer:
    """Knows one name; of another one it says nothing before `go`."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.queried: list[str] = []
        self.dead = {DEAD}
        self.addresses = ["127.0.0.1"]

    def getaddrinfo(self, host: str, port: int, **_options: int) -> Any:
        self.queried.append(host)
        if host in self.dead:
            self.go.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        family = socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (name, port)) for name in self.addresses]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Generator[NameServer]:
    server = NameServer()
    monkeypatch.setattr(socket, "getaddrinfo", server.getaddrinfo)
    yield server
    server.go.set()


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> list[dict[str, Any]]:
    """Run in our own loop; return what it had to report of itself."""
    reports: list[dict[str, Any]] = []
    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.get_loop().set_exception_handler(lambda _loop, context: reports.append(context))
        runner.run(work())
    return reports


async def listening() -> asyncio.Server:
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"here")
        writer.close()

    return await asyncio.start_server(greet, "127.0.0.1", 0)


async def greeting_of(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        return await reader.read()
    finally:
        writer.close()


async def give_up(host: str) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.open_connection(host, 1), 0.01)


def test_a_dead_name_holds_no_living_one_up_and_is_resolved_once(names: NameServer) -> None:
    async def work() -> None:
        async with await listening() as server:
            port = server.sockets[0].getsockname()[1]
            await asyncio.gather(*(give_up(DEAD) for _ in range(ATTEMPTS)))
            assert await asyncio.wait_for(greeting_of(LIVING, port), 5) == b"here"
            assert names.queried == [DEAD, LIVING]

    run(work)


def test_a_name_that_lives_again_is_resolved_beside_the_lookup_that_hangs(
    names: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with await listening() as server:
            port = server.sockets[0].getsockname()[1]
            await give_up(DEAD)
            later = asyncio.get_running_loop().time() + 5.0

            def time_then(_loop: EventLoop) -> float:
                return later

            monkeypatch.setattr(EventLoop, "time", time_then)
            names.dead.clear()
            assert await greeting_of(DEAD, port) == b"here"
            assert names.queried == [DEAD, DEAD]

    run(work)


def test_a_lookup_that_everybody_gave_up_reports_no_error(names: NameServer) -> None:
    async def work() -> None:
        await asyncio.gather(*(give_up(DEAD) for _ in range(3)))
        last = asyncio.create_task(asyncio.get_running_loop().getaddrinfo(DEAD, 1, type=1))
        await asyncio.sleep(0)
        names.go.set()
        with pytest.raises(socket.gaierror):
            await last

    assert run(work) == []


def test_a_connection_takes_the_first_address_that_accepts_it(names: NameServer) -> None:
    names.addresses = ["127.0.0.2", "127.0.0.1"]

    async def work() -> None:
        async with await listening() as server:
            assert await greeting_of(LIVING, server.sockets[0].getsockname()[1]) == b"here"

    run(work)


def test_an_address_is_not_resolved(names: NameServer) -> None:
    async def work() -> None:
        async with await listening() as server:
            assert await greeting_of("127.0.0.1", server.sockets[0].getsockname()[1]) == b"here"

    run(work)
    assert names.queried == []


class RecordsNames(ssl.SSLContext):
    """Records the name that a server's certificate has to have."""

    expected: str | None = None

    def wrap_bio(self, *_arguments: Any, **options: Any) -> Any:
        self.expected = options["server_hostname"]
        raise ConnectionAbortedError


def test_with_tls_the_certificate_has_to_have_the_name_and_not_the_address(
    names: NameServer,
) -> None:
    context = RecordsNames(ssl.PROTOCOL_TLS_CLIENT)

    async def work() -> None:
        async with await listening() as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(ConnectionAbortedError):
                await asyncio.open_connection(LIVING, port, ssl=context)

    run(work)
    assert names.queried == [LIVING]
    assert context.expected == LIVING
