"""Requests as methods get them, and the results that methods return."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.ports import Elicitor
from gateway.domain.tasks import Task
from gateway.fair_bulkhead import Slot
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import Message
from gateway.mcp.progress import Notify
from gateway.mcp.texts.formats import TextFormat
from gateway.mcp.transport.http import Headers, Request
from gateway.tools import DOTTED, ToolNaming


class Needs(msgspec.Struct, frozen=True):
    """The needs of a request beside its result.

    Attributes:
        stream: The method may send messages before the result.
        elicitation: The method may request input from the sender.
        can_end_early: The stream may be ended at any time, when another caller needs its slot.
    """

    stream: bool = False
    elicitation: bool = False
    can_end_early: bool = False


META_QUOTA: Final = "sponsorgraph/quota"
"""The key of `_meta` under which a result has the quota after its call."""

PLAIN: Final = Needs()
"""The needs of a request that gets its result and nothing else."""


class Incoming(msgspec.Struct, frozen=True):
    """A request with all that is known of its sender.

    Attributes:
        message: The request.
        caller: The sender's client.
        principal: The sender's account and credential.
        request: The HTTP request that brought the message.
        notify: Sends a message before the result; None without a stream.
        elicitor: Requests input from the sender.
        slot: The slot that the request holds among the streams; None without a stream.
        naming: The names under which the connection sees tools.
        toolsets: The toolsets that the connection takes; None for all tools.
        text_format: The format of the text of answers.
    """

    message: Message
    caller: ClientInfo
    principal: Principal
    request: Request
    notify: Notify | None
    elicitor: Elicitor
    slot: Slot | None = None
    naming: ToolNaming = DOTTED
    toolsets: frozenset[str] | None = None
    text_format: TextFormat = "json"


class Result(msgspec.Struct, frozen=True):
    """The result of a request.

    Attributes:
        value: The result itself.
        headers: HTTP header fields beside it.
        fixed: Key of a result that is the same for many callers: the method, and all that the value
            depends on except the protocol version.
        failure: The error that the result tells of, as programs get it; None for a success.
    """

    value: dict[str, Any]
    headers: Headers = ()
    fixed: tuple[object, ...] | None = None
    failure: Mapping[str, object] | None = None


def created_task(task: Task) -> dict[str, Any]:
    """Return the result of a call that became a task."""
    return {"resultType": "task", **task_fields(task)}


def task_fields(task: Task) -> dict[str, Any]:
    """Return a task's fields as the Tasks extension has them."""
    return {
        "taskId": task.task_id,
        "status": task.status,
        "statusMessage": task.message,
        "createdAt": task.created_at,
        "lastUpdatedAt": task.updated_at,
        "ttlMs": task.ttl_ms,
        "pollIntervalMs": task.poll_ms,
    }
