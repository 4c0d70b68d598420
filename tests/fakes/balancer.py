"""A TCP load balancer before replicas."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from devstack.ports import HOST


class Balancer:
    """A TCP proxy that gives each connection to the next backend that is ready.

    A backend that refuses is passed over. Each connection stays with its backend, as only bytes are
    read.
    """

    def __init__(
        self, backends: tuple[str, ...], ready: Callable[[str], bool] | None = None
    ) -> None:
        self._backends = backends
        self._ready = ready
        self._turns = itertools.count()
        self._serving: set[asyncio.Task[None]] = set()
        self.open: dict[str, int] = dict.fromkeys(backends, 0)
        """Connections by backend."""

    @asynccontextmanager
    async def listening(self, port: int) -> AsyncGenerator[None]:
        server = await asyncio.start_server(self._accept, HOST, port)
        try:
            yield
        finally:
            server.close()
            for item in self._serving:
                item.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(self._turns)
        for offset in range(len(self._backends)):
            backend = self._backends[(first + offset) % len(self._backends)]
            if self._ready is not None and not await asyncio.to_thread(self._ready, backend):
                continue
            try:
                backend_reader, backend_writer = await asyncio.open_connection(*backend.split(":"))
            except OSError:
                continue
            self.open[backend] += 1
            try:
                await asyncio.gather(
                    _pumped(reader, backend_writer), _pumped(backend_reader, writer)
                )
            finally:
                self.open[backend] -= 1
                backend_writer.close()
                writer.close()
            return
        writer.close()


async def _pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy bytes from one side to the other until either disconnects."""
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
