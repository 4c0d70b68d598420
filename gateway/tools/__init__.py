"""The tools. A new one is a function in a family's file; a new family is a line here."""

from typing import Final

from gateway.tools import (
    account,
    categories,
    channels,
    comparisons,
    reports,
    sponsor_activity,
    sponsors,
    videos,
    youtuber_activity,
    youtubers,
)
from gateway.tools._arguments import nearest, problems
from gateway.tools._params import Backends, Params, ToolContext
from gateway.tools._schema import input_schema
from gateway.tools._tool import Deprecation, Handler, TaskForm, Tool
from gateway.tools.catalogue import ToolCatalogue, UnknownTool

__all__ = [
    "FAMILIES",
    "Backends",
    "Deprecation",
    "Handler",
    "Params",
    "TaskForm",
    "Tool",
    "ToolCatalogue",
    "ToolContext",
    "UnknownTool",
    "all_tools",
    "input_schema",
    "nearest",
    "problems",
]

FAMILIES: Final = (
    sponsors,
    sponsor_activity,
    youtubers,
    youtuber_activity,
    comparisons,
    videos,
    categories,
    channels,
    reports,
    account,
)


def all_tools() -> tuple[Tool, ...]:
    """Every tool of every family, in the order in which they are listed."""
    return tuple(tool for family in FAMILIES for tool in family.TOOLS)
