"""A view: its facts, and its document made of the parts that views share and its own script."""

import html
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from servicekit.web.documents import document

MIME_TYPE: Final = "text/html;profile=mcp-app"

_SHARED_SCRIPTS: Final = ("bridge.js", "dom.js")
_SHARED_STYLE: Final = "base.css"
_HEAD: Final = "<style>\n{style}</style>"
_BODY: Final = """\
<main id="view" data-view="{name}" aria-label="{title}" aria-busy="true">
<p class="waiting" role="status">Waiting for the answer…</p>
</main>
<script>
(() => {{
"use strict";
{script}}})();
</script>"""


@dataclass(frozen=True)
class View:
    """A view of the answers of some tools.

    Attributes:
        name: The last part of its URI.
        title: For people.
        description: What it shows.
        tools: Dotted names of the tools whose answers it shows.
        scripts: Files in `parts/` with its own part of the document.
        styles: Style sheets in `parts/` beside the one that all views share.
    """

    name: str
    title: str
    description: str
    tools: tuple[str, ...]
    scripts: tuple[str, ...]
    styles: tuple[str, ...]

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
        return _document(self.name, self.title, self.scripts, self.styles)


@cache
def _document(name: str, title: str, scripts: tuple[str, ...], styles: tuple[str, ...]) -> str:
    style = "\n".join(_part(part) for part in (_SHARED_STYLE, *styles))
    script = "\n".join(_script(part) for part in (*_SHARED_SCRIPTS, *scripts))
    heading = html.escape(title)
    body = _BODY.format(name=html.escape(name), title=heading, script=script)
    return document(title=heading, head=_HEAD.format(style=style), body=body)


def _part(name: str) -> str:
    return files("gateway.views").joinpath("parts", name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    """Return a script without its lines of comment, which need not reach the client."""
    lines = _part(name).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))
