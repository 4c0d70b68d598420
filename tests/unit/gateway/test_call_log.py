"""The compact queue of counted calls returns the calls that were put in, and takes little memory."""

import tracemalloc
from collections import deque
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gateway.quota.call_log import CallLog, Counted
from gateway.quota.models import UsageRequest

_BEGIN = datetime(2026, 11, 21, tzinfo=UTC)

calls = st.builds(
    Counted,
    st.sampled_from(["", "0.run-1", "0.run-2"]),
    st.builds(
        UsageRequest,
        st.one_of(st.text(max_size=8), st.binary(min_size=16, max_size=16).map(bytes.hex)),
        st.sampled_from(["account-1", "account-2"]),
        st.just("key-1"),
        st.sampled_from(["sponsor.search", "sponsor.get"]),
        st.integers(0, 2),
    ),
    st.integers(0, 10**9).map(lambda micros: _BEGIN + timedelta(microseconds=micros)),
    st.sampled_from([1, -1]),
)
steps = st.lists(st.tuples(st.sampled_from(["append", "appendleft", "popleft"]), calls))


@given(steps)
def test_it_does_as_a_queue_of_the_calls_themselves(steps_taken: list[tuple[str, Counted]]) -> None:
    log, model = CallLog(), deque[Counted]()
    for action, entry in steps_taken:
        if action != "popleft":
            getattr(log, action)(entry)
            getattr(model, action)(entry)
        elif model:
            assert log.popleft() == model.popleft()
        assert len(log) == len(model)
        if model:
            assert log.first_at == model[0].at
            assert log.last_at == model[-1].at
            assert log.first_generation == model[0].generation
    assert [log.popleft() for _ in range(len(log))] == list(model)


def test_ids_that_only_look_like_hexadecimal_digits_come_back_as_they_were() -> None:
    log = CallLog()
    for entry_id in ("AB", "a b c d", "abc", ""):
        log.append(Counted("", UsageRequest(entry_id, "account-1", "key-1", "t", 1), _BEGIN))
        assert log.popleft().charge.entry_id == entry_id


def test_a_call_takes_up_a_small_part_of_a_kilobyte() -> None:
    log, count = CallLog(), 5_000
    tracemalloc.start()
    try:
        for number in range(count):
            charge = UsageRequest(f"{number:032x}", f"account-{number % 7}", "key-1", "t", 1)
            log.append(Counted("0.run-1", charge, _BEGIN))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / count < 120
