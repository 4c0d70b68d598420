"""Toolsets: parts of the tools that a connection may choose, to spare its model the others."""

from collections.abc import Iterable, Mapping
from typing import Final

from gateway.tools._tool import Tool
from servicekit.errors import InvalidInput

ALL: Final = "all"

TOOLSETS: Final[Mapping[str, tuple[str, ...]]] = {
    # The filters of these take ids of category.list.
    "sponsors": ("sponsor", "category"),
    "youtubers": ("youtuber", "category"),
    "videos": ("video", "code", "category"),
    "catalog": ("catalog",),
    "imports": ("channel",),
    "reports": ("sponsorship",),
    "lists": ("list",),
    "alerts": ("watch",),
    "account": ("account",),
}
"""By name, the families of its tools: what their names have before the dot."""


class UnknownToolset(InvalidInput):
    """No toolset has this name; the message has those that there are."""


def toolsets_named(text: str) -> frozenset[str] | None:
    """Return the toolsets of a comma-separated list; None if it chooses none.

    Raises:
        UnknownToolset: One has no such name.
    """
    names = frozenset(filter(None, (name.strip().lower() for name in text.split(","))))
    unknown = sorted(names - TOOLSETS.keys() - {ALL})
    if unknown:
        raise UnknownToolset(
            f"Unknown toolset: {unknown[0][:80]}. There are {', '.join(TOOLSETS)}, and {ALL}."
        )
    return frozenset(TOOLSETS) if ALL in names else names or None


def is_chosen(tool: Tool, toolsets: Iterable[str] | None) -> bool:
    """Return whether one of the toolsets has the tool; None has every tool."""
    if toolsets is None:
        return True
    family = tool.name.partition(".")[0]
    return any(family in TOOLSETS[name] for name in toolsets)


def is_listed(tool: Tool, toolsets: Iterable[str] | None) -> bool:
    """Return whether a connection lists the tool that chooses these toolsets; None chooses none."""
    return tool.by_default if toolsets is None else is_chosen(tool, toolsets)


def toolsets_of(tool: Tool) -> tuple[str, ...]:
    """Return the names of the toolsets that have the tool."""
    family = tool.name.partition(".")[0]
    return tuple(name for name, families in TOOLSETS.items() if family in families)
