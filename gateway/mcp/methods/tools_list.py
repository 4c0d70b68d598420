"""The lists of tools, resources, templates and prompts: rendered once, the same bytes after that.

The list of tools is the same for everyone of one plan and one way of naming; the others are the
same for everyone.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from gateway.mcp import icons, views
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import INVALID_PARAMS, Message, ProtocolError
from gateway.mcp.results import Result
from gateway.mcp.tool_names import ToolNames, uses_underscores
from gateway.prompts import Prompt
from gateway.resources import Resource
from gateway.tools import Tool, ToolCatalogue

META_DEPRECATED: Final = "sponsorgraph/deprecated"
"""The key in a tool's `_meta` of its announced end."""

_TOOLS_FRESH_MS: Final = 300_000
_FIXED_FRESH_MS: Final = 3_600_000
_JSON: Final = "application/json"


class ToolList:
    """Lists the tools that a plan has, in one order, under the names that the caller can take."""

    def __init__(self, tools: ToolCatalogue, names: ToolNames) -> None:
        self._tools = tools
        self._names: ToolNames = names
        self._rendered = lru_cache(maxsize=64)(self._render)

    def list(self, message: Message, caller: ClientInfo, features: tuple[str, ...]) -> Result:
        """Return the result of `tools/list`.

        Raises:
            ProtocolError: The request has a cursor; the list has one page.
        """
        _refuse_cursor(message, "tools")
        form = (
            features,
            self.shows_underscores(caller),
            icons.are_known_to(caller.revision),
            caller.shows_views,
        )
        result: dict[str, object] = {"tools": self._rendered(*form)}
        if caller.is_stateless:
            # Private, as the list depends on the plan of the credential.
            result |= {"ttlMs": _TOOLS_FRESH_MS, "cacheScope": "private"}
        return Result(result, fixed=("tools", *form))

    def shows_underscores(self, caller: ClientInfo) -> bool:
        """Return whether the caller sees tools under their names without dots."""
        return uses_underscores(self._names, caller.name)

    def _render(
        self,
        features: tuple[str, ...],
        underscores: bool,  # noqa: FBT001 - a key of the cache
        with_icons: bool,  # noqa: FBT001
        with_views: bool,  # noqa: FBT001
    ) -> msgspec.Raw:
        tools = [
            _with_view(
                _with_icons(published(tool, underscores=underscores), tool.name, shown=with_icons),
                tool,
                shown=with_views,
            )
            for tool in self._tools.offered(features)
        ]
        return msgspec.Raw(msgspec.json.encode(tools))


class StaticList:
    """Lists what is the same for every caller.

    Args:
        key: Name of the list in the result.
        entries: As clients read them.
    """

    def __init__(self, key: str, entries: Iterable[Mapping[str, Any]]) -> None:
        self._key = key
        listed = tuple(entries)
        self._bare = msgspec.Raw(msgspec.json.encode(listed))
        decorated = [_with_icons(item, item["name"], shown=True) for item in listed]
        self._decorated = msgspec.Raw(msgspec.json.encode(decorated))

    def list(self, message: Message, caller: ClientInfo) -> Result:
        """Return the result of the list's method.

        Raises:
            ProtocolError: The request has a cursor; the list has one page.
        """
        _refuse_cursor(message, self._key)
        with_icons = icons.are_known_to(caller.revision)
        shown = self._decorated if with_icons else self._bare
        result: dict[str, object] = {self._key: shown}
        if caller.is_stateless:
            result |= {"ttlMs": _FIXED_FRESH_MS, "cacheScope": "public"}
        return Result(result, fixed=(self._key, with_icons))


def _with_view(entry: Mapping[str, Any], tool: Tool, *, shown: bool) -> Mapping[str, Any]:
    """The tool with the pointer at its view beside what else its `_meta` has."""
    pointer = views.pointer(tool.name) if shown else {}
    return {**entry, "_meta": {**entry.get("_meta", {}), **pointer["_meta"]}} if pointer else entry


def published(tool: Tool, *, underscores: bool) -> dict[str, Any]:
    """A tool as clients read it."""
    hints = tool.hints
    deprecated = {} if tool.deprecated is None else {"_meta": {META_DEPRECATED: tool.deprecated}}
    return {
        "name": tool.alias if underscores else tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
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
    """A resource, or a template of resources, as clients read it."""
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
    """A prompt as clients read it."""
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


def _with_icons(entry: Mapping[str, Any], name: str, *, shown: bool) -> dict[str, Any]:
    found = icons.of_family(name) if shown else []
    return {**entry, "icons": found} if found else dict(entry)


def _refuse_cursor(message: Message, title: str) -> None:
    if message.params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown cursor: the {title} come in one page.")
