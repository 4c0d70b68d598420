"""Processes that are waited for: whether one has ended, and until when."""

import time
from collections.abc import Callable
from typing import Final

import psutil

_SECONDS: Final = 60.0


def wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
