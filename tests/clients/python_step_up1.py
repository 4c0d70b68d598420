"""The Python SDK 1.x reads, imports and reads again; the import needs more consent than the login got.

Runs in an environment of its own: `mcp` 1.x and 2.x cannot be installed together. What it opens in the
browser goes out as a line "OPEN url"; the callback URL comes back as a line.
"""

import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

CALLBACK = "http://localhost:3030/callback"
SEARCH = {"search": "nordvpm", "limit": 3}


class InMemoryTokenStorage(TokenStorage):
    """As in the SDK's documentation."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client_info: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client_info = client_info


async def main(url: str, channel: str) -> None:
    requested: list[str] = []

    async def open_browser(authorize_url: str) -> None:
        requested.append(parse_qs(urlsplit(authorize_url).query)["scope"][0])
        sys.stdout.write(f"OPEN {authorize_url}\n")
        sys.stdout.flush()

    async def callback() -> tuple[str, str | None]:
        line = await anyio.to_thread.run_sync(sys.stdin.readline)
        query = parse_qs(urlsplit(line.strip()).query)
        return query["code"][0], query["state"][0]

    storage = InMemoryTokenStorage()
    provider = OAuthClientProvider(
        url,
        OAuthClientMetadata(client_name="Python SDK 1", redirect_uris=[AnyUrl(CALLBACK)]),
        storage,
        open_browser,
        callback,
    )
    async with (
        streamablehttp_client(url, auth=provider) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return (await session.call_tool(name, arguments)).structuredContent

        first = await call("sponsor.search", SEARCH)
        imported = await call("channel.import", {"channel": channel})
        again = await call("sponsor.search", SEARCH)
    summary = {
        "found": [found["sponsors"][0]["name"] for found in (first, again)],
        "imported": imported["state"],
        "requested": requested,
        "scope": storage.tokens.scope if storage.tokens else None,
    }
    sys.stdout.write(json.dumps(summary) + "\n")


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
