"""Any bytes to the JSON-RPC parser: a message, a refusal, and never anything else."""

from __future__ import annotations

import json
from typing import Any, Final

from gateway.mcp import jsonrpc
from gateway.mcp.jsonrpc import Message, ProtocolError
from tests.integration.gateway.fuzz_results import NESTING, messages, understood

WORDS: Final = (
    *('"jsonrpc":"2.0"', '"id":', '"method":', '"params":{', '"_meta":', '"result":', '"error":'),
    *("9223372036854775807", "-9223372036854775808", "1e309", "NaN", "\\ud800", "[[", "{}", "null"),
)


def check(body: bytes) -> None:
    """Reads a body; what it says must be what another reader of JSON finds in it."""
    value, refusal = _decoded(body)
    if refusal is not None:
        response = json.loads(jsonrpc.error(None, refusal))
        assert refusal.status == 400
        assert response["error"]["code"] in (jsonrpc.PARSE_ERROR, jsonrpc.INVALID_REQUEST)
        return
    other = understood(body)
    assert other is None or _same(value, other)
    for message in messages(value) or [value]:
        _read(message)


def _decoded(body: bytes) -> tuple[Any, ProtocolError | None]:
    try:
        return jsonrpc.decode(body, NESTING), None
    except ProtocolError as refusal:
        return None, refusal


def _read(value: object) -> None:
    message_id = jsonrpc.id_of(value)
    try:
        message = jsonrpc.message_of(value)
    except ProtocolError as refusal:
        error = json.loads(jsonrpc.error(message_id, refusal))
        if error.get("id") != message_id:
            raise AssertionError("an error for another id") from refusal
        return
    if message is not None:
        _check_response(message, message_id)


def _check_response(message: Message, message_id: jsonrpc.Id | None) -> None:
    assert message.id == message_id
    assert isinstance(message.meta, dict)
    if message.id is not None:
        assert json.loads(jsonrpc.result(message.id, {}))["id"] == message.id


def _same(first: Any, other: Any) -> bool:
    """Return whether two parsers have read the same; integers beyond 64 bits may become floats."""
    if isinstance(first, dict) and isinstance(other, dict):
        return first.keys() == other.keys() and all(_same(first[key], other[key]) for key in first)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(first, list) and isinstance(other, list):
        return len(first) == len(other) and all(map(_same, first, other))  # pyright: ignore[reportUnknownArgumentType]
    return first == other or (isinstance(first, float) and first == float(other))
