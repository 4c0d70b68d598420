"""The pages of terms and privacy, from the operator's Markdown or the texts beside this file."""

from dataclasses import dataclass
from importlib import resources
from typing import Final

from markdown_it import MarkdownIt
from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.page_request import PageRequest, get
from auth_service.web.plans_routes import contact_link
from auth_service.web.site import LegalTexts, Site

_TABLE_BEGIN: Final = '<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>'
_TEXTS: Final = resources.files("auth_service.web") / "texts"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long records stay, as the settings say; 0 days of audit log means for ever."""

    usage_entry_days: int
    audit_log_days: int


def legal_texts(terms: str, privacy: str, retention: Retention, *, sells: bool) -> LegalTexts:
    """Return both texts as HTML; the software's own where the operator has given none."""
    return LegalTexts(
        _html(terms or _default("terms.md")),
        _html(privacy or _privacy(retention, sells=sells)),
        terms_are_own=bool(terms),
        privacy_is_own=bool(privacy),
    )


def routes(site: Site) -> list[Route]:
    """Return the routes of both pages."""
    return [get(site, "/terms", _terms), get(site, "/privacy", _privacy_page)]


def _html(markdown: str) -> str:
    """Render Markdown; HTML in it stays text, and links of other schemes than the web's do, too."""
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    # A wide table scrolls by itself, also by keyboard. Only the renderer writes these tags.
    return html.replace("<table>", _TABLE_BEGIN).replace("</table>", "</table></div>")


def _default(name: str) -> str:
    return (_TEXTS / name).read_text(encoding="utf-8")


def _privacy(retention: Retention, *, sells: bool) -> str:
    days = retention.audit_log_days
    text = _default("privacy.md")
    for name, value in {
        "{usage_entry_days}": str(retention.usage_entry_days),
        "{audit_log}": f"for {days} days" if days else "without an end",
        "{payments}": _default("payments.md") if sells else "",
    }.items():
        text = text.replace(name, value)
    return text


async def _terms(page: PageRequest) -> Response:
    legal = page.site.legal
    return _render(page, "Terms", legal.terms_html, is_own=legal.terms_are_own)


async def _privacy_page(page: PageRequest) -> Response:
    legal = page.site.legal
    return _render(page, "Privacy", legal.privacy_html, is_own=legal.privacy_is_own)


def _render(page: PageRequest, heading: str, html: str, *, is_own: bool) -> Response:
    return page.render(
        "legal.html",
        heading=heading,
        html=html,
        is_own=is_own,
        contact=contact_link(page.site.contact),
    )
