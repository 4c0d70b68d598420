"""MCP Apps at the endpoint: whose tools point at views, and how views are listed and read.

The extension has clients declare it among their capabilities, and servers look there first. Modern
requests bring their capabilities along and sessions remember them; who has neither is not known,
and gets the pointers, which mean nothing to clients without the extension.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.mcp_face.jsonrpc import INVALID_PARAMS, Message, ProtocolError
from gateway.views import EXTENSION, MIME_TYPE, VIEWS, tool_meta, view_of

CAPABILITIES: Final[Mapping[str, object]] = {
    "resources": {"listChanged": False, "subscribe": False},
    "extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}},
}
"""What the server declares for views to be found."""

DECLARED: Final = f"extensions/{EXTENSION}"
"""How a session remembers that its client shows views."""

_FRESH_MS: Final = 3_600_000
_NOT_FOUND_BEFORE_MODERN: Final = -32002


def is_declared(capabilities: object) -> bool:
    """Whether a client with these capabilities shows views of our type."""
    settings = _member(_member(capabilities, "extensions"), EXTENSION)
    if not isinstance(settings, Mapping):
        return False
    types = cast("Mapping[str, object]", settings).get("mimeTypes", [MIME_TYPE])
    return isinstance(types, list) and MIME_TYPE in types


def pointer(tool: str) -> dict[str, Any]:
    """The fields of a listed tool that point at its view; none if it has none."""
    meta = tool_meta(tool)
    return {} if meta is None else {"_meta": meta}


def listed(*, is_modern: bool) -> dict[str, Any]:
    """The result of `resources/list`, of views alone."""
    return {"resources": [view.listed for view in VIEWS], **_fresh(is_modern=is_modern)}


def read(message: Message, *, is_modern: bool) -> dict[str, Any]:
    """The result of `resources/read`.

    Raises:
        ProtocolError: There is no such view.
    """
    uri = message.params.get("uri")
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "`params.uri` must be a string.")
    view = view_of(uri)
    if view is None:
        code = INVALID_PARAMS if is_modern else _NOT_FOUND_BEFORE_MODERN
        text = f"Unknown resource: {uri[:200]}. resources/list lists the resources."
        raise ProtocolError(code, text, data={"uri": uri[:200]})
    return {"contents": [view.content], **_fresh(is_modern=is_modern)}


def _fresh(*, is_modern: bool) -> dict[str, Any]:
    # A view is the same for everyone and changes with releases only.
    return {"ttlMs": _FRESH_MS, "cacheScope": "public"} if is_modern else {}


def _member(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else None
