"""Texts of the service's own on a connection that takes some of the tools: they name no others."""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.tools._toolsets import TOOLSETS

_SENTENCE_END: Final = re.compile(r"(?<=\.) ")
_TOOL: Final = re.compile(r"(?<![\w./@-])([a-z]+)\.[a-z]")
_FAMILIES: Final = frozenset(family for families in TOOLSETS.values() for family in families)


def without_left_out(value: Any, toolsets: frozenset[str] | None) -> Any:
    """Return a JSON value without the sentences that name tools of other toolsets.

    Args:
        value: Its texts have the dotted names of tools.
        toolsets: Those that the connection takes; None for all tools.
    """
    if toolsets is None:
        return value
    if isinstance(value, str):
        return _text(value, toolsets)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: without_left_out(member, toolsets) for key, member in items}
    if isinstance(value, list | tuple):
        return [without_left_out(member, toolsets) for member in cast("list[Any]", value)]
    return value


def _text(text: str, toolsets: frozenset[str]) -> str:
    others = _FAMILIES.difference(*(TOOLSETS[name] for name in toolsets))
    sentences = _SENTENCE_END.split(text)
    return " ".join(part for part in sentences if others.isdisjoint(_TOOL.findall(part)))
