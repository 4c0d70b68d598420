"""Ctrl-C, SIGTERM and the end of the terminal, while a stack starts and while it runs."""

import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopFlag:
    """Set by the handler of a signal, in the very thread that may be waiting for it.

    `threading.Event` is unfit for that: `set` waits for a lock that the interrupted thread may hold in `wait`.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._wakes: SimpleQueue[None] = SimpleQueue()  # its `put` may interrupt its `get`

    def set(self) -> None:
        self._is_set = True
        self._wakes.put(None)

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Return whether it is set by then."""
        if not self._is_set:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        return self._is_set


class Interruption:
    """The signals to stop.

    While a stack starts they end whatever the main thread waits for, by KeyboardInterrupt, but not within
    `deferred`. Once it runs they only set `stopped`.
    """

    def __init__(self) -> None:
        self.stopped = StopFlag()
        self._ends_start = False
        self._deferrals = 0

    @contextmanager
    def ending_start(self) -> Generator[None]:
        """Let signals end the block by KeyboardInterrupt; those that came before it do, too.

        Raises:
            KeyboardInterrupt: A signal came.
        """
        self._ends_start = True
        try:
            self._raise_if_stopped()
            yield
        finally:
            self._ends_start = False
        # A signal that came in a callback of the interpreter has left nothing but the event.
        if self.stopped.is_set():
            raise KeyboardInterrupt

    @contextmanager
    def deferred(self) -> Generator[None]:
        """Hold signals back until the end of the block, after which whatever it started is known."""
        self._deferrals += 1
        try:
            yield
        finally:
            self._deferrals -= 1
        self._raise_if_stopped()

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        self.stopped.set()
        self._raise_if_stopped()

    def _raise_if_stopped(self) -> None:
        if self._ends_start and not self._deferrals and self.stopped.is_set():
            raise KeyboardInterrupt


INTERRUPTION: Final = Interruption()
"""That of this process, as signals are."""


def handle_signals() -> Interruption:
    """Handle the signals to stop from now on; after nohup, SIGHUP stays ignored."""
    for number in _SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, INTERRUPTION.handle)
    return INTERRUPTION
