"""Latencies in buckets."""

from hypothesis import given
from hypothesis import strategies as st

from servicekit.latencies import BOUNDS_MS, BUCKETS, bound_of, bucket_of


def counts_of(seconds: list[float]) -> list[int]:
    counts = [0] * BUCKETS
    for each in seconds:
        counts[bucket_of(each)] += 1
    return counts


def test_a_latency_of_just_a_bound_is_within_it() -> None:
    assert [bucket_of(bound / 1_000) for bound in BOUNDS_MS] == list(range(BUCKETS - 1))
    assert bucket_of(0.0) == 0
    assert bucket_of(10.001) == BUCKETS - 1


@given(
    st.lists(st.floats(0, 20), min_size=1, max_size=200), st.sampled_from([0.5, 0.9, 0.95, 0.99])
)
def test_the_bound_of_a_share_is_the_least_that_so_many_calls_are_within(
    seconds: list[float], share: float
) -> None:
    bound = bound_of(counts_of(seconds), share)

    def within(milliseconds: int) -> int:
        return sum(each * 1_000 <= milliseconds for each in seconds)

    reaching = [each for each in BOUNDS_MS if within(each) >= share * len(seconds)]
    assert bound == (reaching[0] if reaching else None)


def test_no_calls_have_no_bound() -> None:
    assert bound_of([0] * BUCKETS, 0.5) is None
    assert bound_of([], 0.5) is None
