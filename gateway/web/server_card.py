"""The server card and the catalog, by which programs find the service before they connect.

SEP-2127, a draft (github.com/modelcontextprotocol/experimental-ext-server-card): the catalog of a
domain names its cards, a card has the name and the address of a server. Neither lists tools, which depend on
the plan. Readable from every origin without a credential.
"""

import ipaddress
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from fastapi import FastAPI, Response

from gateway.mcp import versions
from gateway.mcp.server_info import ServerInfo

MEDIA_TYPE: Final = "application/mcp-server-card+json"
PATHS: Final = ("/mcp/server-card", "/.well-known/mcp/server-card.json")
"""The place that the draft keeps for cards, and the one that earlier drafts had."""

CATALOG_PATH: Final = "/.well-known/mcp/catalog.json"
_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json"
_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET",
    "Access-Control-Allow-Headers": "Content-Type",
    "Cache-Control": "public, max-age=3600",
}
_API_KEY: Final[Mapping[str, object]] = {
    "name": "Authorization",
    "description": "For programs: a personal API key of the account page. Clients with OAuth send "
    "nothing here and log in instead.",
    "value": "Bearer {api_key}",
    "isRequired": False,
    "isSecret": True,
    "variables": {
        "api_key": {
            "description": "API key; begins with mcp_.",
            "isRequired": True,
            "isSecret": True,
        }
    },
}


class ServerCard:
    """The card of the service at `base_url`, its public origin."""

    def __init__(self, info: ServerInfo, base_url: str) -> None:
        host = urlsplit(base_url).hostname or ""
        name = info.short["name"]
        server = info.server(versions.STATELESS)
        remote = {
            "type": "streamable-http",
            "url": f"{base_url}/mcp",
            "supportedProtocolVersions": versions.SUPPORTED,
            "headers": [_API_KEY],
        }
        self.document: dict[str, Any] = {
            "$schema": _SCHEMA,
            **server,
            "name": f"{_namespace(host)}/{name}",
            "remotes": [remote],
        }
        self.catalog: dict[str, Any] = {
            "specVersion": "draft",
            "entries": [
                {
                    "identifier": f"urn:air:{host}:{name}",
                    "displayName": server["title"],
                    "type": MEDIA_TYPE,
                    "url": f"{base_url}{PATHS[0]}",
                }
            ],
        }

    def add_to(self, app: FastAPI) -> None:
        """Serve the card and the catalog at their paths."""
        for path in PATHS:
            _serve(app, path, self.document, MEDIA_TYPE)
        _serve(app, CATALOG_PATH, self.catalog, "application/json")


def _serve(app: FastAPI, path: str, document: Mapping[str, Any], media_type: str) -> None:
    body = msgspec.json.encode(document)

    async def get() -> Response:
        return Response(body, headers=_HEADERS, media_type=media_type)

    async def preflight() -> Response:
        return Response(status_code=204, headers=_HEADERS)

    app.get(path)(get)
    app.options(path)(preflight)


def _namespace(host: str) -> str:
    """Return the host's name in reverse; an address has none and stands for itself."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ".".join(reversed(host.split(".")))
    return host.replace(":", "-")
