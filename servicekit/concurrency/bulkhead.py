"""A limit on concurrent calls; a call beyond it is refused at once.

Without a limit a part that hangs, or a rush, lets calls pile up until memory or descriptors run out,
and all callers wait; with one a caller beyond it learns within a millisecond when to retry.
"""

from types import TracebackType
from typing import Final

from prometheus_client import Counter, Gauge

from servicekit.errors import Unavailable

RETRY_SECONDS: Final = 1.0

CALLS_IN_FLIGHT: Final = Gauge(
    "sponsorgraph_calls_in_flight", "Calls that are being answered now.", ["part"]
)
REJECTED_CALLS: Final = Counter(
    "sponsorgraph_calls_rejected",
    "Calls that were refused at once, as too many were under way.",
    ["part"],
)


class Bulkhead:
    """Slots for calls; `with` holds one, or raises `Unavailable` when none is free.

    Args:
        part: What the calls are for, as metrics name it.
        max_calls: Calls under way at once.
    """

    def __init__(self, part: str, max_calls: int) -> None:
        self._max_calls = max_calls
        self._under_way = 0
        CALLS_IN_FLIGHT.labels(part).set_function(lambda: self._under_way)
        self._turned_away = REJECTED_CALLS.labels(part)

    def check(self) -> None:
        """Check that a slot is free, without taking it.

        Raises:
            Unavailable: There is none.
        """
        if self._under_way >= self._max_calls:
            self._turned_away.inc()
            raise Unavailable(
                "Too many calls are under way. Try again in a second.", retry_after=RETRY_SECONDS
            )

    def __enter__(self) -> None:
        self.check()
        self._under_way += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._under_way -= 1
