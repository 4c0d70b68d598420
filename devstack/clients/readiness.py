"""Asks a gateway whether it is ready."""

import http.client
import json
from typing import Any


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
