"""What is logged of requests that a server refuses by itself: anybody can send them, at any rate."""

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from servicekit.observability import logs

EVERY_SECONDS: Final = 60.0

log = logs.get(__name__)


class RefusalLog:
    """Counts each refusal, and logs a line a minute at most: the latest one, and how many came since the line before."""

    def __init__(
        self, count: Callable[[HTTPStatus], object], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._count = count
        self._now = now
        self._refused = 0
        self._next_at = float("-inf")

    def add(self, status: HTTPStatus, peer: str) -> None:
        """Count a refusal; `peer` is the address that the connection came from."""
        self._count(status)
        self._refused += 1
        now = self._now()
        if now < self._next_at:
            return
        log.warning("requests_refused", status=status.value, peer=peer, refused=self._refused)
        self._refused, self._next_at = 0, now + EVERY_SECONDS
