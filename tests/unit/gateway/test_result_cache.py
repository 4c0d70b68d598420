"""Kept answers: only of the present version, and never more than there is room for."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.domain.result_cache import MAX_RESULT_BYTES, ResultCache

_PLACE = 320
"""Room for one short answer, and for no second one."""

steps = st.lists(
    st.tuples(
        st.sampled_from(["keep", "get"]),
        st.integers(0, 5),
        st.integers(0, 3),
        st.binary(max_size=40),
    ),
    max_size=60,
)


@given(steps)
def test_what_is_given_was_kept_last_for_the_same_question_and_version(
    told: list[tuple[str, int, int, bytes]],
) -> None:
    cache, model = ResultCache(3 * _PLACE), dict[str, tuple[str, bytes]]()
    for action, asked, number, answer in told:
        question, version = str(asked), str(number)
        if action == "keep":
            cache.put(question, version, answer)
            model[question] = (version, answer)
        else:
            found = cache.get(question, version)
            assert found is None or model[question] == (version, found)


@pytest.mark.parametrize("size", [10, 500, 5_000])
def test_what_is_kept_takes_up_no_more_memory_than_there_is_room_for(size: int) -> None:
    room = 500_000
    cache = ResultCache(room)
    tracemalloc.start()
    try:
        for number in range(3 * room // (size + 200)):
            cache.put(f"sponsor.search 739576 ('{number}', None, 10)", str(7), bytes(size))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert room / 2 < taken <= room


def test_without_a_version_and_above_the_size_nothing_is_kept() -> None:
    cache = ResultCache(10_000_000)
    cache.put("q", "", b"a")
    assert cache.get("q", "") is None
    cache.put("q", "1", b"a" * (MAX_RESULT_BYTES + 1))
    assert cache.get("q", "1") is None


def test_the_longest_unused_goes_first() -> None:
    cache = ResultCache(3 * _PLACE)
    for question in "abc":
        cache.put(question, "1", b"x")
    cache.get("a", "1")
    cache.put("d", "1", b"x")
    assert [question for question in "abcd" if cache.get(question, "1")] == ["a", "c", "d"]
