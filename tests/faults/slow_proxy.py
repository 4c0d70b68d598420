"""A TCP proxy that makes the way between two processes slow, narrow, cut, gone, or leads elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from devstack.ports import HOST

StandIn = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Talks to a caller in place of whom the caller meant."""

_CHUNK = 65_536


class SlowProxy:
    """Stands on `port` before `target`, a "host:port", and passes bytes on as they are.

    Attributes:
        delay: Seconds that each read waits before it goes on, in each direction.
        bytes_per_second: Most that each direction of a connection carries; None for no bound.
        stand_in: Answers new connections instead of the target while it is set.

    While it is silent, what is sent through it goes nowhere and new connections get no answer, as behind a
    firewall that drops packets.
    """

    def __init__(self, port: int, target: str) -> None:
        self.port = port
        self.delay = 0.0
        self.bytes_per_second: float | None = None
        self.stand_in: StandIn | None = None
        self._host, _, target_port = target.rpartition(":")
        self._target_port = int(target_port)
        self._server: asyncio.Server | None = None
        self._passes = asyncio.Event()
        self._passes.set()
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def connections(self) -> int:
        """Callers that are connected now."""
        return len(self._serving)

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[SlowProxy]:
        await self.appear()
        try:
            yield self
        finally:
            await self.vanish()

    async def appear(self) -> None:
        """Begins to listen, again after `vanish`."""
        self._server = await asyncio.start_server(self._accept, HOST, self.port, backlog=1024)

    async def vanish(self) -> None:
        """Refuses new connections and cuts those that are open."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.gather(*self._serving, return_exceptions=True)

    @asynccontextmanager
    async def silent(self) -> AsyncGenerator[None]:
        """Pass nothing on, in neither direction, until the block ends; nobody is told."""
        self.cut_off()
        try:
            yield
        finally:
            self.pass_on()

    def cut_off(self) -> None:
        """Pass nothing on until `pass_on`."""
        self._passes.clear()

    def pass_on(self) -> None:
        """Pass on what comes, and what was held back."""
        self._passes.set()

    def redirect(self, target: str) -> None:
        """Cuts all connections; new ones lead to another target."""
        self._host, _, target_port = target.rpartition(":")
        self._target_port = int(target_port)
        self.cut()

    def cut(self) -> None:
        """Cuts all connections; new ones are taken."""
        for task in tuple(self._serving):
            task.cancel()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        try:
            with contextlib.suppress(OSError, EOFError):
                await self._passes.wait()
                if self.stand_in is not None:
                    await self.stand_in(reader, writer)
                    return
                there, out = await asyncio.open_connection(self._host, self._target_port)
                ends.append(out)
                await asyncio.gather(self._pump(reader, out), self._pump(there, writer))
        finally:
            for end in ends:
                end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Bytes from one side to the other, until either is gone; then the other hears of it."""
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self.bytes_per_second is not None:
                    await asyncio.sleep(len(data) / self.bytes_per_second)
                await self._passes.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
