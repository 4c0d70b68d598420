"""A mail server for tests, with the certificate of the test's choice."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_RESPONSES = {
    b"AUTH": b"235 welcome", b"DATA": b"354 go on", b"QUIT": b"221 bye", b"STARTTLS": b"220 go on",
}  # fmt: skip


@dataclass(slots=True)
class FakeMailServer:
    """Accept mails; record the commands and the texts."""

    port: int = 0
    commands: list[bytes] = field(default_factory=list[bytes])
    mails: list[bytes] = field(default_factory=list[bytes])

    async def respond(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        later_tls: ssl.SSLContext | None,
    ) -> None:
        """Serve one connection until QUIT or its end."""
        writer.write(b"220 ready\r\n")
        with suppress(OSError, asyncio.IncompleteReadError):
            while line := await reader.readline():
                command = line.split()[0].upper()
                self.commands.append(command)
                if command == b"EHLO":
                    offered = [b"localhost", b"AUTH PLAIN", b"SMTPUTF8", b"8BITMIME"]
                    offered += [b"STARTTLS"] if later_tls else []
                    writer.write(b"".join(b"250-%b\r\n" % item for item in offered))
                writer.write(_RESPONSES.get(command, b"250 ok") + b"\r\n")
                if command == b"DATA":
                    self.mails.append(await reader.readuntil(b"\r\n.\r\n"))
                    writer.write(b"250 accepted\r\n")
                if command == b"STARTTLS" and later_tls:
                    await writer.drain()
                    await writer.start_tls(later_tls)
                if command == b"QUIT":
                    break
        writer.close()


@asynccontextmanager
async def mail_server(
    security: str, context: ssl.SSLContext | None, port: int = 0, *, offers_starttls: bool = True
) -> AsyncGenerator[FakeMailServer]:
    """Run a mail server on this machine until the block ends."""
    served = FakeMailServer()
    later_tls = context if security == "starttls" and offers_starttls else None

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await served.respond(reader, writer, later_tls)

    direct_tls = context if security == "tls" else None
    server = await asyncio.start_server(handle, "127.0.0.1", port, ssl=direct_tls)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
