"""Sums of sponsors over channels that are known in two periods, for `domain.same_channels`."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Date,
    Double,
    FromClause,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    true,
)

from catalog_service.domain.queries import SponsorStatsQuery
from catalog_service.domain.same_channels import ChannelSums
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import sponsorships, videos
from shapes.catalog.shared import Period

_p, _v = sponsorships.c, videos.c
PREVIOUS_START: Final = bindparam("previous_start", type_=Date)
_PREVIOUS_END: Final = bindparam("previous_end", type_=Date)
_START: Final = bindparam("period_start", type_=Date)
END: Final = bindparam("period_end", type_=Date)


def values(period: Period, previous: Period) -> dict[str, Any]:
    return {
        "period_start": period.from_date,
        "period_end": period.to_date,
        "previous_start": previous.from_date,
        "previous_end": previous.to_date,
    }


def is_later(day: ColumnElement[Any]) -> ColumnElement[bool]:
    return day.between(_START, END)


def is_earlier(day: ColumnElement[Any]) -> ColumnElement[bool]:
    return day.between(PREVIOUS_START, _PREVIOUS_END)


_LATER: Final = func.count().filter(is_later(_v.published_on))
_EARLIER: Final = func.count().filter(is_earlier(_v.published_on))
_IN_EITHER: Final = _v.published_on.between(PREVIOUS_START, END)


def known_channels(youtuber_ids: CTE) -> CTE:
    """Select those of few youtubers that have known videos in both periods, and the numbers of these."""
    each = youtuber_ids.c.youtuber_id
    # A look at their first and last videos before would cost most of them as much as the count does.
    counted = (
        select(_LATER.label("later"), _EARLIER.label("earlier"))
        .where(_v.youtuber_id == each, _IN_EITHER)
        .lateral("counted")
    )
    return _materialized(
        select(each, counted.c.later, counted.c.earlier)
        .join_from(youtuber_ids, counted, true())
        .where(counted.c.later > 0, counted.c.earlier > 0),
        "known",
    )


def known_channels_of_many(youtuber_ids: CTE) -> CTE:
    """Select what `known_channels` does from all videos of the periods, which costs a fraction of looking each youtuber up."""
    counted = _materialized(
        select(_v.youtuber_id, _LATER.label("later"), _EARLIER.label("earlier"))
        .where(_IN_EITHER)
        .group_by(_v.youtuber_id)
        .having((_LATER > 0) & (_EARLIER > 0)),
        "counted_videos",
    )
    return _materialized(
        select(counted).join_from(
            youtuber_ids, counted, counted.c.youtuber_id == youtuber_ids.c.youtuber_id
        ),
        "known",
    )


def _materialized(selected: AnySelect, name: str) -> CTE:
    return selected.cte(name).prefix_with("MATERIALIZED", dialect="postgresql")


def with_known(pairs: CTE, known: CTE) -> FromClause:
    """Join pairs with those of their youtubers that are known in both periods, where there is one.

    Everyone known is in a pair, so that a full join gives what a left one does. Postgres takes both for short, and would
    compare each with each in a left one; a full one it hashes or sorts.
    """
    return pairs.outerjoin(known, known.c.youtuber_id == pairs.c.youtuber_id, full=True)


def channel_columns(pairs: CTE, known: CTE) -> tuple[ColumnElement[Any], ...]:
    """Return the columns of `ChannelSums` over the rows of `with_known`.

    A pair is a youtuber's `later` and `earlier` sponsorships of one sponsor.
    """
    a, b = pairs.c.later, pairs.c.earlier
    v, w = cast(known.c.later, Double), cast(known.c.earlier, Double)
    both = v + w
    beyond = (a * w - b * v) / both

    def total(value: ColumnElement[Any]) -> ColumnElement[Any]:
        zero = literal_column("0", Double)
        return func.coalesce(func.sum(value).filter(known.c.later.is_not(None)), zero)

    return (
        func.count().label("all_youtubers"),
        func.count(known.c.later).label("youtubers"),
        cast(total(a), BigInteger).label("videos"),
        cast(total(b), BigInteger).label("previous_videos"),
        cast(total(known.c.later), BigInteger).label("known_videos"),
        cast(total(known.c.earlier), BigInteger).label("previous_known_videos"),
        total(a * w / both).label("later"),
        total(b * v / both).label("earlier"),
        total(v * w / both).label("weight"),
        total((a + b) * v / both).label("expected"),
        total((a + b) * v * w / (both * both)).label("variance"),
        func.coalesce(func.max(beyond), literal_column("0", Double)).label("highest"),
        func.coalesce(func.min(beyond), literal_column("0", Double)).label("lowest"),
    )


NAMES: Final = tuple(ChannelSums.__dataclass_fields__)


def channel_sums(row: AnyRow, name_of: Callable[[str], str] = str) -> ChannelSums:
    """Return the sums in a row whose columns have the names that `name_of` gives."""
    return ChannelSums(**{name: getattr(row, name_of(name)) for name in NAMES})


def _of_sponsor() -> AnySelect:
    pairs = (
        select(
            _p.youtuber_id,
            func.count().filter(is_later(_p.published_on)).label("later"),
            func.count().filter(is_earlier(_p.published_on)).label("earlier"),
        )
        .where(
            _p.sponsor_id == bindparam("number", type_=BigInteger),
            _p.published_on.between(PREVIOUS_START, END),
            _p.confidence >= bindparam("min_confidence", type_=Double),
            _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
        )
        .group_by(_p.youtuber_id)
        .cte("pairs")
    )
    known = known_channels(pairs)
    return select(*channel_columns(pairs, known)).select_from(with_known(pairs, known))


_OF_SPONSOR: Final = _of_sponsor()


async def of_sponsor(connection: QueryConnection, query: SponsorStatsQuery) -> ChannelSums:
    parameters = {
        "number": query.sponsor,
        "min_confidence": query.min_confidence,
        "kinds": query.kinds,
        **values(query.period, query.previous),
    }
    return channel_sums((await connection.execute(_OF_SPONSOR, parameters)).one())
