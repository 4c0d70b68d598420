"""The trace that a JSON-RPC message belongs to.

https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ names the spans, and has the context in
`params._meta`, which gets through where headers do not.
"""

import re
from typing import Final

from gateway.mcp.jsonrpc import Message
from servicekit.observability import telemetry

_METHODS: Final = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "tools/call",
        "tools/list",
        "notifications/initialized",
    }
)
_TOOL: Final = re.compile(r"[a-z]{1,20}[._][A-Za-z]{1,20}")


def follow(message: Message) -> None:
    """Continue in the trace of a message."""
    traceparent = message.meta.get("traceparent")
    name = _name(message.method, message.params.get("name"))
    telemetry.join(name, traceparent if isinstance(traceparent, str) else None)


def _name(method: str, target: object) -> str:
    """Return the name of a span: one of a few, and without any text that only the caller knows."""
    if method not in _METHODS:
        return "unknown"
    if method == "tools/call" and isinstance(target, str) and _TOOL.fullmatch(target):
        return f"{method} {target}"
    return method
