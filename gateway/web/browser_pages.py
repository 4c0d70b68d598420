"""Pages for people who open an address of programs in a browser.

They are whole in themselves: at a deployment's origin only `/mcp` leads here, so a style sheet beside it would
not. The style is inline and admitted by its hash.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from string import Template
from typing import Final
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exception_handlers import http_exception_handler
from starlette.exceptions import HTTPException

from gateway.mcp.transport.accept import prefers_html
from servicekit.web.documents import ICON, PageParts, page
from servicekit.web.style import style_sheet

_HTML: Final = "text/html"


class BrowserPages:
    """The page about the service at its MCP address, and the page for addresses that are none."""

    def __init__(self, base_url: str, site_url: str, version: str) -> None:
        style = style_sheet(_read("page.css"))
        values = {
            "style": style,
            "mcp_url": escape(f"{base_url}/mcp"),
            "site_url": escape(site_url),
            "version": escape(version),
        }
        self._about = _page("about.html", values)
        self._not_found = _page("not_found.html", values)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self._headers = {
            "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Cache-Control": "no-store",
            "Vary": "Accept",
        }
        if base_url.startswith("https://"):
            self._headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"

    def _about_service(self) -> Response:
        return Response(self._about, 200, self._headers, _HTML)

    def add_to(self, app: FastAPI) -> None:
        """Serve the page at `/` and at `/mcp`, and the other one for addresses that are none.

        Of the requests at `/mcp`, only those of browsers come here.
        """

        async def index(request: Request) -> Response:
            if prefers_html(request.headers.get("accept", "")):
                return self._about_service()
            raise HTTPException(404)

        async def not_found(request: Request, error: Exception) -> Response:
            if request.method in ("GET", "HEAD") and prefers_html(
                request.headers.get("accept", "")
            ):
                return Response(self._not_found, 404, self._headers, _HTML)
            return await http_exception_handler(request, _http_error(error))

        for path in ("/", "/mcp", "/mcp/"):
            app.api_route(path, methods=["GET", "HEAD"])(index)
        app.add_exception_handler(404, not_found)


def _http_error(error: Exception) -> HTTPException:
    return error if isinstance(error, HTTPException) else HTTPException(404)


def _page(name: str, values: Mapping[str, str]) -> str:
    return page(
        PageParts(
            title="Sponsorgraph, an address for AI clients",
            head=f'<meta name="robots" content="noindex">\n<style>{values["style"]}</style>',
            icon=f"data:image/svg+xml,{quote(ICON.read_text(encoding='utf-8'))}",
            home=f"{values['site_url']}/",
            navigation=_fill("navigation.html", values),
            content=_fill(name, values),
            version=values["version"],
        )
    )


def _fill(name: str, values: Mapping[str, str]) -> str:
    return Template(_read(name)).substitute(values).rstrip()


def _read(name: str) -> str:
    return files("gateway.web").joinpath("pages", name).read_text(encoding="utf-8")
