"""Icons: one for the service as a data: URI, and a plain glyph for each family of tools by its address.

A list repeats the glyphs with every entry; by address a client fetches each once. Revisions before 2025-11-25
have no icons.
"""

from typing import Final
from urllib.parse import quote

from gateway.mcp import versions

Icons = list[dict[str, object]]

MEDIA_TYPE: Final = "image/svg+xml"

_FRAME: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0b705c" '
    'stroke-width="2" stroke-linejoin="round">{}</svg>'
)
_GLYPHS: Final = {
    "sponsor": '<path d="M3 12V4h8l10 10-8 8z"/><circle cx="7.5" cy="8.5" r="1"/>',
    "youtuber": '<rect x="3" y="5" width="18" height="14" rx="3"/><path d="M10 9v6l5-3z"/>',
    "video": '<path d="M3 5h18v14H3zM3 9h18M8 5 6 9m7-4-2 4m7-4-2 4"/>',
    "code": '<path d="M3 7h18v4a2 2 0 0 0 0 4v4H3v-4a2 2 0 0 0 0-4zM9 10v6m6-6v6"/>',
    "category": '<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z"/>',
    "catalog": '<path d="M4 6v12c0 4 16 4 16 0V6M4 6c0 4 16 4 16 0S4 2 4 6zm0 6c0 4 16 4 16 0"/>',
    "channel": '<path d="M12 3v12m-5-5 5 5 5-5M4 20h16"/>',
    "list": '<path d="M9 6h12M9 12h12M9 18h12M4 6h.01M4 12h.01M4 18h.01"/>',
    "watch": '<path d="M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4"/>',
    "sponsorship": '<path d="M5 21V4h13l-3 4 3 4H5"/>',
    "account": '<circle cx="12" cy="8" r="4"/><path d="M4 21c1-9 15-9 16 0"/>',
}
_LOGO: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" '
    'rx="8" fill="#0b705c"/><path d="M9.5 21.5 15 10.5 23 14.5M9.5 21.5H21" fill="none" '
    'stroke="#a9e6d4" stroke-width="2"/><g fill="#fff"><circle cx="15" cy="10.5" r="4"/>'
    '<circle cx="9.5" cy="21.5" r="3"/><circle cx="23" cy="14.5" r="2"/>'
    '<circle cx="21" cy="21.5" r="2"/></g></svg>'
)


def _listed(source: str) -> Icons:
    return [{"src": source, "mimeType": MEDIA_TYPE, "sizes": ["any"]}]


SERVER: Final = _listed(f"data:{MEDIA_TYPE},{quote(_LOGO)}")
PATH: Final = "/mcp/icons"
FILES: Final = {f"{family}.svg": _FRAME.format(glyph) for family, glyph in _GLYPHS.items()}
"""The glyphs by the name under which the gateway serves them below `PATH`."""


class FamilyIcons:
    """The icons of families, served at `base_url`."""

    def __init__(self, base_url: str) -> None:
        self._by_family = {family: _listed(f"{base_url}{PATH}/{family}.svg") for family in _GLYPHS}

    def of(self, name: str) -> Icons:
        """Return the icon of what is named after a family, such as "sponsor.get" or "sponsor"."""
        return self._by_family.get(name.replace("_", ".").partition(".")[0], [])


def are_known_to(revision: str) -> bool:
    """Return whether this revision has icons."""
    return revision >= versions.WITH_ICONS
