"""The icons of the lists, which clients fetch and show: readable from every origin, and long fresh."""

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI, Response

from gateway.mcp.icons import FILES, MEDIA_TYPE, PATH

_HEADERS: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=86400",
    # A drawing, whoever opens it by its address.
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}


def add_icons(app: FastAPI) -> None:
    """Serve each icon at its path."""
    for name, drawing in FILES.items():
        _serve(app, f"{PATH}/{name}", drawing.encode())


def _serve(app: FastAPI, path: str, body: bytes) -> None:
    async def get() -> Response:
        return Response(body, headers=dict(_HEADERS), media_type=MEDIA_TYPE)

    app.get(path)(get)
