"""Asks services whether they are well."""

import asyncio
import http.client
import json
from typing import Any, Final

from servicekit.grpc import client as grpc_client
from servicekit.peer_credentials import PeerCredentials

_NOTHING: Final = PeerCredentials()


def grpc_is_serving(address: str, credentials: PeerCredentials = _NOTHING) -> bool:
    """Return whether the gRPC service at `address` reports that it serves."""

    async def fetch() -> bool:
        async with grpc_client.open_channel(address, credentials=credentials) as channel:
            return await grpc_client.is_serving(channel)

    return asyncio.run(fetch())


def gateway_readiness(address: str) -> dict[str, Any] | None:
    """Return the gateway's `/readyz`, or None when it does not respond."""
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=3)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        body = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return {"ready": response.status == http.HTTPStatus.OK, "parts": body}
