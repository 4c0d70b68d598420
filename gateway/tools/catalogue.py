"""The catalogue of all tools: found by either name, listed for a plan."""

from collections.abc import Iterable

from gateway.tools._arguments import nearest
from gateway.tools._tool import Tool
from servicekit.errors import InvalidInput


class UnknownTool(InvalidInput):
    """No tool has this name; the message has those most like it."""


class ToolCatalogue:
    """The tools that a gateway offers, in the order in which they are listed."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self._tools}
        self._by_name |= {tool.alias: tool for tool in self._tools}

    def get(self, name: str) -> Tool | None:
        """The tool of this dotted or underscore name, if there is one."""
        return self._by_name.get(name)

    def find(self, name: str) -> Tool:
        """The tool of this dotted or underscore name.

        Raises:
            UnknownTool: There is none.
        """
        found = self.get(name)
        if found is None:
            raise UnknownTool(self._unknown(name))
        return found

    def offered(self, features: Iterable[str]) -> tuple[Tool, ...]:
        """The tools of a plan with these features."""
        unlocked = frozenset(features)
        return tuple(
            tool for tool in self._tools if tool.feature is None or tool.feature in unlocked
        )

    def _unknown(self, name: str) -> str:
        shown = name[:80]
        dotted = "." in name or "_" not in name
        names = [tool.name if dotted else tool.alias for tool in self._tools]
        close = nearest(shown, names, count=3)
        hint = f"Did you mean {', '.join(close)}?" if close else "tools/list lists the tools."
        return f"Unknown tool: {shown}. {hint}"
