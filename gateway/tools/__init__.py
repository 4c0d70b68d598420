"""The tools. A new one is a function in a family's file; a new family is a line here (docs/adding-a-tool.md)."""

from typing import Final

from gateway.tools import (
    account,
    bulk_imports,
    categories,
    channels,
    comparisons,
    conflicts,
    dataset,
    exports,
    follows,
    lists,
    names,
    outlook,
    reports,
    sponsor_activity,
    sponsors,
    topics,
    videos,
    watches,
    youtuber_activity,
    youtubers,
)
from gateway.tools._arguments import problems
from gateway.tools._naming import ADVICE, DOTTED, ToolNaming, UnderscoreNaming
from gateway.tools._near_names import nearest
from gateway.tools._params import MAX_LIMIT, Backends, Params, ToolContext
from gateway.tools._parts import PartsArguments, Selection, paths, selection
from gateway.tools._permissions import check_permission
from gateway.tools._schema import PARTS, input_schema
from gateway.tools._tool import Deprecation, Handler, TaskForm, Tool
from gateway.tools._toolsets import (
    TOOLSETS,
    UnknownToolset,
    is_chosen,
    is_listed,
    toolsets_named,
    toolsets_of,
)
from gateway.tools._unlisted_tools import without_left_out
from gateway.tools.registry import ToolCatalogue, UnknownTool

__all__ = [
    "ADVICE",
    "DOTTED",
    "FAMILIES",
    "MAX_LIMIT",
    "PARTS",
    "SQL_TOOLS",
    "TOOLSETS",
    "Backends",
    "Deprecation",
    "Handler",
    "Params",
    "PartsArguments",
    "Selection",
    "TaskForm",
    "Tool",
    "ToolCatalogue",
    "ToolContext",
    "ToolNaming",
    "UnderscoreNaming",
    "UnknownTool",
    "UnknownToolset",
    "all_tools",
    "check_permission",
    "input_schema",
    "is_chosen",
    "is_listed",
    "nearest",
    "paths",
    "problems",
    "selection",
    "toolsets_named",
    "toolsets_of",
    "without_left_out",
]

FAMILIES: Final = (
    sponsors,
    sponsor_activity,
    youtubers,
    youtuber_activity,
    outlook,
    conflicts,
    comparisons,
    videos,
    topics,
    categories,
    names,
    dataset,
    exports,
    channels,
    bulk_imports,
    follows,
    reports,
    lists,
    watches,
    account,
)


SQL_TOOLS: Final[tuple[Tool, ...]] = dataset.TOOLS
"""Those that a deployment can leave out (`GATEWAY_SQL_TOOLS`)."""


def all_tools() -> tuple[Tool, ...]:
    """Every tool of every family, in the order in which they are listed."""
    return tuple(tool for family in FAMILIES for tool in family.TOOLS)
