"""Slots for long work, shared fairly among holders.

For long work, such as a stream that is open for hours: otherwise the first callers would keep out
all later ones. Of work that can be ended, the holder of most slots loses one when all are taken. Of
work that cannot, nobody gets more than there is left for the others, and the last quarter of the slots
is for holders without one.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from prometheus_client import Counter

from servicekit.concurrency.bulkhead import CALLS_IN_FLIGHT, REJECTED_CALLS, RETRY_SECONDS
from servicekit.errors import Unavailable

_RESERVE: Final = 4
"""One slot of so many is reserved for holders who have none."""

ENDED: Final = Counter(
    "sponsorgraph_calls_ended_for_others",
    "Calls that were ended as their account had most places, and another account needed one.",
    ["part"],
)


@dataclass(eq=False, slots=True)
class Slot:
    """One taken slot; leaving the block frees it.

    Attributes:
        number: Of all that were ever taken.
        holder: Whose it is.
        end: Ends its work early; None while that may not be.
        free: Gives it back.
    """

    number: int
    holder: str
    end: Callable[[], None] | None
    free: Callable[["Slot"], None] = field(repr=False)

    def __enter__(self) -> Self:
        return self

    @contextmanager
    def endable(self, end: Callable[[], None]) -> Generator[None]:
        """Allow `end` to end the work early within the block."""
        before, self.end = self.end, end
        try:
            yield
        finally:
            self.end = before

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.free(self)


class FairBulkhead:
    """Slots shared by holders.

    When none is free, a holder gets one of a holder who has at least two more: the newest whose
    work can be ended. So as many holders as there are slots have one each.

    Of slots whose work cannot be ended a holder gets another only while it has fewer of them than
    are not held so, and only while a quarter of all stays free of such work: whoever comes first gets
    half of all at most, the next one half of the rest. The last quarter goes by one slot to each
    holder who has none, so that however greedy the others are, as many newcomers get one.

    Args:
        part: The label in metrics.
        slots: The number of slots.
    """

    def __init__(self, part: str, slots: int) -> None:
        self._slots = slots
        self._taken = 0
        self._count = 0
        self._held: dict[str, list[Slot]] = {}
        CALLS_IN_FLIGHT.labels(part).set_function(lambda: self._taken)
        self._turned_away = REJECTED_CALLS.labels(part)
        self._ended = ENDED.labels(part)

    def slot(self, holder: str, end: Callable[[], None] | None = None) -> Slot:
        """Take a slot for `holder`.

        Raises:
            Unavailable: None is free and none may be taken from another, or the holder has its share
                of those whose work cannot be ended.
        """
        if end is None and not self._may_stay(holder):
            raise self._refusal()
        if self._taken >= self._slots:
            self._end_one_for(holder)
        self._count += 1
        slot = Slot(self._count, holder, end, self._free)
        self._held.setdefault(holder, []).append(slot)
        self._taken += 1
        return slot

    def _may_stay(self, holder: str) -> bool:
        own = _staying(self._held.get(holder, ()))
        left = self._slots - sum(map(_staying, self._held.values()))
        return not own or (own < left and left > self._slots // _RESERVE)

    def _end_one_for(self, holder: str) -> None:
        own = len(self._held.get(holder, ()))
        by_greed = sorted(
            (held for held in self._held.values() if len(held) > own + 1),
            key=lambda held: (len(held), held[-1].number),
            reverse=True,
        )
        for held in by_greed:
            newest = next((slot for slot in reversed(held) if slot.end is not None), None)
            if newest is not None and newest.end is not None:
                self._free(newest)
                self._ended.inc()
                newest.end()
                return
        raise self._refusal()

    def _refusal(self) -> Unavailable:
        self._turned_away.inc()
        return Unavailable(
            "Too many calls are under way. Try again in a second.", retry_after=RETRY_SECONDS
        )

    def _free(self, slot: Slot) -> None:
        held = self._held.get(slot.holder, [])
        if slot in held:  # it may have been ended for another
            held.remove(slot)
            self._taken -= 1
            if not held:
                del self._held[slot.holder]


def _staying(held: Sequence[Slot]) -> int:
    return sum(slot.end is None for slot in held)
