"""Kept answers: only of the present version, and never more than there is room for."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.domain.answer_cache import MAX_ANSWER, AnswerCache

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
    cache, model = AnswerCache(100), dict[int, tuple[str, bytes]]()
    for action, question, number, answer in told:
        version = str(number)
        if action == "keep":
            cache.keep(question, version, answer)
            model[question] = (version, answer)
        else:
            found = cache.get(question, version)
            assert found is None or model[question] == (version, found)


@given(st.lists(st.binary(max_size=60), max_size=50))
def test_there_is_never_more_than_there_is_room_for(answers: list[bytes]) -> None:
    cache = AnswerCache(100)
    for number, answer in enumerate(answers):
        cache.keep(number, "1", answer)
    kept = [cache.get(number, "1") for number in range(len(answers))]
    assert sum(len(answer) for answer in kept if answer) <= 100


def test_without_a_version_and_above_the_size_nothing_is_kept() -> None:
    cache = AnswerCache(10_000_000)
    cache.keep("q", "", b"a")
    assert cache.get("q", "") is None
    cache.keep("q", "1", b"a" * (MAX_ANSWER + 1))
    assert cache.get("q", "1") is None


def test_the_longest_unused_goes_first() -> None:
    cache = AnswerCache(3)
    for question in "abc":
        cache.keep(question, "1", b"x")
    cache.get("a", "1")
    cache.keep("d", "1", b"x")
    assert [question for question in "abcd" if cache.get(question, "1")] == ["a", "c", "d"]
