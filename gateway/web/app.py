"""Pages of the gateway beside its endpoint, by FastAPI: health, metrics, documents for programs and for people."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Final, Protocol, TypeVar

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from gateway.web.browser_pages import BrowserPages
from gateway.web.icons import add_icons

Check = Callable[[], Awaitable[bool]]
Reason = Callable[[], Awaitable[str | None]]
"""Says why a part is down; None if that is not known."""

T = TypeVar("T")

_READ_METHODS: Final = ["GET", "HEAD"]
"""Load balancers probe by HEAD, too (RFC 9110 section 9.3.2)."""

_NOT_READY: Final = "not ready"
_DOWN: Final = "down"
_CHECK_SECONDS: Final = 1.0
"""Longest that a part is waited for: balancers give a probe a few seconds."""


async def _always() -> bool:
    return True


class Documents(Protocol):
    """Documents for programs, which are served at paths of their own."""

    def add_to(self, app: FastAPI) -> None: ...


def open_pages(
    checks: Mapping[str, Check],
    documents: Iterable[Documents],
    browser_pages: BrowserPages,
    tolerated_outages: Callable[[], Collection[str]] = frozenset,
    serves: Check = _always,
    reasons: Mapping[str, Reason] | None = None,
) -> FastAPI:
    """Build the pages.

    Args:
        checks: Report for each part whether it responds.
        documents: Documents for programs.
        browser_pages: Pages for people, also at the endpoint's own address.
        tolerated_outages: Returns the parts without which calls are served for a while.
        serves: Reports whether this process itself serves, whatever is away.
        reasons: Say of parts why they are down.
    """
    app = FastAPI(
        title="Sponsorgraph gateway",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # it would redirect to whatever host the request names
    )

    @app.api_route("/healthz", methods=_READ_METHODS)
    async def healthz() -> dict[str, str]:  # pyright: ignore[reportUnusedFunction]
        """Report that the process lives."""
        return {"status": "ok"}

    readiness = _Readiness(checks, tolerated_outages)
    known_reasons = reasons or {}

    @app.api_route("/readyz", methods=_READ_METHODS)
    async def readyz() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        """Report each part, and why it is down where that is known; 503 if one does not respond whose outage is not tolerated."""
        status, parts = await readiness.report()
        code = 503 if status == _NOT_READY else 200
        content: dict[str, object] = {"status": status, "parts": parts}
        why = await _why_down(parts, known_reasons)
        return JSONResponse({**content, "reasons": why} if why else content, status_code=code)

    @app.api_route("/healthz/serving", methods=_READ_METHODS)
    async def serving() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        """Report whether callers are to be sent here: once ready, until this process itself fails.

        While a part is away all gateways lack it. They tell callers what to do, which an edge that
        has taken all of them out cannot.
        """
        if not readiness.was_ready:
            await readiness.report()
        is_serving = readiness.was_ready and await serves()
        status = "serving" if is_serving else "not serving"
        return JSONResponse({"status": status}, status_code=200 if is_serving else 503)

    @app.api_route("/metrics", methods=_READ_METHODS)
    async def metrics() -> Response:  # pyright: ignore[reportUnusedFunction]
        """Return the metrics in Prometheus's text format."""
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    for published in documents:
        published.add_to(app)
    add_icons(app)
    browser_pages.add_to(app)
    return app


async def _in_time(check: Callable[[], Awaitable[T]], otherwise: T) -> T:
    """Return what the check says, the other value when it says nothing in time."""
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return otherwise


async def _why_down(parts: Mapping[str, str], reasons: Mapping[str, Reason]) -> dict[str, str]:
    """Return why parts are down, of those of which it is known."""
    down = [name for name, state in parts.items() if state == _DOWN and name in reasons]
    found = await asyncio.gather(*(_in_time(reasons[name], None) for name in down))
    return {name: why for name, why in zip(down, found, strict=True) if why is not None}


class _Readiness:
    """The state of the parts.

    Attributes:
        was_ready: Whether all parts without which nothing is served have responded at some time.
    """

    def __init__(
        self, checks: Mapping[str, Check], tolerated_outages: Callable[[], Collection[str]]
    ) -> None:
        self._checks = checks
        self._tolerated_outages = tolerated_outages
        self.was_ready = False

    async def report(self) -> tuple[str, Mapping[str, str]]:
        """Return the state of the whole, and of each part."""
        states = await asyncio.gather(*(_in_time(check, False) for check in self._checks.values()))
        parts = {
            name: "ok" if is_up else _DOWN for name, is_up in zip(self._checks, states, strict=True)
        }
        down = {name for name, state in parts.items() if state == _DOWN}
        if not down <= set(self._tolerated_outages()):
            return _NOT_READY, parts
        self.was_ready = True
        return "degraded" if down else "ready", parts
