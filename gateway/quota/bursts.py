"""Burst buckets in this process, for the time in which there are none in Valkey."""

import time
from collections.abc import Callable
from typing import Final

from gateway.authentication.principal import Entitlements

_MAX_ACCOUNTS: Final = 10_000
_SLOWEST: Final = 0.001


class Bursts:
    """A bucket an account, full at first. Of many accounts the longest known are forgotten."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def reserve(self, entitlements: Entitlements) -> float:
        """Take one request from the account's bucket; return 0, or the seconds until it has one."""
        refill = max(_SLOWEST, entitlements.burst_refill_per_second)
        now = self._clock()
        tokens, at = self._buckets.pop(
            entitlements.account_id, (float(entitlements.burst_requests), now)
        )
        tokens = min(entitlements.burst_requests, tokens + (now - at) * refill)
        left = tokens - 1 if tokens >= 1 else tokens
        self._buckets[entitlements.account_id] = (left, now)
        if len(self._buckets) > _MAX_ACCOUNTS:
            del self._buckets[next(iter(self._buckets))]
        return 0.0 if tokens >= 1 else (1 - tokens) / refill

    def refund(self, entitlements: Entitlements) -> None:
        """Give back a request that was refused for another reason."""
        tokens, at = self._buckets.get(entitlements.account_id, (0.0, self._clock()))
        self._buckets[entitlements.account_id] = (tokens + 1, at)
