"""Clients known by their documents: fetched over real TLS, from one address, and no further."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest
import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from auth_service.clients.client_documents import ClientDocuments
from auth_service.clients.document_fetcher import DocumentFetcher
from auth_service.domain.oauth.client_documents import MAX_BYTES
from local_stack.ports import free_port

HOST = "client.example"


@dataclass(slots=True)
class ClientSite:
    """The site of a client, and what it was asked."""

    documents: ClientDocuments
    asked: list[str] = field(default_factory=list[str])
    cookies: list[str] = field(default_factory=list[str])
    resolved: list[str] = field(default_factory=list[str])

    async def find(self, path: str) -> Any:
        return await asyncio.to_thread(self.documents.find, f"https://{HOST}{path}")


def document(path: str, **changes: Any) -> dict[str, Any]:
    return {
        "client_id": f"https://{HOST}{path}",
        "client_name": "Example",
        "redirect_uris": [f"https://{HOST}/callback"],
        **changes,
    }


@pytest.fixture
async def site() -> AsyncGenerator[ClientSite]:
    authority: Any = trustme.CA()  # its types are partial
    port = free_port()
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    found: ClientSite

    async def resolver(host: str) -> list[str]:
        found.resolved.append(host)
        return ["127.0.0.1"]

    async def answer(request: Request) -> Response:
        path = request.url.path
        found.asked.append(path)
        found.cookies.append(request.headers.get("cookie", ""))
        answers: dict[str, Response] = {
            "/good": JSONResponse(document("/good"), headers={"Set-Cookie": "a=b"}),
            "/other": JSONResponse(document("/good")),
            "/large": JSONResponse(document("/large", padding="x" * MAX_BYTES)),
            "/list": JSONResponse([document("/list")]),
            "/text": PlainTextResponse("hello"),
            "/away": RedirectResponse("/good"),
            "/secret": JSONResponse(document("/secret", client_secret="s")),
            "/metadata": RedirectResponse("http://169.254.169.254/latest/meta-data/"),
            "/loopback": RedirectResponse("https://127.0.0.1/good"),
            "/packed": Response(
                gzip.compress(b" " * 10_000_000),
                headers={"Content-Encoding": "gzip", "Content-Type": "application/json"},
            ),
            "/odd": JSONResponse(
                document("/odd"), headers={"Cache-Control": "max-age=\xb2, max-age=" + "9" * 5000}
            ),
        }
        return answers.get(path, PlainTextResponse("no", 404))

    fetcher = DocumentFetcher(
        MAX_BYTES, resolver=resolver, accepts=lambda _: True, verify=trusted, port=port
    )
    found = ClientSite(ClientDocuments(fetcher, asyncio.get_running_loop()))
    config = uvicorn.Config(
        Starlette(routes=[Route("/{path:path}", answer)]),
        host="127.0.0.1",
        port=port,
        log_config=None,
        lifespan="off",
    )
    config.load()
    config.ssl = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(HOST).configure_cert(config.ssl)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    yield found
    server.should_exit = True
    await serving


async def test_a_client_is_known_by_its_document_which_is_kept(site: ClientSite) -> None:
    for _ in range(3):
        client = await site.find("/good")
        assert client.metadata.client_name == "Example"
        assert client.verified
    assert site.asked == ["/good"]
    assert site.resolved == [HOST]


@pytest.mark.parametrize(
    "path",
    [
        "/other", "/large", "/list", "/text", "/away", "/secret", "/nowhere", "/metadata",
        "/loopback", "/packed",
    ],
)  # fmt: skip
async def test_what_is_not_fit_is_no_client_and_is_asked_again(site: ClientSite, path: str) -> None:
    for _ in range(2):
        assert await site.find(path) is None
    assert site.asked == [path, path]
    assert set(site.cookies) == {""}


async def test_a_lifetime_that_is_no_number_is_the_usual_one(site: ClientSite) -> None:
    for _ in range(2):
        assert await site.find("/odd") is not None
    assert site.asked == ["/odd"]
