"""What a JSON-RPC message says of the trace that it belongs to.

https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ names the spans, and has the context in
`params._meta`, which gets through where headers do not.
"""

import re
from typing import Any, Final, cast

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


def follow(value: object) -> None:
    """Goes on in the trace of a message. A batch is one request and stays in its own."""
    if not isinstance(value, dict):
        return
    message = cast("dict[str, Any]", value)
    params = message.get("params")
    given = cast("dict[str, Any]", params) if isinstance(params, dict) else {}
    meta = given.get("_meta")
    traceparent = (
        cast("dict[str, Any]", meta).get("traceparent") if isinstance(meta, dict) else None
    )
    if traceparent is None and not telemetry.is_traced():
        return
    name = _name(message.get("method"), given.get("name"))
    telemetry.join(name, traceparent if isinstance(traceparent, str) else None)


def _name(method: object, target: object) -> str:
    """Of few different ones, and never with something in it that a caller should not have sent."""
    if not isinstance(method, str) or method not in _METHODS:
        return "unknown"
    if method == "tools/call" and isinstance(target, str) and _TOOL.fullmatch(target):
        return f"{method} {target}"
    return method
