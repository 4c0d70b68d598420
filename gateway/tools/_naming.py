"""The two names of a tool, dotted and with underscores, and texts that name tools (ADR 7)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, cast

from gateway.tools._tool import Tool

ADVICE: Final = ("note", "next", "advice", "tables")
"""The fields of a result in which the service itself speaks to the caller; those of SQL's tables say what columns mean."""

_QUOTATION: Final = r"""(?<![\w\\])(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
"""A value as Python or JSON writes it. An apostrophe within a word begins none."""

_WRITTEN_BY_CALLERS: Final = frozenset({"Report"})
"""Results whose `note` is a caller's own text."""


class ToolNaming:
    """The names under which one connection sees tools."""

    form = "dotted"

    def of(self, tool: Tool) -> str:
        """Return the tool's name."""
        return tool.name

    def in_text(self, text: str) -> str:
        """Return a text of the service's own with tools under these names.

        What it quotes are words of others, mostly of the caller, and stay as they are.
        """
        return text

    def in_value(self, value: Any) -> Any:
        """Return a JSON value of the service's own with tools under these names in every string."""
        return value

    def in_advice(self, result: object) -> object:
        """Return a tool's result with tools under these names where it advises the caller.

        The rest of a result holds texts of third parties, which stay as they are.
        """
        return result


DOTTED: Final = ToolNaming()
"""The published names, as texts of the code have them."""


class UnderscoreNaming(ToolNaming):
    """The names without dots, of these tools."""

    form = "underscore"

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._aliases = {tool.name: tool.alias for tool in tools}
        self._names = _names(self._aliases)

    def of(self, tool: Tool) -> str:
        return tool.alias

    def in_text(self, text: str) -> str:
        return self._names.sub(lambda found: self._aliases.get(found[0], found[0]), text)

    def in_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.in_text(value)
        if isinstance(value, Mapping):
            items = cast("Mapping[str, Any]", value).items()
            return {key: self.in_value(member) for key, member in items}
        if isinstance(value, list | tuple):
            return [self.in_value(member) for member in cast("list[Any]", value)]
        if is_dataclass(value) and not isinstance(value, type):
            named = {
                field.name: self.in_value(getattr(value, field.name)) for field in fields(value)
            }
            return replace(value, **named)
        return value

    def in_advice(self, result: object) -> object:
        if not is_dataclass(result) or isinstance(result, type):
            return result
        if type(result).__name__ in _WRITTEN_BY_CALLERS:
            return result
        advice = {name: getattr(result, name, None) for name in ADVICE}
        named = {name: self.in_value(value) for name, value in advice.items() if value}
        return replace(result, **named) if named else result


def _names(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern of quotations and of these names as words of their own, not within longer ones."""
    longest_first = sorted(names, key=len, reverse=True)
    either = "|".join(map(re.escape, longest_first)) or r"(?!)"
    return re.compile(rf"{_QUOTATION}|(?<![\w./@-])(?:{either})(?![\w-]|\.\w)")
