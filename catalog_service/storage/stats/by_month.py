"""Statistics of a sponsor over whole months, from the rollups; equal to those of `by_day`.

They are of all kinds of sponsorship, and the share of voice of paid work.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ScalarSelect,
    Text,
    bindparam,
    func,
    literal_column,
    select,
    true,
    union_all,
)

from catalog_service.domain.kinds import PAID_SET
from catalog_service.domain.periods import GRANULARITIES
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.rollups.months import FIRST_MONTH, is_within, step_of, total
from catalog_service.storage.rollups.tables import (
    FIRST,
    category_months,
    sponsor_months,
    sponsor_parts,
    sponsor_returns,
)
from catalog_service.storage.stats import period_sums
from catalog_service.storage.stats.share_of_voice import voice
from catalog_service.storage.tables import sponsors

_number: Final = bindparam("number", type_=BigInteger)
_months, _parts, _returns = sponsor_months.c, sponsor_parts.c, sponsor_returns.c
_sums_in_months: Final = (_months.sponsor_id == _number, is_within(_months.month))
_returns_in_months: Final = (_returns.sponsor_id == _number, is_within(_returns.month))


def _totals() -> AnySelect:
    """Select videos, youtubers, those of them with several videos, and views.

    A video is its youtuber's second of the months when the one before the one before it lies before
    them, and the one before it does not; of the latter the cells of first videos tell.
    """
    sums = (
        select(total(_months.videos).label("videos"), total(_months.views).label("views"))
        .where(*_sums_in_months)
        .subquery("sums")
    )
    returned = func.sum(_returns.youtubers).filter(_returns.since > FIRST)
    reached = (
        select(
            total(_returns.youtubers).label("youtubers"),
            (total(_returns.repeats) - func.coalesce(returned, 0)).label("repeated"),
        )
        .where(*_returns_in_months, _returns.since < FIRST_MONTH)
        .subquery("reached")
    )
    return select(sums, reached).join_from(sums, reached, true())


def _series(granularity: str) -> AnySelect:
    """Select the sums by step; a youtuber counts once in each step."""
    step = step_of(_returns.month, granularity)
    nothing = literal_column("0", BigInteger)
    each = union_all(
        select(
            step_of(_months.month, granularity).label("step"),
            _months.videos,
            nothing.label("youtubers"),
            _months.views,
        ).where(*_sums_in_months),
        select(step, nothing, _returns.youtubers, nothing).where(
            *_returns_in_months, _returns.since < func.greatest(step, FIRST_MONTH)
        ),
    ).subquery("each")
    names = ("videos", "youtubers", "views")
    return select(each.c.step, *(total(each.c[name]).label(name) for name in names)).group_by(
        each.c.step
    )


TOTALS: Final = _totals()
_BREAKDOWN: Final = (
    select(_parts.part, _parts.value, total(_parts.videos).label("videos"))
    .where(_parts.sponsor_id == _number, is_within(_parts.month))
    .group_by(_parts.part, _parts.value)
)
SUMS: Final = {
    granularity: period_sums.select_all(TOTALS, _series(granularity), _BREAKDOWN)
    for granularity in GRANULARITIES
}


def _different_videos() -> ScalarSelect[Any]:
    """Count the different videos of the category `own_scope`."""
    counted = category_months.c
    return (
        select(total(counted.videos))
        .where(
            counted.category == bindparam("own_scope", type_=Text),
            counted.kinds == PAID_SET,
            is_within(counted.month),
        )
        .scalar_subquery()
    )


VOICE: Final = voice(
    select(_months.sponsor_id, total(_months.paid_videos).label("videos"))
    .where(_months.sponsor_category == bindparam("category"), is_within(_months.month))
    .group_by(_months.sponsor_id),
    _different_videos(),
)
VOICE_OF_ALL_TIME: Final = voice(
    select(sponsors.c.id.label("sponsor_id"), sponsors.c.paid_videos.label("videos")).where(
        sponsors.c.category == bindparam("category")
    ),
    _different_videos(),
)
