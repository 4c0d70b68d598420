"""What a method is given and what it gives back."""

from typing import Any

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.ports import Elicitor
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import Message
from gateway.mcp.progress import Notify
from gateway.mcp.transport.http import Headers, Request
from servicekit.concurrency.fair_bulkhead import Place


class Incoming(msgspec.Struct, frozen=True):
    """A request with all that is known of its sender.

    Attributes:
        message: The request.
        caller: Who sent it, as MCP knows them.
        principal: Who sent it, as the account knows them.
        request: The HTTP request that brought it.
        notify: Where to put what is told before the answer; None where it cannot be heard.
        elicitor: Asks the sender back.
        place: That the request holds among the streams; None where it is answered without one.
    """

    message: Message
    caller: ClientInfo
    principal: Principal
    request: Request
    notify: Notify | None
    elicitor: Elicitor
    place: Place | None = None


class Result(msgspec.Struct, frozen=True):
    """The result of a request.

    Attributes:
        value: The result itself.
        headers: Beside it.
        fixed: Of a result that is the same for many callers: names the method and all that the value
            depends on, but for the era.
    """

    value: dict[str, Any]
    headers: Headers = ()
    fixed: tuple[object, ...] | None = None


def answered(answer: bytes) -> dict[str, Any]:
    """The result of a tool call: its answer, which is JSON, for people and for programs."""
    return {
        "content": [{"type": "text", "text": answer.decode()}],
        "structuredContent": msgspec.Raw(answer),
        "isError": False,
    }
