"""The Python SDK connects by OAuth from nothing but the URL; a person logs in and approves."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.clients.oauth import query_of
from tests.clients.person import Person


class GenerationStore(TokenStorage):
    """Keeps tokens and the client of one test."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@asynccontextmanager
async def connected(
    url: str,
    person: Person,
    *,
    memory: GenerationStore | None = None,
    scope: str | None = None,
    mode: Any = "auto",
    trust: ssl.SSLContext | None = None,
) -> AsyncGenerator[Client]:
    """The SDK's client at `url`; `person` answers what it opens in the browser."""
    landed: dict[str, str] = {}

    async def open_browser(authorize_url: str) -> None:
        landed.update(query_of(await person.decide(authorize_url)))

    async def callback() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(
            code=landed["code"], state=landed["state"], iss=landed["iss"]
        )

    metadata = OAuthClientMetadata(
        client_name="Python SDK",
        redirect_uris=[AnyUrl("http://localhost:3030/callback")],
        scope=scope,
    )
    provider = OAuthClientProvider(
        url, metadata, memory or GenerationStore(), open_browser, callback
    )
    verify = True if trust is None else trust
    async with httpx2.AsyncClient(auth=provider, timeout=60, verify=verify) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def call_tool(
    url: str, person: Person, tool: str, arguments: dict[str, Any], **how: Any
) -> dict[str, Any]:
    """Connects to `url`, lists the tools and calls one: `tools` by name and the `result`."""
    async with connected(url, person, **how) as client:
        tools = [item.name for item in (await client.list_tools()).tools]
        result = await client.call_tool(tool, arguments)
    return {"tools": tools, "result": result.model_dump(mode="json", by_alias=True)}
