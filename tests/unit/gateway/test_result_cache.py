"""Cached results: only of the present version, and never above the size limit."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.domain.result_cache import MAX_RESULT_BYTES, ResultCache

_ENTRY_BYTES = 320
"""Memory for one short result, and for no second one."""

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
def test_a_cached_result_was_stored_last_for_the_same_query_and_version(
    actions: list[tuple[str, int, int, bytes]],
) -> None:
    cache, model = ResultCache(3 * _ENTRY_BYTES), dict[str, tuple[str, bytes]]()
    for action, query_number, version_number, result in actions:
        query, version = str(query_number), str(version_number)
        if action == "keep":
            cache.put(query, version, result)
            model[query] = (version, result)
        else:
            found = cache.get(query, version)
            assert found is None or model[query] == (version, found)


@pytest.mark.parametrize("size", [10, 500, 5_000])
def test_the_cache_takes_up_no_more_memory_than_its_limit(size: int) -> None:
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


def test_without_a_version_and_above_the_size_nothing_is_cached() -> None:
    cache = ResultCache(10_000_000)
    cache.put("q", "", b"a")
    assert cache.get("q", "") is None
    cache.put("q", "1", b"a" * (MAX_RESULT_BYTES + 1))
    assert cache.get("q", "1") is None


def test_the_longest_unused_goes_first() -> None:
    cache = ResultCache(3 * _ENTRY_BYTES)
    for query in "abc":
        cache.put(query, "1", b"x")
    cache.get("a", "1")
    cache.put("d", "1", b"x")
    assert [query for query in "abcd" if cache.get(query, "1")] == ["a", "c", "d"]
