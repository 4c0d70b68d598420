"""Faults on demand: the next few requests of a path fail in one way."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

FaultKind: TypeAlias = Literal["status", "reason", "delay", "truncate", "drop", "garbage"]


@dataclass(slots=True)
class Fault:
    """Meets the next `times` requests whose path contains `path`.

    `status` answers without a body of YouTube's, `reason` with its error of that reason and status,
    `delay` answers after `seconds`, `truncate` breaks off in the midst of the body, `drop` closes
    the connection unanswered, and `garbage` answers 200 with what is neither JSON nor XML.
    """

    kind: FaultKind
    path: str = "/"
    times: int = 1
    status: int = 500
    reason: str = ""
    seconds: float = 0.0
    headers: dict[str, str] = field(default_factory=dict[str, str])


def take(faults: list[Fault], path: str) -> Fault | None:
    """Return the first fault that the path meets, one time fewer to come."""
    fault = next((item for item in faults if item.times > 0 and item.path in path), None)
    if fault is not None:
        fault.times -= 1
    return fault


async def wait(seconds: float, receive: Receive) -> None:
    """Wait so long, or until the other side is gone."""
    with suppress(TimeoutError):
        await asyncio.wait_for(_gone(receive), seconds)


async def drop(receive: Receive, send: Send) -> None:
    """Close the connection without a word."""
    _transport(send).abort()
    await _gone(receive)


def truncating(app: ASGIApp) -> ASGIApp:
    """Return the application, whose answers break off after half of their body."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        async def half(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            body: bytes = message["body"]
            await send({**message, "body": body[: len(body) // 2], "more_body": True})
            _transport(send).close()
            await _gone(receive)

        await app(scope, receive, half)

    return call


async def _gone(receive: Callable[[], Awaitable[Message]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _transport(send: Send) -> Any:
    """Return the connection below uvicorn's `send`: ASGI has no word for breaking it."""
    cycle: Any = getattr(send, "__self__")  # noqa: B009 - `Send` is any callable to the type checker
    return cycle.transport
