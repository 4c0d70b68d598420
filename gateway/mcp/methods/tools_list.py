"""The lists of tools, resources, templates and prompts: rendered once, the same bytes after that.

The list of tools is the same for everyone of one plan, one way of naming and one choice of toolsets;
the others are the same for everyone of one way of naming.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from gateway.mcp import icons, views
from gateway.mcp.icons import FamilyIcons, Icons
from gateway.mcp.jsonrpc import INVALID_PARAMS, Message, ProtocolError
from gateway.mcp.results import Incoming, Result
from gateway.prompts import Prompt, PromptCatalogue
from gateway.resources import Resource
from gateway.tools import Tool, ToolCatalogue, ToolNaming, without_left_out

META_DEPRECATED: Final = "sponsorgraph/deprecated"
"""The key in a tool's `_meta` of its announced end."""

_TOOLS_FRESH_MS: Final = 300_000
_FIXED_FRESH_MS: Final = 3_600_000
_JSON: Final = "application/json"


class ToolList:
    """Lists the tools of a plan and a connection, in one order, under the connection's names."""

    def __init__(self, tools: ToolCatalogue, families: FamilyIcons) -> None:
        self._tools = tools
        self._icons = families
        self._rendered = lru_cache(maxsize=64)(self._render)

    def list(self, incoming: Incoming, features: tuple[str, ...]) -> Result:
        """Return the result of `tools/list`.

        Raises:
            ProtocolError: The request has a cursor; the list has one page.
        """
        _refuse_cursor(incoming.message, "tools")
        caller = incoming.caller
        form = (
            features,
            incoming.naming,
            incoming.toolsets,
            icons.are_known_to(caller.revision),
            caller.shows_views,
        )
        result: dict[str, object] = {"tools": self._rendered(*form)}
        if caller.is_stateless:
            # Private, as the list depends on the plan of the credential.
            result |= {"ttlMs": _TOOLS_FRESH_MS, "cacheScope": "private"}
        # Few choose toolsets, and each choice would be one more compressed list in memory.
        return Result(result, fixed=("tools", *form) if incoming.toolsets is None else None)

    def _render(
        self,
        features: tuple[str, ...],
        naming: ToolNaming,
        toolsets: frozenset[str] | None,
        with_icons: bool,  # noqa: FBT001 - a key of the cache
        with_views: bool,  # noqa: FBT001
    ) -> msgspec.Raw:
        tools = [
            _with_view(
                _with_icons(
                    naming.in_value(without_left_out(published(tool), toolsets)),
                    self._icons.of(tool.name),
                    shown=with_icons,
                ),
                tool,
                shown=with_views,
            )
            for tool in self._tools.offered(features, toolsets)
        ]
        return msgspec.Raw(msgspec.json.encode(tools))


class StaticList:
    """Lists what is the same for every caller.

    Args:
        key: Name of the list in the result.
        entries: As clients read them.
        families: The icons of what the entries are named after.
    """

    def __init__(
        self, key: str, entries: Iterable[Mapping[str, Any]], families: FamilyIcons
    ) -> None:
        self._icons = families
        self._key = key
        self._entries = tuple(entries)
        self._rendered = lru_cache(maxsize=64)(self._render)

    def list(self, incoming: Incoming) -> Result:
        """Return the result of the list's method.

        Raises:
            ProtocolError: The request has a cursor; the list has one page.
        """
        _refuse_cursor(incoming.message, self._key)
        caller = incoming.caller
        form = (incoming.naming, incoming.toolsets, icons.are_known_to(caller.revision))
        result: dict[str, object] = {self._key: self._rendered(*form)}
        if caller.is_stateless:
            result |= {"ttlMs": _FIXED_FRESH_MS, "cacheScope": "public"}
        return Result(result, fixed=(self._key, *form) if incoming.toolsets is None else None)

    def _entries_for(self, toolsets: frozenset[str] | None) -> Iterable[Mapping[str, Any]]:
        return without_left_out(self._entries, toolsets)

    def _render(
        self,
        naming: ToolNaming,
        toolsets: frozenset[str] | None,
        with_icons: bool,  # noqa: FBT001 - a key of the cache
    ) -> msgspec.Raw:
        entries = [
            _with_icons(naming.in_value(item), self._icons.of(item["name"]), shown=with_icons)
            for item in self._entries_for(toolsets)
        ]
        return msgspec.Raw(msgspec.json.encode(entries))


class PromptList(StaticList):
    """Lists the prompts whose tools the connection has."""

    def __init__(self, prompts: PromptCatalogue, families: FamilyIcons) -> None:
        super().__init__("prompts", (), families)
        self._prompts = prompts

    def _entries_for(self, toolsets: frozenset[str] | None) -> Iterable[Mapping[str, Any]]:
        return map(published_prompt, self._prompts.offered(toolsets))


def _with_view(entry: Mapping[str, Any], tool: Tool, *, shown: bool) -> Mapping[str, Any]:
    """Return the tool with the pointer at its view beside what else its `_meta` has."""
    pointer = views.pointer(tool.name) if shown else {}
    return {**entry, "_meta": {**entry.get("_meta", {}), **pointer["_meta"]}} if pointer else entry


def published(tool: Tool) -> dict[str, Any]:
    """A tool as clients read it, under its published name."""
    hints = tool.hints
    deprecated = {} if tool.deprecated is None else {"_meta": {META_DEPRECATED: tool.deprecated}}
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.listed_input_schema,
        "outputSchema": tool.listed_output_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
        **deprecated,
    }


def published_resource(resource: Resource) -> dict[str, Any]:
    """Return a resource, or a template of resources, as clients read it."""
    address = "uriTemplate" if resource.is_template else "uri"
    return {
        address: resource.address,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mimeType": _JSON,
        "annotations": {"audience": ["user", "assistant"]},
    }


def published_prompt(prompt: Prompt) -> dict[str, Any]:
    """Return a prompt as clients read it."""
    required = prompt.schema.get("required", [])
    arguments = [
        {"name": name, "description": field["description"], "required": name in required}
        for name, field in prompt.schema["properties"].items()
    ]
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": arguments,
    }


def _with_icons(entry: Mapping[str, Any], found: Icons, *, shown: bool) -> dict[str, Any]:
    return {**entry, "icons": found} if shown and found else dict(entry)


def _refuse_cursor(message: Message, title: str) -> None:
    if message.params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown cursor: the {title} come in one page.")
