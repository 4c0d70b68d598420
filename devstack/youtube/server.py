"""The stand-in as an ASGI application: it counts, fails on demand, and answers as YouTube does."""

import json
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from devstack.youtube import faults as failing
from devstack.youtube import payloads, site
from devstack.youtube.api import PARTS, Api, Refused, Units
from devstack.youtube.catalogue import Catalogue, MadeChannel
from devstack.youtube.faults import Fault

DAILY_UNITS: Final = 10_000
_REMEMBERED: Final = 1_000


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request that came."""

    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]


def _now() -> datetime:
    return datetime.now(UTC)


class _Escaped(JSONResponse):
    """JSON whose characters beyond ASCII are escaped, so that it may hold what is no text."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


class YouTube:
    """The stand-in, an ASGI application for uvicorn.

    Args:
        catalogue: What it shows.
        daily_units: Units of the API a day.
        keys: API keys that are taken; None takes any.
        clock: Tells when a day ends.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        daily_units: int = DAILY_UNITS,
        keys: Collection[str] | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self.faults: list[Fault] = []
        self.delay = 0.0
        """Seconds before every response."""
        self.requests: Counter[str] = Counter()
        """The number of requests of each path, failures included."""
        self.received: deque[ReceivedRequest] = deque(maxlen=_REMEMBERED)
        self._api = Api(catalogue, Units(daily_units, clock), keys)
        api = [Route(f"/youtube/v3/{name}", self._query, name=name) for name in PARTS]
        self._app = Starlette(
            routes=[
                *api,
                Route("/feeds/videos.xml", self._feed),
                Route("/watch", self._watch),
                Route("/channel/{name}", self._channel_page),
                Route("/user/{name}", self._user_page),
                Route("/c/{name}", self._user_page),
                Route("/@{name}", self._handle_page),
            ]
        )

    @property
    def catalogue(self) -> Catalogue:
        """Return the catalogue that it shows."""
        return self._api.catalogue

    def show(self, catalogue: Catalogue) -> None:
        """Show another catalogue from now on."""
        self._api.catalogue = catalogue

    @property
    def units(self) -> Units:
        """The units of the day."""
        return self._api.units

    def begin_again(self, catalogue: Catalogue) -> None:
        """Show another catalogue; what was asked, spent and to fail is forgotten."""
        self.show(catalogue)
        self.units.used = 0
        self.delay = 0.0
        for memory in (self.faults, self.requests, self.received):
            memory.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path: str = scope["path"]
        request = Request(scope)
        self.requests[path] += 1
        self.received.append(
            ReceivedRequest(path, dict(request.query_params), dict(request.headers))
        )
        if self.delay:
            await failing.wait(self.delay, receive)
        fault = failing.take(self.faults, path)
        if fault is not None and fault.kind == "drop":
            await failing.drop(receive, send)
            return
        if fault is not None and fault.kind == "delay":
            await failing.wait(fault.seconds, receive)
        await self._app_for(fault)(scope, receive, send)

    def _app_for(self, fault: Fault | None) -> ASGIApp:
        if fault is None or fault.kind == "delay":
            return self._app
        if fault.kind == "truncate":
            return failing.truncating(self._app)
        if fault.kind == "garbage":
            return PlainTextResponse("<html><p>not what you asked for", headers=fault.headers)
        if fault.kind == "reason":
            return JSONResponse(
                payloads.error(fault.status, fault.reason), fault.status, headers=fault.headers
            )
        return PlainTextResponse("", fault.status, headers=fault.headers)

    async def _query(self, request: Request) -> Response:
        params = dict(request.query_params)
        key = request.headers.get("x-goog-api-key") or params.get("key")
        try:
            return _Escaped(self._api.query(request.url.path.rpartition("/")[2], params, key))
        except Refused as refused:
            return JSONResponse(refused.payload, refused.status)

    async def _feed(self, request: Request) -> Response:
        channel = self.catalogue.by_id(request.query_params.get("channel_id", ""))
        if channel is None:
            return PlainTextResponse("Error 404 (Not Found)", 404)
        return Response(site.feed(channel), media_type="text/xml; charset=UTF-8")

    async def _watch(self, request: Request) -> Response:
        found = self.catalogue.video(request.query_params.get("v", ""))
        return HTMLResponse(site.video_page(*found) if found else site.no_video_page())

    async def _channel_page(self, request: Request) -> Response:
        return _page(self.catalogue.by_id(request.path_params["name"]))

    async def _user_page(self, request: Request) -> Response:
        return _page(self.catalogue.by_username(request.path_params["name"]))

    async def _handle_page(self, request: Request) -> Response:
        return _page(self.catalogue.by_handle(request.path_params["name"]))


def _page(channel: MadeChannel | None) -> Response:
    if channel is None:
        return HTMLResponse("<html><title>404 Not Found</title></html>", 404)
    return HTMLResponse(site.channel_page(channel))
