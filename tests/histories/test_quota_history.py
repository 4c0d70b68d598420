"""The checker of histories: it takes what an exact counter says, and finds what is planted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.histories.quota_history import Operation, Outcome, check, overdrawn, overlooked

COSTS = st.integers(1, 3)
SPREAD = st.floats(0, 40, allow_nan=False)
STEP = 10.0
MAX_STEPS = 6
"""Of a history that is tried in every order; the last operation may have two more."""


@st.composite
def exact_histories(
    draw: st.DrawFn, *, with_unknown: bool = True, with_refunds: bool = True
) -> tuple[int, list[Operation]]:
    """Draw the history that callers of an exact counter record when their calls overlap, with the limit."""
    limit = draw(st.integers(0, 12))
    kinds = ["admit"] * 4 + ["read"] + ["refund"] * with_refunds + ["unknown"] * with_unknown
    made, used, history = 0, 0, list[Operation]()
    for at in range(draw(st.integers(1, 25))):
        kind, cost = draw(st.sampled_from(kinds)), draw(COSTS)
        instant = at * STEP
        began, ended = instant - draw(SPREAD), instant + draw(SPREAD)
        if kind == "read":
            history.append(Operation("read", began, ended, 0, limit - used))
        elif kind == "refund" and made >= cost:
            made, used = made - cost, used - cost
            history.append(Operation("refunded", began, ended, cost))
        elif kind == "unknown":
            if used + cost <= limit and draw(st.booleans()):
                used += cost
            history.append(Operation("unknown", began, ended, cost))
        elif used + cost <= limit:
            made, used = made + cost, used + cost
            history.append(Operation("admitted", began, ended, cost, limit - used))
        else:
            history.append(Operation("refused", began, ended, cost, limit - used))
    return limit, history


@st.composite
def any_histories(draw: st.DrawFn) -> tuple[int, list[Operation]]:
    """Small ones that no counter need have given."""
    outcomes: list[Outcome] = ["admitted", "admitted", "refused", "read", "refunded", "unknown"]
    history, steps = list[Operation](), 0
    for _ in range(draw(st.integers(1, 5))):
        outcome, began = draw(st.sampled_from(outcomes)), float(draw(st.integers(0, 6)))
        cost = 0 if outcome == "read" else draw(st.integers(1, 2))
        is_known = outcome in ("admitted", "refused", "read")
        remaining = draw(st.integers(0, 3)) if is_known else None
        ended = began + draw(st.integers(0, 4))
        lost = int(outcome in ("admitted", "refused") and draw(st.booleans()))
        history.append(Operation(outcome, began, ended, cost, remaining, lost))
        steps += 1 + 2 * lost + (outcome == "unknown")
        if steps >= MAX_STEPS:
            break
    return draw(st.integers(0, 3)), history


@dataclass(frozen=True, eq=False)
class Attempt:
    """A call that may have been counted; `made_again` has the response of the same call."""

    operation: Operation
    made_again: Operation | None = None


Step = tuple[Operation | Attempt, int]


def by_all_orders(history: Sequence[Operation], limit: int) -> bool:
    """The same request answered by trying every order of every set of counted and uncounted calls."""
    known = [item for item in history if item.outcome != "unknown"]
    attempts = [Attempt(item) for item in history if item.outcome == "unknown"]
    attempts += [Attempt(replace(item, outcome="unknown"), item) for item in known if item.lost]
    fates_of_each = [(0, 1, 2) if item.made_again is None else (0, 2) for item in attempts]
    for fates in itertools.product(*fates_of_each):
        steps: list[Step] = [(item, 0) for item in known]
        for attempt, fate in zip(attempts, fates, strict=True):
            steps += [(attempt, number) for number in range(fate)]
        if any(_is_order(order, limit) for order in itertools.permutations(steps)):
            return True
    return False


def _is_order(order: Sequence[Step], limit: int) -> bool:
    """Return whether a counter responds so in this order, and nothing comes after what it had ended before."""
    used, counted = 0, set[int]()
    for at, (step, number) in enumerate(order):
        attempt = step if isinstance(step, Attempt) else None
        operation = step.operation if isinstance(step, Attempt) else step
        later = [other for other, _ in order[at + 1 :] if isinstance(other, Operation)]
        if any(other.ended < operation.began for other in later):
            return False
        if attempt is not None:
            is_uncounted_first = number == 1 and id(attempt) not in counted
            made_again = attempt.made_again
            is_late = made_again is not None and all(other is not made_again for other in later)
            if is_uncounted_first or is_late:
                return False
            counted.add(id(attempt))
        change = _change(operation, used, limit, is_undone=number == 1)
        if change is None:
            return False
        used += change
    return True


def _change(operation: Operation, used: int, limit: int, *, is_undone: bool) -> int | None:
    """Return what an operation adds to a counter at `used`; None if the counter responds otherwise."""
    if operation.outcome == "refunded" or is_undone:
        return -operation.cost
    fits, left = used + operation.cost <= limit, max(0, limit - used)
    added = {
        "unknown": operation.cost if fits else None,
        "admitted": operation.cost
        if fits and operation.remaining == left - operation.cost
        else None,
        "read": 0 if operation.remaining == left else None,
        "refused": 0 if operation.remaining == left and not fits else None,
    }
    return added[operation.outcome]


@given(exact_histories())
def test_an_exact_counter_is_linearizable(found: tuple[int, list[Operation]]) -> None:
    limit, history = found
    finding = check(history, limit)
    assert finding.is_linearizable, finding


@given(exact_histories(with_unknown=False))
def test_an_exact_counter_overlooks_and_overdraws_nothing(
    found: tuple[int, list[Operation]],
) -> None:
    limit, history = found
    assert overlooked(history, limit) == overdrawn(history, limit) == 0


@given(any_histories())
def test_it_agrees_with_trying_every_order(found: tuple[int, list[Operation]]) -> None:
    limit, history = found
    assert check(history, limit).is_linearizable == by_all_orders(history, limit)


@given(exact_histories(with_unknown=False, with_refunds=False), st.data())
def test_a_call_beyond_the_limit_is_found(
    found: tuple[int, list[Operation]], data: st.DataObject
) -> None:
    limit, history = found
    refused = [at for at, operation in enumerate(history) if operation.outcome == "refused"]
    assume(refused)
    at = data.draw(st.sampled_from(refused))
    history[at] = replace(history[at], outcome="admitted", remaining=0)
    assert not check(history, limit).is_linearizable


@given(exact_histories(with_unknown=False, with_refunds=False), st.data())
def test_two_calls_with_the_same_remainder_are_found(
    found: tuple[int, list[Operation]], data: st.DataObject
) -> None:
    limit, history = found
    admitted = [at for at, operation in enumerate(history) if operation.outcome == "admitted"]
    assume(len(admitted) > 1)
    first, other = data.draw(
        st.lists(st.sampled_from(admitted), min_size=2, max_size=2, unique=True)
    )
    history[first] = replace(history[first], remaining=history[other].remaining)
    assert not check(history, limit).is_linearizable


@given(exact_histories(with_unknown=False, with_refunds=False), st.data())
def test_a_call_that_is_refused_though_there_is_room_is_found(
    found: tuple[int, list[Operation]], data: st.DataObject
) -> None:
    limit, history = found
    admitted = [at for at, operation in enumerate(history) if operation.outcome == "admitted"]
    assume(admitted)
    at = data.draw(st.sampled_from(admitted))
    operation = history[at]
    assert operation.remaining is not None
    history[at] = replace(
        operation, outcome="refused", remaining=operation.remaining + operation.cost
    )
    assert not check(history, limit).is_linearizable


@given(st.integers(2, 8), st.integers(1, 3))
def test_a_counter_that_forgot_calls_is_found_and_measured(calls: int, forgotten: int) -> None:
    assume(forgotten < calls)
    limit = 20
    history = [
        Operation("admitted", at, at + 0.5, 1, limit - at - 1 + (forgotten if at == calls else 0))
        for at in range(calls + 1)
    ]
    finding = check(history, limit)
    assert not finding.is_linearizable
    assert (finding.explained, finding.used, len(finding.stuck)) == (calls, calls, 1)
    assert overlooked(history, limit) == forgotten


def test_a_result_from_before_a_call_that_had_ended_is_found() -> None:
    first = Operation("admitted", 0, 1, 1, 9)
    overlapping, after = Operation("read", 0.5, 3, 0, 10), Operation("read", 2, 3, 0, 10)
    assert check([first, overlapping], 10).is_linearizable
    assert not check([first, after], 10).is_linearizable


def test_an_unknown_call_may_be_counted_late_and_uncounted_again() -> None:
    unknown = Operation("unknown", 1, 2)
    reads = [Operation("read", at, at, 0, left) for at, left in ((3, 10), (4, 9), (5, 10))]
    assert check([unknown, *reads], 10).is_linearizable
    counted_before_it_began = Operation("read", 0, 0.5, 0, 9)
    assert not check([unknown, counted_before_it_began], 10).is_linearizable
    again = Operation("read", 6, 6, 0, 9)
    assert not check([unknown, *reads, again], 10).is_linearizable


def test_a_lost_attempt_is_uncounted_before_its_call_counts() -> None:
    call = Operation("admitted", 1, 6, 1, 9, lost=1)
    while_it_waits, after = Operation("read", 3, 4, 0, 9), Operation("read", 7, 8, 0, 9)
    assert check([while_it_waits, call, after], 10).is_linearizable
    assert not check([replace(call, remaining=8)], 10).is_linearizable
    assert not check([call, replace(after, remaining=8)], 10).is_linearizable
    before_it_began = Operation("read", 0, 0.5, 0, 9)
    assert not check([call, before_it_began], 10).is_linearizable
    not_lost = replace(call, lost=0)
    assert not check(
        [not_lost, while_it_waits, Operation("read", 5, 5.5, 0, 10)], 10
    ).is_linearizable
    assert check([call, while_it_waits, Operation("read", 5, 5.5, 0, 10)], 10).is_linearizable


def test_a_refused_call_may_have_a_lost_attempt() -> None:
    refused = Operation("refused", 1, 6, 1, 0, lost=1)
    reads = [Operation("read", 3, 4, 0, 0), Operation("admitted", 4.5, 5, 1, 0)]
    assert check([refused, *reads], 1).is_linearizable
    assert not check([replace(refused, lost=0), *reads], 1).is_linearizable


def test_thousands_of_calls_are_checked_in_a_moment() -> None:
    limit = 2_000
    history = [Operation("admitted", at, at + 12.5, 1, limit - at - 1) for at in range(limit)] + [
        Operation("refused", limit + at, limit + at + 9, 1, 0) for at in range(200)
    ]
    assert check(history, limit).is_linearizable


def test_what_was_admitted_beyond_the_limit_is_counted() -> None:
    calls = [Operation("admitted", at, at, 2, 0) for at in range(4)]
    assert overdrawn(calls, 5) == 3
    assert overdrawn([*calls, Operation("refunded", 9, 9, 2)], 5) == 1
