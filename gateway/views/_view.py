"""A view: its facts, and its document, whose scripts and styles pages of the site have too (`servicekit.web.views`)."""

import html
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from servicekit.web.documents import document
from servicekit.web.views import view_script, view_style

MIME_TYPE: Final = "text/html;profile=mcp-app"

_HEAD: Final = "<style>\n{style}</style>"
_BODY: Final = """\
<main id="view" data-view="{name}" aria-label="{title}" aria-busy="true">
<p class="waiting" role="status">Waiting for the answer…</p>
</main>
<script>
{script}
</script>"""


@dataclass(frozen=True)
class View:
    """A view of the answers of some tools.

    Attributes:
        name: The last part of its URI.
        title: For people.
        description: What it shows.
        tools: Dotted names of the tools whose answers it shows.
    """

    name: str
    title: str
    description: str
    tools: tuple[str, ...]

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
        return _document(self.name, self.title)


@cache
def _document(name: str, title: str) -> str:
    heading = html.escape(title)
    body = _BODY.format(
        name=html.escape(name), title=heading, script=view_script(name, "bridge.js")
    )
    return document(title=heading, head=_HEAD.format(style=view_style(name)), body=body)
