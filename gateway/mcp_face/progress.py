"""Progress notifications: what a call tells before it is answered.

https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from gateway.mcp_face.jsonrpc import Message

Notify = Callable[[bytes], None]
"""Takes a notification, as JSON, on its way to the caller; never waits."""


@dataclass(slots=True)
class CallProgress:
    """`Progress` of one call. `notify` is None where the caller cannot hear it."""

    token: str | int | None
    notify: Notify | None
    _last: float = field(default=-1.0)

    @property
    def is_wanted(self) -> bool:
        return self.token is not None and self.notify is not None

    def tell(self, done: float, total: float | None, message: str) -> None:
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
        told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        self.notify(msgspec.json.encode(told))


def progress_of(message: Message, notify: Notify | None) -> CallProgress:
    """The progress of a request; wanted when it carries a token."""
    token = message.meta.get("progressToken")
    known = isinstance(token, str | int) and not isinstance(token, bool)
    return CallProgress(token if known else None, notify)
