"""Checks recorded histories of a month's quota: could one exact counter have given these responses?

A history is linearizable (Herlihy and Wing, 1990) if each operation can be given one instant between its
begin and its end, so that a single counter that does one operation after the other answers as was recorded:
it admits a call exactly while the limit has room for it, and says exactly what is left.

The search is that of Wing and Gong with the memory of Lowe: depth first over which operation comes next, and
no state twice. Operations that change nothing are taken as soon as they fit, which loses no solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["admitted", "refused", "read", "refunded", "unknown"]

_NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Operation:
    """One call as its caller saw it.

    Attributes:
        outcome: "refused" for lack of room, "read" for a look at what is left, "refunded" for a request
            that was refunded. "unknown" for a call without a response: it may have been counted at any
            time after its begin, and uncounted again at any time after that.
        began: When the caller sent it.
        ended: When the caller had the response.
        cost: Requests that it takes or gives back.
        remaining: What the response said is left; None for "refunded" and "unknown".
        lost: Attempts whose responses were lost, after which the call was made again. Each may have been
            counted as well, but was uncounted before the one with the response was decided on.
    """

    outcome: Outcome
    began: float
    ended: float
    cost: int = 1
    remaining: int | None = None
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of the search.

    Attributes:
        is_linearizable: Whether there is an order.
        explained: Operations in the longest order that was found.
        used: Requests used after it.
        stuck: Operations of which one had to be next and none could; empty if all are explained.
    """

    is_linearizable: bool
    explained: int
    used: int
    stuck: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class _State:
    """The operations that are done, as bits; the counted and uncounted ones of the attempts without response."""

    done: int
    counted: int
    uncounted: int
    used: int


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A call without a response, that may have been counted and uncounted again.

    `made_again` is the position of the operation that has the response of the same call, if there is one.
    """

    began: float
    cost: int
    made_again: int | None = None


def check(history: Sequence[Operation], limit: int, used: int = 0) -> Finding:
    """Looks for an order of one counter that begins with `used` of `limit` requests."""
    search = _Search(history, limit)
    begin = search.settled(_State(0, 0, 0, used))
    stack, seen, best = [begin], {begin}, begin
    while stack:
        state = stack.pop()
        if state.done.bit_count() > best.done.bit_count():
            best = state
        if state.done == search.all_done:
            return Finding(is_linearizable=True, explained=len(search.known), used=state.used)
        for following in search.following(state):
            settled = search.settled(following)
            if settled not in seen:
                seen.add(settled)
                stack.append(settled)
    stuck = tuple(search.known[at] for at in search.open(best.done))
    return Finding(
        is_linearizable=False, explained=best.done.bit_count(), used=best.used, stuck=stuck
    )


class _Search:
    """The rules: what may come next, and what it makes of the counter."""

    def __init__(self, history: Sequence[Operation], limit: int) -> None:
        self.known = sorted(
            (item for item in history if item.outcome != "unknown"), key=lambda item: item.began
        )
        self.attempts = sorted(_attempts(self.known, history), key=lambda attempt: attempt.began)
        self.limit = limit
        self.all_done = (1 << len(self.known)) - 1

    def open(self, done: int) -> Iterator[int]:
        """Operations that may be next: they began before the first of the others ended."""
        first_end = self._first_end(done)
        for at in range(_first_zero(done), len(self.known)):
            if self.known[at].began > first_end:
                return
            if not done >> at & 1:
                yield at

    def settled(self, state: _State) -> _State:
        """The state after all operations that may be next, fit, and change nothing."""
        while True:
            fitting = [at for at in self.open(state.done) if self._fits_unchanged(at, state.used)]
            if not fitting:
                return state
            done = state.done
            for at in fitting:
                done |= 1 << at
            state = _State(done, state.counted, state.uncounted, state.used)

    def following(self, state: _State) -> Iterator[_State]:
        """The states after each operation that may be next; the likeliest ones last."""
        yield from self._attempt_next(state)
        for at in reversed(list(self.open(state.done))):
            change = self._change(self.known[at], state.used)
            if change is not None and not self._is_counted_before(at, state):
                done = state.done | 1 << at
                yield _State(done, state.counted, state.uncounted, state.used + change)

    def _attempt_next(self, state: _State) -> Iterator[_State]:
        """Counts or uncounts an attempt: of those that are alike the first one stands for all."""
        first_end = self._first_end(state.done)
        counted, uncounted = set[tuple[int, int | None]](), set[tuple[int, int | None]]()
        for at, attempt in enumerate(self.attempts):
            if attempt.began > first_end:
                return
            bit, kind = 1 << at, (attempt.cost, attempt.made_again)
            if not state.counted & bit:
                has_ended = attempt.made_again is not None and state.done >> attempt.made_again & 1
                lacks_room = state.used + attempt.cost > self.limit
                if kind not in counted and not has_ended and not lacks_room:
                    counted.add(kind)
                    used = state.used + attempt.cost
                    yield _State(state.done, state.counted | bit, state.uncounted, used)
            elif not state.uncounted & bit and kind not in uncounted:
                uncounted.add(kind)
                used = state.used - attempt.cost
                yield _State(state.done, state.counted, state.uncounted | bit, used)

    def _is_counted_before(self, at: int, state: _State) -> bool:
        """Return whether a lost attempt of an operation is still counted."""
        counted = state.counted & ~state.uncounted
        return any(
            attempt.made_again == at and counted >> number & 1
            for number, attempt in enumerate(self.attempts)
        )

    def _first_end(self, done: int) -> float:
        first, lowest = _NEVER, _first_zero(done)
        for at in range(lowest, len(self.known)):
            operation = self.known[at]
            if operation.began > first:
                break
            if not done >> at & 1:
                first = min(first, operation.ended)
        return first

    def _fits_unchanged(self, at: int, used: int) -> bool:
        operation = self.known[at]
        return not operation.lost and self._is_right_unchanged(operation, used)

    def _is_right_unchanged(self, operation: Operation, used: int) -> bool:
        """Return whether a counter at `used` gives this response, and stays as it is."""
        if operation.outcome not in ("read", "refused"):
            return False
        lacks_room = used + operation.cost > self.limit
        return operation.remaining == max(0, self.limit - used) and (
            operation.outcome == "read" or lacks_room
        )

    def _change(self, operation: Operation, used: int) -> int | None:
        """Return what the operation adds to the counter; None if a counter at `used` responds otherwise."""
        if operation.outcome == "refunded":
            return -operation.cost
        if self._is_right_unchanged(operation, used):
            return 0
        is_right = (
            operation.outcome == "admitted"
            and operation.remaining == self.limit - used - operation.cost
        )
        return operation.cost if is_right and used + operation.cost <= self.limit else None


def _attempts(known: Sequence[Operation], history: Sequence[Operation]) -> Iterator[_Attempt]:
    for at, operation in enumerate(known):
        for _ in range(operation.lost if operation.cost else 0):
            yield _Attempt(operation.began, operation.cost, at)
    for operation in history:
        if operation.outcome == "unknown":
            for _ in range(1 + operation.lost):
                yield _Attempt(operation.began, operation.cost)


def _first_zero(bits: int) -> int:
    """The position of the lowest bit that is not set."""
    return (~bits & (bits + 1)).bit_length() - 1


def overlooked(history: Sequence[Operation], limit: int, used: int = 0) -> int:
    """The most requests that got a response before an admission began and that it did not count.

    0 in every linearizable history. Where two counters stand in for each other it measures how far apart
    they were, in requests, whatever else the history holds.
    """
    admitted = [item for item in history if item.outcome == "admitted"]
    refunds = [item for item in history if item.outcome == "refunded"]
    max_excess = 0
    for item in admitted:
        assert item.remaining is not None
        counted = limit - item.remaining - item.cost
        before = sum(other.cost for other in admitted if other.ended < item.began)
        refunded = sum(other.cost for other in refunds if other.began < item.ended)
        max_excess = max(max_excess, used + before - refunded - counted)
    return max_excess


def overdrawn(history: Sequence[Operation], limit: int, used: int = 0) -> int:
    """Requests that were admitted beyond the limit, those that were refunded left out."""
    admitted = sum(item.cost for item in history if item.outcome == "admitted")
    refunded = sum(item.cost for item in history if item.outcome == "refunded")
    return max(0, used + admitted - refunded - limit)
