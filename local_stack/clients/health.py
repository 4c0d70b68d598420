"""Asks services whether they are well."""

import asyncio
import http.client
import json
from typing import Any

from servicekit import grpc_client


def grpc_is_serving(address: str, tls_folder: str = "") -> bool:
    """Whether the gRPC service at `address` says that it serves."""

    async def ask() -> bool:
        async with grpc_client.open_channel(address, tls_folder=tls_folder) as channel:
            return await grpc_client.is_serving(channel)

    return asyncio.run(ask())


def gateway_readiness(address: str) -> dict[str, Any] | None:
    """What the gateway's `/readyz` says, or None when it does not answer."""
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
