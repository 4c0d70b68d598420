"""Progress notifications: messages of a call before its result.

https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final

import msgspec

from gateway.fair_bulkhead import Slot
from gateway.mcp.jsonrpc import Message

Notify = Callable[[bytes], None]
"""Sends a notification, as JSON, to the caller; never waits."""


@dataclass(slots=True)
class CallProgress:
    """`Progress` of one call.

    Attributes:
        token: The caller's token of the request; None if the caller wants no progress.
        notify: Sends a message to the caller; None without a stream.
        slot: The slot that the call holds among the streams; None without a stream.
    """

    token: str | int | None
    notify: Notify | None
    slot: Slot | None = None
    _last: float = field(default=-1.0)

    @property
    def is_wanted(self) -> bool:
        return self.token is not None and self.notify is not None

    def endable(self, end: Callable[[], None]) -> AbstractContextManager[None]:
        return nullcontext() if self.slot is None else self.slot.endable(end)

    def report(self, done: float, total: float | None, message: str) -> None:
        if self.token is None or self.notify is None or done <= self._last:
            return
        self._last = done
        params: dict[str, object] = {
            "progressToken": self.token,
            "progress": done,
            "message": message,
        }
        if total is not None:
            params["total"] = max(total, done)
        notification = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        self.notify(msgspec.json.encode(notification))


NO_PROGRESS: Final = CallProgress(None, None)
"""The progress of every call whose caller gets no messages before the result."""


def progress_of(message: Message, notify: Notify, slot: Slot | None) -> CallProgress:
    """Return the progress of a request; it is wanted if the request carries a token."""
    token = message.meta.get("progressToken")
    known = isinstance(token, str | int) and not isinstance(token, bool)
    return CallProgress(token if known else None, notify, slot)
