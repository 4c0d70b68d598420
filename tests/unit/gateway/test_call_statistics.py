"""Sums of calls are reported once, also when a report fails."""

from collections import Counter
from collections.abc import Sequence

import pytest

from gateway.call_statistics import CallStatistics, EndedCall
from servicekit.errors import Unavailable
from shapes.auth.auth import CallSum


class Recorder:
    """An auth service that knows its batches; the first `lost` replies do not arrive."""

    def __init__(self, lost: int = 0) -> None:
        self.batches: dict[str, Sequence[CallSum]] = {}
        self.received = 0
        self._lost = lost

    async def record(self, batch_id: str, sums: Sequence[CallSum]) -> None:
        self.received += 1
        self.batches.setdefault(batch_id, sums)
        if self.received <= self._lost:
            raise Unavailable("The reply was lost.")

    def sums(self) -> list[CallSum]:
        return [item for batch in self.batches.values() for item in batch]


def ended(tool: str = "sponsor.get", *, failed: bool = False, account: str = "a") -> EndedCall:
    return EndedCall(account, "key", tool, 0.02, failed)


async def test_calls_are_summed_up_by_tool_with_their_errors_and_latencies() -> None:
    recorder = Recorder()
    statistics = CallStatistics(recorder.record)
    for call in (ended(), ended(failed=True), ended("sponsor.top")):
        statistics.add(call)
    await statistics.report()
    assert {(s.tool, s.calls, s.errors, s.latencies[2]) for s in recorder.sums()} == {
        ("sponsor.get", 2, 1, 2),
        ("sponsor.top", 1, 0, 1),
    }
    await statistics.report()
    assert recorder.received == 1


async def test_a_batch_whose_reply_was_lost_is_sent_again_under_its_id() -> None:
    recorder = Recorder(lost=1)
    statistics = CallStatistics(recorder.record)
    statistics.add(ended())
    with pytest.raises(Unavailable):
        await statistics.report()
    statistics.add(ended())
    await statistics.end()
    assert recorder.received == 3
    assert sum(item.calls for item in recorder.sums()) == 2


async def test_more_sums_than_a_batch_holds_go_in_several() -> None:
    recorder = Recorder()
    statistics = CallStatistics(recorder.record)
    for number in range(2_300):
        statistics.add(ended(account=str(number)))
    await statistics.report()
    assert sorted(len(batch) for batch in recorder.batches.values()) == [300, 1_000, 1_000]
    assert max(Counter(item.account_id for item in recorder.sums()).values()) == 1


async def test_while_nothing_can_be_reported_the_oldest_sums_are_dropped() -> None:
    recorder = Recorder(lost=100)
    statistics = CallStatistics(recorder.record)
    for _ in range(25):
        statistics.add(ended())
        await statistics.end()
    assert recorder.received == 25
    await CallStatistics(recorder.record).end()
    assert recorder.received == 25
