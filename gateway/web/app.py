"""The web application: `/mcp` straight to its endpoint, the rest through FastAPI."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from gateway.mcp.transport.endpoint import McpEndpoint
from gateway.mcp.transport.http import Receive, Scope, Send
from gateway.web.resource_metadata import ResourceMetadata
from gateway.web.server_card import ServerCard

Check = Callable[[], Awaitable[bool]]


class WebApp:
    """The ASGI application.

    `/mcp` does not pass FastAPI's routing and middleware, which would cost more than the endpoint's
    own work; everything else does.
    """

    def __init__(
        self,
        endpoint: McpEndpoint,
        checks: Mapping[str, Check],
        metadata: ResourceMetadata,
        card: ServerCard,
        end_streams: Callable[[], None],
        spared: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        self._endpoint = endpoint
        self.end_streams = end_streams
        self._pages = _operations(checks, spared)
        metadata.add_to(self._pages)
        card.add_to(self._pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] in ("/mcp", "/mcp/"):
            await self._endpoint(scope, receive, send)
        else:
            await self._pages(scope, receive, send)


def _operations(checks: Mapping[str, Check], spared: Callable[[], Collection[str]]) -> FastAPI:
    """`/healthz`, `/readyz` and `/metrics`.

    Args:
        checks: Return of each part whether it responds.
        spared: Returns the parts without which calls are served for a while.
    """
    app = FastAPI(
        title="Sponsorgraph gateway",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # it would redirect to whatever host the request names
    )

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:  # pyright: ignore[reportUnusedFunction]
        """The process lives."""
        return {"status": "ok"}

    @app.get("/readyz")
    async def readyz() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        """All parts respond; 503 if one does not that cannot be spared."""
        states = await asyncio.gather(*(check() for check in checks.values()))
        parts = {
            name: "ok" if is_up else "down" for name, is_up in zip(checks, states, strict=True)
        }
        down = {name for name, state in parts.items() if state == "down"}
        ready = down <= set(spared())
        status = "not ready" if not ready else "degraded" if down else "ready"
        return JSONResponse({"status": status, "parts": parts}, status_code=200 if ready else 503)

    @app.get("/metrics")
    async def metrics() -> Response:  # pyright: ignore[reportUnusedFunction]
        """Prometheus's text format."""
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return app
