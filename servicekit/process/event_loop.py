"""An event loop that looks host names up so that a dead name holds up no other one.

uvloop's own look-ups share two threads of libuv, cannot be cancelled, and each caller makes one of its
own: a name server that does not answer keeps both threads busy for as long as callers try again.
"""

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import uvloop

from servicekit.concurrency.single_flight import SingleFlight

T = TypeVar("T")
_MAX_THREADS: Final = 32
_SHARED_SECONDS: Final = 5.0
"""A name server that does not answer is given up after some 40 s: eight threads for a dead name."""

_Found = list[tuple[int, int, int, str, Any]]


class EventLoop(uvloop.Loop):
    """Looks each name up once at a time, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._lookups = SingleFlight[tuple[Any, ...], _Found]()
        self._threads = asyncio.Semaphore(_MAX_THREADS)

    async def getaddrinfo(self, host: Any, port: Any, **options: int) -> Any:
        """Look a name up; callers of the same name share the look-up under way.

        One that has been under way for long is not shared: the name may be alive again meanwhile.
        """
        key = (self.time() // _SHARED_SECONDS, host, port, *sorted(options.items()))
        return await self._lookups.do(key, partial(self._look_up, host, port, options))

    async def _look_up(self, host: Any, port: Any, options: dict[str, int]) -> Any:
        async with self._threads:
            return await self._in_thread(partial(socket.getaddrinfo, host, port, **options))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run `work` in a daemon thread: the process may end before a name server answers."""
        future: asyncio.Future[T] = self.create_future()

        def run() -> None:
            try:
                report(future.set_result, work())
            except OSError as error:
                report(future.set_exception, error)
            except UnicodeError as error:  # a label of a name that is too long
                report(future.set_exception, OSError(str(error)))

        def report(settle: Callable[[Any], None], result: Any) -> None:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self.call_soon_threadsafe(deliver, settle, result)

        def deliver(settle: Callable[[Any], None], result: Any) -> None:
            if not future.done():
                settle(result)

        threading.Thread(target=run, name="name-lookup", daemon=True).start()
        return await future

    async def create_connection(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, protocol_factory: Any, host: Any = None, port: Any = None, **options: Any
    ) -> Any:
        """Connect to the first address of `host` that takes the connection."""
        connect = partial(super().create_connection, protocol_factory)
        if not _is_name(host):
            return await connect(host, port, **options)
        if options.get("ssl") and options.get("server_hostname") is None:
            options["server_hostname"] = host
        wanted = {name: options.get(name, 0) for name in ("family", "proto", "flags")}
        found = await self.getaddrinfo(host, port, type=socket.SOCK_STREAM, **wanted)
        failure: OSError | None = None
        for family, _type, _proto, _name, address in found:
            try:
                return await connect(*address[:2], **options | {"family": family})
            except OSError as error:
                failure = failure or error
        raise failure or OSError(f"The name {host} has no address.")


def _is_name(host: Any) -> bool:
    if not isinstance(host, str) or not host:
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False
