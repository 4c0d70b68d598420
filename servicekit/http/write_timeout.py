"""A time limit on clients that do not read their response.

A transport stores what its client has not read yet, and applications wait until there is room again: without a
limit both stay for as long as the client is connected.
"""

import asyncio
from typing import Final

from prometheus_client import Counter
from uvicorn.protocols.http.flow_control import FlowControl

from servicekit.observability import logs

UNREAD_RESPONSES: Final = Counter(
    "sponsorgraph_http_unread_responses",
    "Connections that were ended because their client did not read its response.",
)

log = logs.get(__name__)


class TimedFlow(FlowControl):
    """uvicorn's control of the flow, which ends a connection whose client reads nothing for too long.

    There is a timer only while the transport's buffer is full, or is being flushed before the connection ends.

    Args:
        transport: That of the connection.
        timeout_seconds: Longest that no byte leaves the buffer.
    """

    def __init__(self, transport: asyncio.Transport, timeout_seconds: float) -> None:
        super().__init__(transport)
        self._timeout_seconds = timeout_seconds
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Have applications wait until the buffer is nearly empty, and the client read meanwhile."""
        super().pause_writing()
        self.require_progress()

    def resume_writing(self) -> None:
        """Let applications write again."""
        super().resume_writing()
        if not self._transport.is_closing():
            self.stop()

    def require_progress(self) -> None:
        """Abort the connection unless bytes leave the buffer in time, until it is empty."""
        unsent = self._transport.get_write_buffer_size()
        if self._timer is None and unsent:
            self._timer = self._loop.call_later(self._timeout_seconds, self._check, unsent)

    def stop(self) -> None:
        """Check no more: the connection has ended, or its client reads."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, unsent: int) -> None:
        self._timer = None
        left = self._transport.get_write_buffer_size()
        if left < unsent:
            self.require_progress()
            return
        UNREAD_RESPONSES.inc()
        log.warning("response_not_read", unsent_bytes=left, seconds=self._timeout_seconds)
        self._transport.abort()
