"""A DNS server whose one name has the addresses that a test gives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import dns.flags
import dns.message
import dns.rdatatype
import dns.rrset

HOST: Final = "127.0.0.1"


class Names(asyncio.DatagramProtocol):
    """Responds for every name with the same addresses, with a time to live of 0.

    Attributes:
        addresses: IPv4 addresses in the responses; tests change them.
        lookups: How often addresses of IPv4 were asked for.
        port: Where it listens.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses = addresses
        self.lookups = 0
        self.port = 0
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: Any) -> None:
        query = dns.message.from_wire(data)
        response = dns.message.make_response(query)
        response.flags |= dns.flags.AA | dns.flags.RA
        (wanted,) = query.question
        if wanted.rdtype == dns.rdatatype.A:
            self.lookups += 1
            if self.addresses:
                response.answer = [dns.rrset.from_text(wanted.name, 0, "IN", "A", *self.addresses)]
        if self._transport is not None:
            self._transport.sendto(response.to_wire(), addr)


@asynccontextmanager
async def dns_server(*addresses: str) -> AsyncGenerator[Names]:
    """Respond over UDP until the block ends."""
    loop = asyncio.get_running_loop()
    transport, names = await loop.create_datagram_endpoint(
        lambda: Names(addresses), local_addr=(HOST, 0)
    )
    try:
        yield names
    finally:
        transport.close()
