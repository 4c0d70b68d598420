"""A gateway with the suite's tools for tasks beside the product's."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from gateway.app import opened
from gateway.settings import GatewaySettings
from gateway.tools import all_tools
from servicekit.http_server import listening
from tests.conformance.fixtures import tasks
from tests.fakes.wire import Wire


@asynccontextmanager
async def serving_tasks(settings: GatewaySettings, key: str) -> AsyncGenerator[str]:
    """The address of the endpoint, at which every request is sent as if with the key."""
    tools = (*all_tools(), *tasks.TOOLS)
    async with opened(settings, tools=tools, tasks=tasks.TASKS, extend=tasks.extend) as web:
        wire = Wire(web)

        async def with_key(scope: Any, receive: Any, send: Any) -> None:
            fields = [*scope["headers"], (b"authorization", f"Bearer {key}".encode())]
            await wire({**scope, "headers": fields}, receive, send)

        async with listening(with_key, "127.0.0.1", 0, 5) as port:
            try:
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                web.end_streams()
                await tasks.TASKS.stop()
        wire.check()
