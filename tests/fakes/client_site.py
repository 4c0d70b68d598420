"""The site of a client that is known by its document: real TLS, on this machine."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from auth_service.clients.document_fetcher import DocumentFetcher
from auth_service.domain.oauth.client_documents import MAX_BYTES
from devstack.ports import free_port

HOST: Final = "client.example"


def url(path: str, host: str = HOST) -> str:
    """The client id that is the document at `path`."""
    return f"https://{host}{path}"


def document(path: str, host: str = HOST, **changes: Any) -> dict[str, Any]:
    """A document whose every URL is of the host that serves it."""
    return {
        "client_id": url(path, host),
        "client_name": "Example",
        "client_uri": f"https://{host}/",
        "redirect_uris": [f"https://{host}/callback"],
        **changes,
    }


@dataclass(slots=True)
class ClientSite:
    """The site, a fetcher that reaches it, and the requests that came.

    Every host name leads here. What is in `documents` is served before what the site has of its own;
    a path that begins with `/slow` gets a response when `responses` is set.
    """

    port: int
    elsewhere: int
    """Port of a listener beside the site that must receive no request."""
    trusted: ssl.SSLContext
    requests: list[str] = field(default_factory=list[str])
    cookies: list[str] = field(default_factory=list[str])
    resolved: list[str] = field(default_factory=list[str])
    strays: list[str] = field(default_factory=list[str])
    documents: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    responses: asyncio.Event = field(default_factory=asyncio.Event)

    def fetcher(self) -> DocumentFetcher:
        """The real fetcher, which finds every name at this site and trusts its certificate."""
        return DocumentFetcher(
            MAX_BYTES,
            resolver=self._resolve,
            accepts=lambda _: True,
            verify=self.trusted,
            port=self.port,
        )

    async def requested(self, count: int) -> None:
        """Waits until so many requests have come."""
        async with asyncio.timeout(20):
            while len(self.requests) < count:  # noqa: ASYNC110 - the server has no event for it
                await asyncio.sleep(0.01)

    async def _resolve(self, host: str) -> list[str]:
        self.resolved.append(host)
        return ["127.0.0.1"]

    async def respond(self, request: Request) -> Response:
        path, host = request.url.path, request.headers["host"]
        self.requests.append(path)
        self.cookies.append(request.headers.get("cookie", ""))
        if path.startswith("/slow"):
            await self.responses.wait()
            return JSONResponse(document(path, host))
        if path in self.documents:
            return JSONResponse(self.documents[path])
        return self._documents().get(path, PlainTextResponse("no", 404))

    def _documents(self) -> dict[str, Response]:
        stray = f"127.0.0.1:{self.elsewhere}"
        return {
            "/good": JSONResponse(document("/good"), headers={"Set-Cookie": "a=b"}),
            "/other": JSONResponse(document("/good")),
            "/large": JSONResponse(document("/large", padding="x" * MAX_BYTES)),
            "/list": JSONResponse([document("/list")]),
            "/text": PlainTextResponse("hello"),
            "/gone": JSONResponse(document("/gone"), 404),
            "/away": RedirectResponse(f"http://{stray}/good"),
            "/moved": RedirectResponse(f"http://{stray}/good", 308),
            "/secret": JSONResponse(document("/secret", client_secret="s")),
            "/packed": Response(
                gzip.compress(b" " * 10_000_000),
                headers={"Content-Encoding": "gzip", "Content-Type": "application/json"},
            ),
            "/odd": JSONResponse(
                document("/odd"), headers={"Cache-Control": "max-age=\xb2, max-age=" + "9" * 5000}
            ),
        }


@asynccontextmanager
async def running_client_site(*hosts: str) -> AsyncGenerator[ClientSite]:
    """The site of `HOST` and of further `hosts`, until the block ends."""
    authority: Any = trustme.CA()  # its types are partial
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)

    async def record_stray(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        site.strays.append(str(writer.get_extra_info("peername")))
        writer.close()

    stray = await asyncio.start_server(record_stray, "127.0.0.1", 0)
    site = ClientSite(free_port(), stray.sockets[0].getsockname()[1], trusted)
    config = uvicorn.Config(
        Starlette(routes=[Route("/{path:path}", site.respond)]),
        host="127.0.0.1",
        port=site.port,
        log_config=None,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    config.load()
    config.ssl = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(HOST, *hosts).configure_cert(config.ssl)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    try:
        yield site
    finally:
        site.responses.set()
        server.should_exit = True
        await serving
        stray.close()
