"""Render pages from templates, with security headers (OWASP ASVS 5.0, chapter 3.4)."""

from dataclasses import dataclass
from datetime import date, datetime
from importlib import metadata, resources
from typing import Any, Final

from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from servicekit.web.documents import PageParts, page

_VERSION: Final = metadata.version("sponsorgraph")
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every response of the site."""

HTMX: Final = resources.files("django_htmx") / "static" / "django_htmx" / "htmx-2.min.js"
"""The only part of that package that is used: PyPI has HTMX in no other form."""

_FRAME: Final = page(
    PageParts(
        title="{% block title %}{% endblock %} · Sponsorgraph",
        head="{% block site_head %}{% endblock %}",
        icon="/static/icon.svg",
        home="/",
        navigation="{% block navigation %}{% endblock %}",
        subnavigation="{% block account_nav %}{% endblock %}",
        main_class="{% block main_class %}{% endblock %}",
        content="{% block main %}{% endblock %}",
        version="{{ version }}",
        legal="{% block legal %}{% endblock %}",
        end="{% block end %}{% endblock %}",
    )
)
"""The template that all extend: the frame of the pages of every service, with blocks for its parts."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Render templates, which show `site_url` and `mcp_url`."""

    site_url: str
    mcp_url: str
    environment: Environment

    def render(
        self,
        template: str,
        context: dict[str, Any],
        status: int = 200,
        *,
        leaves_site: bool = False,
        cache: str = "no-store",
        picture_host: str = "",
    ) -> HTMLResponse:
        """Render a page.

        Args:
            template: File name in `templates`.
            context: Variables of the template.
            status: HTTP status.
            leaves_site: True if its forms may redirect to another site. Browsers apply
                `form-action` to every redirect that follows a form, including that to the OAuth
                client, so such pages omit it.
            cache: Value of Cache-Control.
            picture_host: An origin beside the site that the page shows pictures of; none if it is empty.
        """
        body = self.environment.get_template(template).render(
            site_url=self.site_url, mcp_url=self.mcp_url, version=_VERSION, **context
        )
        allowed = _POLICY.replace("img-src 'self'", f"img-src 'self' {picture_host}".rstrip())
        policy = allowed if leaves_site else f"{allowed}; form-action 'self'"
        headers = {**HEADERS, "Content-Security-Policy": policy, "Cache-Control": cache}
        if self.site_url.startswith("https://"):
            headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
        return HTMLResponse(body, status, headers)


def pages(site_url: str, mcp_url: str) -> Pages:
    """Return a renderer of the templates beside this file; an undefined name in one is an error."""
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("auth_service.web"), DictLoader({"frame.html": _FRAME})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "day": _day,
        "moment": _moment,
        "iso": _iso,
        "thousands": _thousands,
    }
    return Pages(site_url, mcp_url, environment)


def _day(moment: date) -> str:
    return f"{moment.day} {moment:%b %Y}"


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def _thousands(number: int) -> str:
    return f"{number:,}"


def _iso(moment: date | datetime) -> str:
    return moment.isoformat()
