"""A receiver of webhooks: in a test's own process, or as a program that writes what it gets to a file.

A request is written, and synchronised, before it is answered: whoever was answered has been written.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Received:
    """A request: its headers by lower-case name, and its body."""

    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class WebhookReceiver:
    """Answers with the statuses of `statuses`, one after the other, then with 204."""

    received: list[Received] = field(default_factory=list[Received])
    statuses: list[int] = field(default_factory=list[int])
    text: str = "thanks"
    path: Path | None = None
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def number(self, count: int) -> list[Received]:
        """Wait for so many requests, and return them."""
        async with asyncio.timeout(30):
            while len(self.received) < count:  # noqa: ASYNC110 - of another program
                await asyncio.sleep(0.02)
        return self.received

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[WebhookReceiver]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
        self._store(Received(headers, body))
        status = self.statuses.pop(0) if self.statuses else 204
        text = "" if status == 204 else self.text
        reply = f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
        writer.write((reply + text).encode())
        await writer.drain()
        writer.close()

    def _store(self, request: Received) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({"headers": request.headers, "body": request.body}) + "\n")
                file.flush()
                os.fsync(file.fileno())
        self.received.append(request)


def read(path: Path) -> list[Received]:
    """Return what a receiver has written; a line that it was killed in is left out."""
    if not path.exists():
        return []
    lines = path.read_text().split("\n")[:-1]
    return [Received(**json.loads(line)) for line in lines if line.endswith("}")]


async def main(port: int, path: Path) -> None:
    async with WebhookReceiver(path=path, port=port).serving():
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
