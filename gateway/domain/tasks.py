"""Work that continues after its call has returned, as the caller who started it follows it.

The states are those of the Tasks extension of MCP (SEP-2663).
https://modelcontextprotocol.io/seps/2663-tasks-extension
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from servicekit.errors import NotFound

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Task:
    """A task at one moment.

    Attributes:
        task_id: Names the task; not to be guessed.
        status: Its state. A call with a result that is an error is `completed` with `is_error`.
        message: A sentence about its state, for people.
        created_at: When it was created.
        updated_at: When it last changed, as far as that is known.
        poll_ms: Milliseconds after which the next poll makes sense.
        ttl_ms: Milliseconds from its creation for which it is stored; None means for good.
        result: The result of the call; of a completed task.
        is_error: True if the result is a failure.
        fault: The fault as a sentence; of a failed task.
        input_requests: Requests to the caller, as MCP has them, by key; of one that needs input.
    """

    task_id: str
    status: TaskStatus
    message: str
    created_at: datetime
    updated_at: datetime
    poll_ms: int
    ttl_ms: int | None = None
    result: object = None
    is_error: bool = False
    fault: str | None = None
    input_requests: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def has_ended(self) -> bool:
        return self.status not in ("working", "input_required")


class UnknownTask(NotFound):
    """The account has no such task."""

    default_reason = "TASK_NOT_FOUND"

    def __init__(self, task_id: str) -> None:
        super().__init__(f"You have no task {task_id[:64]!r}.")
