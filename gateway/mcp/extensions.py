"""Extensions of the protocol: what a client declares of them among its capabilities.

https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle#extensions
"""

from collections.abc import Mapping
from typing import Final, cast

from gateway.mcp.jsonrpc import MISSING_CAPABILITY, ProtocolError

TASKS: Final = "io.modelcontextprotocol/tasks"
"""Calls that are answered with a task (SEP-2663)."""


def settings(capabilities: object, extension: str) -> Mapping[str, object] | None:
    """Return the client's settings of an extension; None if it has not declared it."""
    found = _member(_member(capabilities, "extensions"), extension)
    return cast("Mapping[str, object]", found) if isinstance(found, Mapping) else None


def missing(extension: str) -> ProtocolError:
    """A request makes sense only from a client that has declared the extension."""
    return ProtocolError(
        MISSING_CAPABILITY,
        f"Declare the extension {extension} among the capabilities of this request.",
        status=400,
        data={"requiredCapabilities": {"extensions": {extension: {}}}},
    )


def _member(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else None
