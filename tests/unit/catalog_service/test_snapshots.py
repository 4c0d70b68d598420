"""Snapshots are thinned to those around the ages that matter, whenever they come."""

from datetime import date, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.snapshots import AGES, age, retained

BORN = date(2025, 1, 1)
OBSERVED = st.lists(st.integers(-3, 800).map(lambda days: BORN + timedelta(days=days)), unique=True)


def day(age_days: int) -> date:
    return BORN + timedelta(days=age_days)


def test_of_daily_observations_those_at_the_ages_and_the_newest_stay() -> None:
    assert retained(BORN, [day(n) for n in range(401)]) == {day(n) for n in (*AGES, 400)}


def test_of_weekly_observations_those_on_either_side_of_each_age_stay() -> None:
    staying = retained(BORN, [day(n) for n in range(3, 120, 7)])
    # 1, 2 and 3: 3; 7: 3 and 10; 14: 10 and 17; 30: 24 and 31; 60: 59 and 66; 90: 87 and 94; the newest.
    assert staying == {day(n) for n in (3, 10, 17, 24, 31, 59, 66, 87, 94, 115)}


@given(OBSERVED)
def test_the_newest_stays_and_the_number_is_bounded(observed: list[date]) -> None:
    staying = retained(BORN, observed)
    assert staying <= set(observed)
    assert len(staying) <= 2 * len(AGES) + 1
    assert not observed or max(observed) in staying


@given(OBSERVED, st.randoms())
def test_thinning_after_each_observation_leaves_what_thinning_at_the_end_does(
    observed: list[date],
    random: Random,
) -> None:
    random.shuffle(observed)
    staying: frozenset[date] = frozenset()
    for new in observed:
        staying = retained(BORN, {*staying, new})
    assert staying == retained(BORN, observed)


@given(OBSERVED.filter(bool), st.sampled_from(AGES))
def test_the_nearest_observation_to_each_age_stays(observed: list[date], matters: int) -> None:
    nearest = min(abs(item - day(matters)) for item in observed)
    assert nearest in {abs(item - day(matters)) for item in retained(BORN, observed)}


def test_the_age_is_in_days_and_never_negative() -> None:
    assert [age(BORN, day(n)) for n in (-1, 0, 30)] == [0, 0, 30]
