"""Calls of libraries that do not return on a signal, made so that the command ends on one all the same."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def interruptible(call: Callable[[], T], seconds: float | None = None) -> T:
    """Return what `call` returns. It runs in a thread of its own, which is left alone when a signal raises here.

    Raises:
        TimeoutError: It takes longer than `seconds`, and goes on.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - whoever waits has to see it
            future.set_exception(error)

    # A daemon: the process does not wait for it at its end.
    threading.Thread(target=run, name="backup-storage", daemon=True).start()
    return future.result(seconds)
