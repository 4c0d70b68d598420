"""Asks services whether they are well."""

import asyncio
from typing import Final

from servicekit.grpc import client as grpc_client
from servicekit.peer_credentials import PeerCredentials

_NOTHING: Final = PeerCredentials()


def grpc_is_serving(address: str, credentials: PeerCredentials = _NOTHING) -> bool:
    """Return whether the gRPC service at `address` reports that it serves."""

    async def fetch() -> bool:
        async with grpc_client.open_channel(address, credentials=credentials) as channel:
            return await grpc_client.is_serving(channel)

    return asyncio.run(fetch())
