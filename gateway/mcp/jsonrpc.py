"""JSON-RPC 2.0 as MCP uses it: ids are strings or integers, parameters are objects."""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from gateway.mcp.transport.http import Headers

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

Id = str | int
_LARGEST_ID: Final = 2**63 - 1


class ProtocolError(Exception):
    """A message that gets a JSON-RPC error.

    Attributes:
        code: The JSON-RPC code.
        message: For the caller.
        status: HTTP status; None leaves it to the rules by protocol version and kind of caller.
        data: Machine-readable facts.
        headers: Further HTTP headers.
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        status: int | None = None,
        data: Mapping[str, object] | None = None,
        headers: Headers = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data
        self.headers = headers


class Message(msgspec.Struct, frozen=True):
    """A request, or without an id a notification."""

    id: Id | None
    method: str
    params: dict[str, Any]

    @property
    def meta(self) -> dict[str, Any]:
        """`params._meta`, empty when absent or no object."""
        meta = self.params.get("_meta")
        return cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}


def decode(body: bytes, max_nesting: int) -> object:
    """Return the JSON value of a body.

    Raises:
        ProtocolError: It is not JSON in UTF-8, or nested too deeply.
    """
    try:
        value: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(
            PARSE_ERROR, f"The body is not JSON in UTF-8: {error}", status=400
        ) from None
    except RecursionError:
        raise _too_deep(max_nesting) from None
    # Counting brackets bounds the depth at almost no cost; only bodies with many are walked.
    if body.count(b"[") + body.count(b"{") > max_nesting and _depth(value) > max_nesting:
        raise _too_deep(max_nesting)
    return value


def message_of(value: object) -> Message | None:
    """Return the request or notification that a JSON value is; None for a client's response.

    Raises:
        ProtocolError: It is none of these.
    """
    if not isinstance(value, dict):
        raise _invalid("A message must be a JSON object.")
    fields = cast("dict[str, Any]", value)
    if fields.get("jsonrpc") != "2.0":
        raise _invalid('`jsonrpc` must be "2.0".')
    message_id = id_of(fields)
    if message_id is None and "id" in fields:
        raise _invalid("`id` must be a string or an integer of at most 64 bits.")
    method = fields.get("method")
    if method is None and ("result" in fields or "error" in fields):
        return None
    if not isinstance(method, str):
        raise _invalid("`method` must be a string.")
    params = fields.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "`params` must be an object.")
    return Message(message_id, method, cast("dict[str, Any]", params))


def id_of(value: object) -> Id | None:
    """Return the id of a JSON value that may be a request, if it has a valid one."""
    if not isinstance(value, dict):
        return None
    found = cast("dict[str, object]", value).get("id")
    if isinstance(found, str):
        return found
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) <= _LARGEST_ID:
        return found
    return None


def result(message_id: Id, value: object) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": message_id, "result": value})


def error(message_id: Id | None, failure: ProtocolError) -> bytes:
    """Return the error response; without `id` when the request's is not known."""
    details: dict[str, object] = {"code": failure.code, "message": failure.message}
    if failure.data:
        details["data"] = failure.data
    known = {} if message_id is None else {"id": message_id}
    return msgspec.json.encode({"jsonrpc": "2.0", **known, "error": details})


def _invalid(text: str) -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, text, status=400)


def _too_deep(max_nesting: int) -> ProtocolError:
    text = f"The body is nested more than {max_nesting} levels deep."
    return ProtocolError(INVALID_REQUEST, text, status=400)


def _depth(value: object) -> int:
    """Return levels of nesting; without recursion, as the value may be hostile."""
    depth = 0
    level: list[object] = [value] if isinstance(value, dict | list) else []
    while level:
        depth += 1
        level = [item for outer in level for item in _items(outer) if isinstance(item, dict | list)]
    return depth


def _items(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("dict[str, object]", value).values())
    return cast("list[object]", value) if isinstance(value, list) else []
