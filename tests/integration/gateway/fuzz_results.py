"""The rules that every response of the endpoint follows, whatever the request."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, cast

from tests.fakes.wire import Exchange
from tests.integration.gateway.fuzz_messages import SESSION, Sent

NESTING: Final = 32
NOT_READ: Final = frozenset({403, 405, 413, 415})
"""Statuses of requests refused before their body was read."""


async def deliver(app: Any, sent: Sent, session: bytes, send: Any) -> None:
    """One request over ASGI. A caller who listens leaves when that has begun."""
    bodies, leaves = [sent.body], asyncio.Event()

    async def receive() -> Any:
        if bodies:
            return {"type": "http.request", "body": bodies.pop()}
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def sending(message: Any) -> None:
        if b"notifications/subscriptions/acknowledged" in message.get("body", b""):
            leaves.set()
        await send(message)

    headers = [(name, value.replace(SESSION, session)) for name, value in sent.headers]
    scope = {
        "type": "http",
        "path": "/mcp",
        "method": sent.method,
        "query_string": sent.query,
        "headers": headers,
    }
    await app(scope, receive, sending)


def understood(body: bytes) -> object:
    """The body's value by another reader of JSON than the gateway's; None if it may not be one."""
    try:
        value = json.loads(body.decode(), parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate has no UTF-8
    except (ValueError, RecursionError):
        return None
    return None if _depth(value) > NESTING or not all(map(_fits, _leaves(value))) else value


def messages(value: object) -> list[Any]:
    """The messages of a batch; none of what is no batch."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _fits(leaf: object) -> bool:
    return not isinstance(leaf, float) or math.isfinite(leaf)


def _inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []


def _depth(value: object) -> int:
    return 1 + max(map(_depth, _inside(value)), default=0) if _is_container(value) else 0


def _is_container(value: object) -> bool:
    return isinstance(value, dict | list)


def _leaves(value: object) -> Iterator[object]:
    if not _is_container(value):
        yield value
    for item in _inside(value):
        yield from _leaves(item)


def _id(message: object) -> str | None:
    """The id that a response must carry, as JSON; None where it is no valid one."""
    if not isinstance(message, dict):
        return None
    found = cast("dict[str, Any]", message).get("id")
    is_valid = isinstance(found, str) or (type(found) is int and abs(found) <= 2**63 - 1)
    return json.dumps(found) if is_valid else None


def _is_response(message: object) -> bool:
    """Return whether this is a client's response, which is accepted without a body or refused."""
    if not isinstance(message, dict):
        return False
    fields = cast("dict[str, Any]", message)
    has_method = fields.get("method") is not None
    return (
        fields.get("jsonrpc") == "2.0" and not has_method and bool({"result", "error"} & {*fields})
    )


def _responses(exchange: Exchange) -> list[dict[str, Any]]:
    """The responses, without the notifications before them."""
    if exchange.kind == b"text/event-stream":
        lines = exchange.response.decode().splitlines()
        said = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        return [item for item in said if "method" not in item]
    if not exchange.response:
        return []
    assert exchange.kind == b"application/json"
    response = json.loads(exchange.response)
    if isinstance(response, list):
        assert response
        return cast("list[dict[str, Any]]", response)
    return [response]


def check_response(sent: Sent, exchange: Exchange) -> None:
    """Fails if the response is not one that the request may get."""
    responses = _responses(exchange)
    assert exchange.status < 500 or exchange.status == 503
    for response in responses:
        assert response["jsonrpc"] == "2.0"
        assert ("result" in response) != ("error" in response)
        assert response.get("error", {}).get("code") != -32603
    if exchange.status == 204 or exchange.status in NOT_READ:
        return
    value = understood(sent.body)
    responded = Counter(json.dumps(item["id"]) for item in responses if "id" in item)
    if isinstance(value, list) and exchange.status == 200:
        messages = cast("list[object]", value)
        due = Counter(_id(message) for message in messages if not _is_response(message))
        del due[None]
        assert responded == due
    elif isinstance(value, list):
        assert not responded
    elif _is_response(value):
        assert all("error" in item for item in responses)
    elif (due := _id(value)) is not None:
        acknowledged = b"notifications/subscriptions/acknowledged" in exchange.response
        assert acknowledged or responded == Counter([due])
    else:
        assert not responded or value is None
