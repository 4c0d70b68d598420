"""The scripts and styles that draw answers of tools: in views of MCP Apps, and on pages of the site.

A view is the scripts of its entry in `VIEWS` behind those that all views share, and a script that is its host's side: inside
an AI client `bridge.js`, on a page of the site `page_host.js`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from servicekit.web.style import smaller

_ROOT: Final = re.compile(r"(?m)^(:root|body) \{")
_BESIDE_A_PAGE: Final = """
.top, .covered { display: none; }
:host { background: none; }
.choice span { padding-inline: .6rem; overflow-wrap: normal; }
"""
"""The page around it has heading and coverage, which are there without JavaScript."""


@dataclass(frozen=True, slots=True)
class ViewFiles:
    """The files of a view beside those that all views share."""

    scripts: tuple[str, ...]
    styles: tuple[str, ...]


VIEWS: Final[Mapping[str, ViewFiles]] = {
    "sponsor-stats": ViewFiles(
        ("chart.js", "sponsor_stats.js"), ("chart.css", "sponsor_stats.css")
    ),
    "sponsor-top": ViewFiles(("ranked.js", "sponsor_top.js"), ("ranked.css",)),
    "sponsor-compare": ViewFiles(("ranked.js", "sponsor_compare.js"), ("ranked.css",)),
    "sponsor-trends": ViewFiles(("ranked.js", "sponsor_trends.js"), ("ranked.css",)),
    "youtuber-stats": ViewFiles(("chart.js", "youtuber_stats.js"), ("chart.css",)),
    "import-status": ViewFiles(("import_status.js",), ("import_status.css",)),
}
"""Every view by its name."""


@cache
def view_script(name: str, host: str) -> str:
    """Return the script of a view for a host: "bridge.js" or "page_host.js"."""
    scripts = "\n".join(_script(part) for part in (host, "dom.js", *VIEWS[name].scripts))
    return f'(() => {{\n"use strict";\n{scripts}}})();'


@cache
def view_style(name: str) -> str:
    """Return the style sheet of a view."""
    return smaller(_rules(name))


def shadow_style(name: str) -> str:
    """Return the style sheet of a view inside a shadow tree, where `:host` is what holds it."""
    return smaller(_ROOT.sub(":host {", _rules(name)) + _BESIDE_A_PAGE)


def _rules(name: str) -> str:
    return "\n".join(_part(part) for part in ("base.css", *VIEWS[name].styles))


def _part(name: str) -> str:
    return files("servicekit.web.views").joinpath(name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    """Return a script without its lines of comment and its indentation, which need not reach the client."""
    lines = [line.lstrip() for line in _part(name).splitlines()]
    return "\n".join(line for line in lines if not line.startswith("//"))
