"""The ASGI application of OAuth endpoints and site."""

import hashlib
from importlib import resources
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auth_service.web import (
    account_routes,
    agent_routes,
    alert_links_routes,
    alerts_routes,
    bulk_imports_routes,
    code_routes,
    consent_routes,
    console_routes,
    device_routes,
    email_routes,
    explore_list_routes,
    explore_routes,
    export_routes,
    follows_routes,
    imports_routes,
    legal_routes,
    lists_routes,
    login_routes,
    mail_routes,
    oauth_routes,
    operator_routes,
    organisation_routes,
    passkey_routes,
    plans_routes,
    provider_routes,
    report_routes,
    two_factor_routes,
    usage_routes,
)
from auth_service.web.page_request import get
from auth_service.web.pages import HEADERS, HTMX
from auth_service.web.site import Site
from servicekit.errors import NotFound
from servicekit.web.style import smaller, style_sheet
from servicekit.web.views import VIEWS, shadow_style, view_script

_CACHED: Final = {**HEADERS, "Cache-Control": "public, max-age=3600"}
_MIN_COMPRESSED: Final = 1_000
_TYPES: Final = {"css": "text/css", "js": "text/javascript"}


class _Static(StaticFiles):
    async def get_response(self, path: str, scope: object) -> Response:
        response = await super().get_response(path, scope)  # pyright: ignore[reportArgumentType]
        response.headers.update(_CACHED)
        return response


class _Anything(PathConvertor):
    """Match every path: Starlette's own "path" ends at a line break."""

    regex = r"[\s\S]*"


register_url_convertor("anything", _Anything())


class _MadeFile:
    """Serve a file that is put together here, with a validator as files have one."""

    def __init__(self, static: StaticFiles, text: str, media_type: str) -> None:
        self._body = text.encode()
        self._type = media_type
        digest = hashlib.sha256(self._body).hexdigest()[:32]
        self._headers = {**_CACHED, "ETag": f'"{digest}"'}
        self._static = static

    async def get(self, request: Request) -> Response:
        response = Response(self._body, 200, self._headers, self._type)
        if self._static.is_not_modified(response.headers, Headers(scope=request.scope)):
            return NotModifiedResponse(response.headers)
        return response


class _NoSniffMiddleware:
    """Add `X-Content-Type-Options: nosniff` to every response (ASVS 5.0, 3.4.4)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        await self._app(scope, receive, send_with_header)


def http_app(site: Site) -> Starlette:
    """Return the application: OAuth endpoints, site, static files and health check."""
    route_groups = (
        consent_routes.routes(site),  # before the endpoints for programs, which match all of /oauth
        oauth_routes.routes(site.oauth),
        device_routes.routes(site),
        login_routes.routes(site),
        mail_routes.routes(site),
        code_routes.routes(site),  # before the providers, which match /login/…
        provider_routes.routes(site),
        account_routes.routes(site),
        export_routes.routes(site),
        usage_routes.routes(site),
        two_factor_routes.routes(site),
        passkey_routes.routes(site),
        organisation_routes.routes(site),
        email_routes.routes(site),
        imports_routes.routes(site),
        bulk_imports_routes.routes(site),
        follows_routes.routes(site),
        lists_routes.routes(site),
        report_routes.routes(site),
        console_routes.routes(site),
        explore_list_routes.routes(site),
        explore_routes.routes(site),
        alerts_routes.routes(site),
        alert_links_routes.routes(site),
        plans_routes.routes(site),
        legal_routes.routes(site),
        operator_routes.routes(site),
        agent_routes.routes(site),
        _file_routes(),
        [get(site, "/{path:anything}", _not_found)],
    )
    routes: list[BaseRoute] = [route for route_group in route_groups for route in route_group]
    app = Starlette(routes=routes, middleware=[Middleware(_NoSniffMiddleware)])
    app.router.redirect_slashes = False
    return app


def _file_routes() -> list[BaseRoute]:
    folder = Path(str(resources.files("auth_service.web") / "static"))
    static = _Static(directory=folder, packages=[("servicekit.web", "static")])
    made = {"site.css": style_sheet(_own("site.css")), "explore.css": smaller(_own("explore.css"))}
    for name in VIEWS:
        made[f"views/{name}.js"] = view_script(name, "page_host.js")
        made[f"views/{name}.css"] = smaller(shadow_style(name))
    files: list[BaseRoute] = [
        Route("/htmx.min.js", _htmx),
        *(
            Route(f"/{name}", _MadeFile(static, text, _TYPES[name.rpartition(".")[2]]).get)
            for name, text in made.items()
        ),
        Mount("/", static),
    ]
    # Pages are not compressed: their length would tell of the secrets in their forms (BREACH). Files have none.
    compression = [Middleware(GZipMiddleware, minimum_size=_MIN_COMPRESSED)]
    return [
        Route("/healthz", _healthz),
        Mount("/static", routes=files, middleware=compression),
        Route("/robots.txt", _robots),
    ]


def _own(name: str) -> str:
    return resources.files("auth_service.web").joinpath(name).read_text(encoding="utf-8")


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def _htmx(_request: Request) -> Response:
    return Response(HTMX.read_bytes(), 200, _CACHED, "text/javascript")


async def _robots(_request: Request) -> Response:
    lines = "User-agent: *\nDisallow: /account\nDisallow: /console\nDisallow: /explore\nDisallow: /oauth\nDisallow: /operator\n"
    return PlainTextResponse(lines, headers=_CACHED)


async def _not_found(_page: object) -> Response:
    raise NotFound("There is no such page.")
