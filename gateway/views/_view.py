"""A view: its facts, and its document made of the parts that views share and its own script."""

import html
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

MIME_TYPE: Final = "text/html;profile=mcp-app"

_SHARED: Final = ("bridge.js", "dom.js")
_DOCUMENT: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main id="view" data-view="{name}" aria-label="{title}" aria-busy="true">
<p class="waiting" role="status">Waiting for the answer…</p>
</main>
<script>
(() => {{
"use strict";
{script}}})();
</script>
</body>
</html>
"""


@dataclass(frozen=True)
class View:
    """A view of the answers of some tools.

    Attributes:
        name: The last part of its URI.
        title: For people.
        description: What it shows.
        tools: Dotted names of the tools whose answers it shows.
        scripts: Files in `parts/` with its own part of the document.
    """

    name: str
    title: str
    description: str
    tools: tuple[str, ...]
    scripts: tuple[str, ...]

    @property
    def uri(self) -> str:
        return f"ui://sponsorgraph/{self.name}"

    @property
    def meta(self) -> dict[str, Any]:
        """`_meta` of the resource: the view needs nothing from any domain, and no permission."""
        csp: dict[str, list[str]] = {
            "connectDomains": [],
            "resourceDomains": [],
            "frameDomains": [],
            "baseUriDomains": [],
        }
        return {"ui": {"csp": csp, "prefersBorder": True}}

    @property
    def listed(self) -> dict[str, Any]:
        """Its entry in `resources/list`."""
        return {
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": MIME_TYPE,
            "size": len(self.html().encode()),
            "_meta": self.meta,
        }

    @property
    def content(self) -> dict[str, Any]:
        """Its item among the `contents` of `resources/read`."""
        return {
            "uri": self.uri,
            "mimeType": MIME_TYPE,
            "text": self.html(),
            "_meta": self.meta,
        }

    def html(self) -> str:
        """The document."""
        return _document(self.name, self.title, self.scripts)


@cache
def _document(name: str, title: str, scripts: tuple[str, ...]) -> str:
    return _DOCUMENT.format(
        name=html.escape(name),
        title=html.escape(title),
        style=_part("base.css"),
        script="\n".join(_part(part) for part in (*_SHARED, *scripts)),
    )


def _part(name: str) -> str:
    return files("gateway.views").joinpath("parts", name).read_text(encoding="utf-8")
