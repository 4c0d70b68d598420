"""The gateway on a socket for the conformance suite, as the product is or with the fixtures.

The suite sends no credentials, so every request gets the test's own key before the gateway sees it:
no part of the gateway can be told to do without one.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from gateway.app import open_app
from gateway.tools import all_tools
from servicekit.http.server import serve_http
from tests.conformance import fixtures
from tests.conformance.fixtures.notices import trigger_tool_change
from tests.conformance.fixtures.tasks import TASKS
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import settings_for

_FEATURES = principal().entitlements.features
_POLL_SECONDS = 0.05
"""The suite waits less than a second for what subscriptions tell."""


@asynccontextmanager
async def product(backends: Backends, valkey_url: str) -> AsyncGenerator[str]:
    """The product without any fixture; yields its URL."""
    async with _serving(backends, valkey_url) as url:
        yield url


@asynccontextmanager
async def with_fixtures(backends: Backends, valkey_url: str) -> AsyncGenerator[str]:
    """The product and the fixtures on its own dispatcher; yields its URL."""

    has_more = False

    def change_the_plan() -> None:
        nonlocal has_more
        has_more = not has_more
        more = ("conformance",) if has_more else ()
        backends.access.give(KEY, principal(features=(*_FEATURES, *more)))

    tools = (*all_tools(), *fixtures.TOOLS, trigger_tool_change(change_the_plan))
    others = {"tools": tools, "tasks": TASKS, "extend": fixtures.extend}
    async with _serving(backends, valkey_url, **others) as url:
        try:
            yield url
        finally:
            await TASKS.stop()


@asynccontextmanager
async def _serving(backends: Backends, valkey_url: str, **others: Any) -> AsyncGenerator[str]:
    settings = settings_for(
        backends,
        valkey_url,
        subscription_poll_seconds=_POLL_SECONDS,
        credential_ttl_seconds=_POLL_SECONDS,
    )
    async with open_app(settings, **others) as web:

        async def admitted(scope: Any, receive: Any, send: Any) -> None:
            fields = [*scope["headers"], (b"authorization", f"Bearer {KEY}".encode())]
            await web({**scope, "headers": fields}, receive, send)

        async with serve_http(admitted, "127.0.0.1", 0, 5) as port:
            try:
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                web.end_streams()
