"""The catalogue of all tools: found by either name, listed for a plan and a connection."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gateway.tools._naming import DOTTED, ToolNaming
from gateway.tools._near_names import nearest
from gateway.tools._tool import Tool
from gateway.tools._toolsets import is_chosen, is_listed, toolsets_of
from servicekit.errors import InvalidInput


class UnknownTool(InvalidInput):
    """No tool has this name; the message has those most like it."""


class ToolCatalogue:
    """The tools that a gateway offers, in the order in which they are listed.

    Attributes:
        by_name: Each tool by its dotted and by its underscore name.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = tuple(tools)
        names = {tool.name: tool for tool in self._tools}
        self.by_name: Final[Mapping[str, Tool]] = names | {tool.alias: tool for tool in self._tools}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools)

    def find(
        self, name: str, naming: ToolNaming = DOTTED, toolsets: frozenset[str] | None = None
    ) -> Tool:
        """The tool of this dotted or underscore name.

        Args:
            name: Either name.
            naming: The names of the tools that an error proposes.
            toolsets: Those that the connection chooses; None if it chooses none, and can call all.

        Raises:
            UnknownTool: There is none, or the connection left it out.
        """
        found = self.by_name.get(name)
        if found is None:
            raise UnknownTool(self._unknown(name, naming))
        if toolsets is not None and not is_chosen(found, toolsets):
            raise UnknownTool(
                f"{naming.of(found)} is left out on this connection, whose toolsets are "
                f"{', '.join(sorted(toolsets))}. It is in the toolset "
                f"{' or '.join(toolsets_of(found)) or 'all'}."
            )
        return found

    def offered(
        self, features: Iterable[str], toolsets: frozenset[str] | None = None
    ) -> tuple[Tool, ...]:
        """The tools of a plan with these features that a connection lists with these toolsets."""
        unlocked = frozenset(features)
        return tuple(
            tool
            for tool in self._tools
            if (tool.feature is None or tool.feature in unlocked) and is_listed(tool, toolsets)
        )

    def _unknown(self, name: str, naming: ToolNaming) -> str:
        shown = name[:80]
        names = [naming.of(tool) for tool in self._tools]
        close = nearest(shown, names, count=3)
        hint = f"Did you mean {', '.join(close)}?" if close else "tools/list lists the tools."
        return f"Unknown tool: {shown}. {hint}"
