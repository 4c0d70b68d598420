"""`Mcp-Param-…`: arguments that a tool's schema marks with `x-mcp-header`, repeated in headers.

Proxies between client and gateway may act on them, so they must say what the body says.
https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from gateway.mcp.client_info import mismatch, plain
from gateway.mcp.transport.http import Request
from gateway.tools import Tool


def check_headers(tool: Tool, arguments: object, request: Request) -> None:
    """Compare the headers of a stateless call with its arguments.

    Raises:
        ProtocolError: One is missing, malformed, there twice, or says something else.
    """
    for path, name in tool.headers.items():
        field = name.lower().encode()
        header = request.header(field)
        value = _value(arguments, path)
        if value is None:
            agrees = header is None
        else:
            text = plain(header)
            agrees = text is not None and _equals(text, value)
        if field in request.repeated or not agrees:
            raise mismatch(
                f"The header {name} must be the same as `params.arguments.{'.'.join(path)}`."
            )


def _value(arguments: object, path: Sequence[str]) -> object:
    """Return the value at the path; None if there is none."""
    for name in path:
        if not isinstance(arguments, dict):
            return None
        arguments = cast("dict[str, Any]", arguments).get(name)
    return arguments


def _equals(text: str, value: object) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int | float):
        try:
            return Decimal(text) == Decimal(str(value))
        except InvalidOperation:
            return False
    return text == value
