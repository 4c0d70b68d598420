"""Probes of load balancers and monitors, over a real connection."""

from __future__ import annotations

import asyncio

import pytest

from servicekit.http.server import serve_http
from tests.integration.gateway.conftest import OpenGateway


async def response(port: int, method: str, path: str) -> tuple[bytes, bytes]:
    """Head and body of the response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head, body


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/serving", "/metrics"])
async def test_head_of_a_probe_gets_the_status_of_get_without_a_body(
    open_gateway: OpenGateway, path: str
) -> None:
    async with open_gateway() as service, serve_http(service.web, "127.0.0.1", 0, 1) as port:
        head, body = await response(port, "HEAD", path)
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"content-length: " in head
        assert body == b""
        head, body = await response(port, "GET", path)
        assert head.startswith(b"HTTP/1.1 200 ")
        assert body != b""


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_a_probe_changes_nothing(open_gateway: OpenGateway, path: str) -> None:
    async with open_gateway() as service, serve_http(service.web, "127.0.0.1", 0, 1) as port:
        head, _ = await response(port, "POST", path)
        assert head.startswith(b"HTTP/1.1 405 ")
