"""`tools/list`: the same bytes for everyone of one plan, one way of naming and with views or not."""

from functools import lru_cache
from typing import Any, Final

import msgspec

from gateway.mcp_face import views
from gateway.mcp_face.caller import Caller
from gateway.mcp_face.jsonrpc import INVALID_PARAMS, Message, ProtocolError
from gateway.mcp_face.names import ToolNames, sees_underscores
from gateway.tools import Tool, ToolCatalogue

_FRESH_MS: Final = 300_000


class ToolListing:
    """Lists the tools that a plan has, in one order, under the names that the caller can take."""

    def __init__(self, tools: ToolCatalogue, names: ToolNames) -> None:
        self._tools = tools
        self._names: ToolNames = names
        self._rendered = lru_cache(maxsize=64)(self._render)

    def list(
        self, message: Message, caller: Caller, features: tuple[str, ...]
    ) -> dict[str, object]:
        """The result of `tools/list`.

        Raises:
            ProtocolError: The request has a cursor; the list has one page.
        """
        if message.params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "Unknown cursor: the tools come in one page.")
        underscores = sees_underscores(self._names, caller.name)
        result: dict[str, object] = {
            "tools": self._rendered(
                features, underscores=underscores, shows_views=caller.shows_views
            )
        }
        if caller.is_modern:
            # Private, as the list depends on the plan of the credential.
            result |= {"ttlMs": _FRESH_MS, "cacheScope": "private"}
        return result

    def _render(
        self, features: tuple[str, ...], *, underscores: bool, shows_views: bool
    ) -> msgspec.Raw:
        tools = [
            published(tool, underscores=underscores)
            | (views.pointer(tool.name) if shows_views else {})
            for tool in self._tools.offered(features)
        ]
        return msgspec.Raw(msgspec.json.encode(tools))


def published(tool: Tool, *, underscores: bool) -> dict[str, Any]:
    """A tool as clients read it."""
    hints = tool.hints
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
    }
