"""Views of answers for hosts with MCP Apps (extension `io.modelcontextprotocol/ui`, 2026-01-26).

A view is one HTML document that the host shows in a sandboxed frame beside a tool's answer. It is
the same for everyone and holds no data: the host passes it the answer by postMessage.
"""

from typing import Any, Final

from gateway.views._view import MIME_TYPE, View

__all__ = ["EXTENSION", "MIME_TYPE", "VIEWS", "View", "tool_meta", "view_of"]

EXTENSION: Final = "io.modelcontextprotocol/ui"

VIEWS: Final = (
    View(
        name="sponsor-stats",
        title="Sponsor statistics",
        description="A brand's sponsorships over time, its part of its category, and its rivals.",
        tools=("sponsor.stats",),
    ),
    View(
        name="sponsor-top",
        title="Ranking of sponsors",
        description="The most active brands of a period as a table with bars, to be sorted.",
        tools=("sponsor.top",),
    ),
    View(
        name="sponsor-compare",
        title="Comparison of sponsors",
        description="Two to five brands side by side: figures with bars, kinds, share of their categories, creators in common.",
        tools=("sponsor.compare",),
    ),
    View(
        name="sponsor-trends",
        title="Rising and falling sponsors",
        description="Brands whose share of all sponsorships rose or fell, with both periods as bars.",
        tools=("sponsor.trends",),
    ),
    View(
        name="youtuber-stats",
        title="Creator statistics",
        description="A creator's sponsored videos among all videos over time, and whose they are.",
        tools=("youtuber.stats",),
    ),
    View(
        name="import-status",
        title="Import of a channel",
        description="How far an import is and what it has found, followed until it ends.",
        tools=("channel.importStatus", "channel.import"),
    ),
)
"""All views, in the order in which they are listed."""

_BY_URI: Final = {view.uri: view for view in VIEWS}
_BY_TOOL: Final = {tool: view for view in VIEWS for tool in view.tools}


def view_of(uri: str) -> View | None:
    """The view of this address, `ui://sponsorgraph/…`."""
    return _BY_URI.get(uri)


def tool_meta(tool: str) -> dict[str, Any] | None:
    """The `_meta` by which a tool of this dotted name points at its view, if it has one.

    The flat key is the one that hosts from before the extension was stable read.
    """
    view = _BY_TOOL.get(tool)
    if view is None:
        return None
    return {"ui": {"resourceUri": view.uri}, "ui/resourceUri": view.uri}
