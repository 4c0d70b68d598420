"""What a method is given and what it gives back."""

from dataclasses import dataclass
from typing import Any

import msgspec

from gateway.domain.ports import Asker
from gateway.domain.principal import Principal
from gateway.mcp_face.caller import Caller
from gateway.mcp_face.http import Headers, Request
from gateway.mcp_face.jsonrpc import Message
from gateway.mcp_face.progress import Notify


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request with all that is known of its sender.

    Attributes:
        message: The request.
        caller: Who sent it, as MCP knows them.
        principal: Who sent it, as the account knows them.
        request: The HTTP request that brought it.
        notify: Where to put what is told before the answer; None where it cannot be heard.
        asker: Asks the sender back.
    """

    message: Message
    caller: Caller
    principal: Principal
    request: Request
    notify: Notify | None
    asker: Asker


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a request, and headers beside it."""

    value: dict[str, Any]
    headers: Headers = ()


def answered(answer: bytes) -> dict[str, Any]:
    """The result of a tool call: its answer, which is JSON, for people and for programs."""
    return {
        "content": [{"type": "text", "text": answer.decode()}],
        "structuredContent": msgspec.Raw(answer),
        "isError": False,
    }
