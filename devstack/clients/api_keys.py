"""Asks a gateway what it says to an API key."""

import http.client
import json
from typing import Final

KEY_UNKNOWN: Final = "KEY_UNKNOWN"
REPLACEABLE: Final = frozenset({KEY_UNKNOWN, "KEY_REVOKED", "KEY_EXPIRED"})
"""The reasons of a refusal after which another key of the account works."""

_PING: Final = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


def refusal_of(address: str, api_key: str) -> str:
    """Return the reason for which the gateway at `address` refuses a key; empty if it does not, or does not respond."""
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/mcp", _PING, headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != http.HTTPStatus.UNAUTHORIZED:
            return ""
        return str(json.loads(body)["error"]["data"]["reason"])
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return ""
    finally:
        connection.close()
