"""What is logged of requests that a server refuses by itself: anybody can send them, at any rate."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from servicekit.observability import logs

EVERY_SECONDS: Final = 60.0

log = logs.get(__name__)

Later = Callable[[float, Callable[[], None]], object]
"""Calls a function after so many seconds."""


def _later(seconds: float, function: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(seconds, function)


class RefusalLog:
    """Counts each refusal, and logs the first at once and those of the minute behind it when that has ended.

    A line has the last one of them, and how many they are.
    """

    def __init__(self, count: Callable[[HTTPStatus], object], later: Later = _later) -> None:
        self._count = count
        self._later = later
        self._refused = 0
        self._last = (HTTPStatus.BAD_REQUEST, "")
        self._is_waiting = False

    def add(self, status: HTTPStatus, peer: str) -> None:
        """Count a refusal; `peer` is the address that the connection came from."""
        self._count(status)
        self._refused += 1
        self._last = (status, peer)
        if not self._is_waiting:
            self._log()

    def _log(self) -> None:
        status, peer = self._last
        log.warning("requests_refused", status=status.value, peer=peer, refused=self._refused)
        self._refused, self._is_waiting = 0, True
        self._later(EVERY_SECONDS, self._end_minute)

    def _end_minute(self) -> None:
        self._is_waiting = False
        if self._refused:
            self._log()
