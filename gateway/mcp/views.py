"""MCP Apps at the endpoint: whose tools point at views.

The extension has clients declare it among their capabilities, and servers look there first. Stateless
requests bring their capabilities along and sessions store them; a client with neither gets the
pointers, which mean nothing to clients without the extension.
"""

from collections.abc import Mapping
from typing import Any, Final

from gateway.mcp import extensions
from gateway.views import EXTENSION, MIME_TYPE, tool_meta

EXTENSIONS: Final[Mapping[str, object]] = {EXTENSION: {"mimeTypes": [MIME_TYPE]}}
"""The server's declaration of its views."""

DECLARED: Final = f"extensions/{EXTENSION}"
"""The capability that a session stores if its client shows views."""


def is_declared(capabilities: object) -> bool:
    """Return whether a client with these capabilities shows views of our type."""
    settings = extensions.settings(capabilities, EXTENSION)
    if settings is None:
        return False
    types = settings.get("mimeTypes", [MIME_TYPE])
    return isinstance(types, list) and MIME_TYPE in types


def pointer(tool: str) -> dict[str, Any]:
    """Return the fields of a listed tool that point at its view; none if it has none."""
    meta = tool_meta(tool)
    return {} if meta is None else {"_meta": meta}
