"""Requests as bytes to an application behind our HTTP server."""

import asyncio
from typing import Any

from servicekit.http import server as http_server


async def response(app: Any, request: bytes) -> bytes:
    """Return all that comes back until the server ends the connection."""
    async with http_server.serve_http(app, "127.0.0.1", 0, 1) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        try:
            async with asyncio.timeout(5):
                return await reader.read()
        finally:
            writer.close()
