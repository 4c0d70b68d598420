"""A time limit on clients that do not read their response.

A transport stores what its client has not read yet, and applications wait until there is room again: without a
limit both stay for as long as the client is connected.

That a client reads is seen by what its system acknowledges. The transport's buffer alone does not show it: Linux
takes more from it only once about a third of a socket's own buffer is free, which takes minutes where a client
reads some kilobytes a second. A system whose own buffer was full acknowledges more once there is room for a
segment (RFC 9293 section 3.8.6.2.2): some kilobytes in a network, 64 to 96 over loopback.
"""

import array
import asyncio
import contextlib
import fcntl
import termios
from collections.abc import Callable

from uvicorn.protocols.http.flow_control import FlowControl

from servicekit.observability import logs

log = logs.get(__name__)


class TimedFlow(FlowControl):
    """uvicorn's control of the flow, which ends a connection whose client reads nothing for too long.

    There is a timer only while the transport's buffer is full, or is being flushed before the connection ends.

    Args:
        transport: That of the connection.
        timeout_seconds: Longest that the client acknowledges no byte.
        on_unread: Called for a connection that is ended so.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        timeout_seconds: float,
        on_unread: Callable[[], object],
    ) -> None:
        super().__init__(transport)
        self._timeout_seconds = timeout_seconds
        self._on_unread = on_unread
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
        """Abort the connection unless bytes are acknowledged in time, until the buffer is empty."""
        if self._timer is None and self._transport.get_write_buffer_size():
            unread = _unacknowledged(self._transport)
            self._timer = self._loop.call_later(self._timeout_seconds, self._check, unread)

    def stop(self) -> None:
        """Check no more: the connection has ended, or its client reads."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, unread: int) -> None:
        self._timer = None
        left = _unacknowledged(self._transport)
        if left < unread:
            self.require_progress()
            return
        self._on_unread()
        log.warning("response_not_read", unread_bytes=left, seconds=self._timeout_seconds)
        self._transport.abort()


def _unacknowledged(transport: asyncio.Transport) -> int:
    """Return how many bytes the transport and its socket store: the transport alone, where the kernel does not say."""
    in_kernel = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(transport.get_extra_info("socket"), termios.TIOCOUTQ, in_kernel)
    return transport.get_write_buffer_size() + in_kernel[0]
