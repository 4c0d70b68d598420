"""Shared slots: few holders cannot have all of them, and none is ended for a holder of as many."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gateway.fair_bulkhead import ENDED, FairBulkhead, Slot
from servicekit.concurrency.bulkhead import REJECTED_CALLS
from servicekit.errors import Unavailable


class Streams:
    """Streams that end on request."""

    def __init__(self, slots: int) -> None:
        self.bulkhead = FairBulkhead("unit", slots)
        self.open: list[tuple[str, Slot]] = []

    def begin(self, account: str) -> bool:
        entry: list[tuple[str, Slot]] = []
        try:
            slot = self.bulkhead.slot(account, lambda: self.open.remove(entry[0]))
        except Unavailable:
            return False
        entry.append((account, slot))
        self.open.append(entry[0])
        return True

    def leave(self, at: int) -> None:
        with self.open.pop(at)[1]:
            pass

    def by_account(self) -> Counter[str]:
        return Counter(account for account, _ in self.open)


def count(metric: Any) -> float:
    return metric.labels("unit")._value.get()


def test_fifty_accounts_cannot_hold_all_streams() -> None:
    streams = Streams(1_000)
    for at in range(1_000):
        assert streams.begin(f"greedy {at % 50}")
    for at in range(950):
        assert streams.begin(f"modest {at}"), at
    assert set(streams.by_account().values()) == {1}
    before = count(REJECTED_CALLS)
    assert not streams.begin("one too many")
    assert count(REJECTED_CALLS) == before + 1


def test_the_newest_stream_of_the_greediest_is_ended() -> None:
    streams = Streams(6)
    for account in ("a", "b", "b", "b", "a", "c"):
        assert streams.begin(account)
    oldest = streams.open[:3]
    before = count(ENDED)
    assert streams.begin("d")
    assert streams.by_account() == {"a": 2, "b": 2, "c": 1, "d": 1}
    assert streams.open[:3] == oldest
    assert count(ENDED) == before + 1


def test_the_holder_of_the_largest_share_is_refused_and_nobody_is_ended_for_them() -> None:
    streams = Streams(3)
    assert [streams.begin(account) for account in "aabaab"] == [True] * 3 + [False] * 3
    assert streams.by_account() == {"a": 2, "b": 1}


def test_work_that_may_not_be_ended_stays() -> None:
    bulkhead = FairBulkhead("unit", 3)
    for holder in "aab":
        bulkhead.slot(holder)
    with pytest.raises(Unavailable):
        bulkhead.slot("c")


def test_work_that_may_not_be_ended_leaves_as_many_slots_as_a_holder_has() -> None:
    bulkhead = FairBulkhead("unit", 12)
    assert admitted(bulkhead, "a") == 6
    assert admitted(bulkhead, "b") == 3
    assert admitted(bulkhead, "c") == 1
    bulkhead.slot("d")
    bulkhead.slot("e")
    with pytest.raises(Unavailable):
        bulkhead.slot("f")


@pytest.mark.parametrize("slots", [64, 1_000])
def test_however_greedy_others_are_a_quarter_of_the_slots_goes_to_newcomers(slots: int) -> None:
    bulkhead = FairBulkhead("unit", slots)
    greedy = [admitted(bulkhead, f"greedy {number}") for number in range(14)]
    newcomers = [admitted(bulkhead, f"newcomer {number}") for number in range(slots)]
    assert greedy[:2] == [slots // 2, slots // 4]
    assert set(greedy[2:]) == {1}
    assert sum(greedy[2:]) + sum(newcomers) == slots // 4
    assert max(newcomers) == 1


def test_slots_of_work_that_can_be_ended_are_left_for_work_that_cannot() -> None:
    bulkhead = FairBulkhead("unit", 6)
    ended: list[str] = []
    for number in range(6):
        bulkhead.slot("a", lambda number=number: ended.append(str(number)))
    assert admitted(bulkhead, "b") == 3
    assert ended == ["5", "4", "3"]


def test_work_can_be_ended_only_while_it_says_so() -> None:
    bulkhead = FairBulkhead("unit", 3)
    ended: list[str] = []
    bulkhead.slot("a")
    second = bulkhead.slot("a")
    bulkhead.slot("b")
    with second.endable(lambda: ended.append("second")):
        bulkhead.slot("c")
    assert ended == ["second"]
    with second:
        pass
    with pytest.raises(Unavailable):
        bulkhead.slot("d")


def admitted(bulkhead: FairBulkhead, holder: str) -> int:
    """The number of slots of a holder that takes all it can get."""
    for count in range(1_000):
        try:
            bulkhead.slot(holder)
        except Unavailable:
            return count
    raise AssertionError("there is no end of slots")


def test_a_slot_that_was_given_up_is_not_free_twice() -> None:
    bulkhead = FairBulkhead("unit", 2)
    ended: list[str] = []
    first = bulkhead.slot("a", lambda: ended.append("first"))
    second = bulkhead.slot("a", lambda: ended.append("second"))
    bulkhead.slot("b")
    assert ended == ["second"]
    with second:
        pass
    with pytest.raises(Unavailable):
        bulkhead.slot("c")
    with first:
        pass
    bulkhead.slot("c")


class Shares(RuleBasedStateMachine):
    """No order of coming and going loses a slot, or gives one too many."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = Streams(8)

    @rule(account=st.sampled_from("abcdefghijkl"))
    def come(self, account: str) -> None:
        before = self.streams.by_account()
        admitted = self.streams.begin(account)
        greediest = max(before.values(), default=0)
        fits = sum(before.values()) < 8 or greediest > before[account] + 1
        assert admitted is fits

    @precondition(lambda self: self.streams.open)
    @rule(data=st.data())
    def go(self, data: st.DataObject) -> None:
        self.streams.leave(data.draw(st.integers(0, len(self.streams.open) - 1)))

    @invariant()
    def there_are_never_too_many(self) -> None:
        assert len(self.streams.open) <= 8


TestShares = Shares.TestCase
