"""The status of relations and of sponsors as columns: facts over all data, whatever a query filters."""

from typing import Any, Final

from sqlalchemy import ColumnElement, case, exists, select

from catalog_service.domain.relation_status import (
    ACTIVE,
    ACTIVE_WITHIN_DAYS,
    LAPSED,
    UNKNOWN,
    UNSEEN,
)
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers

_s, _y = sponsors.c, youtubers.c
_channels: Final = youtubers.alias("channels")
_relations: Final = sponsor_youtubers.alias("relations")
_any: Final = youtubers.alias("any_channel")
_newest: Final = (
    select(_any.c.last_video)
    .order_by(_any.c.last_video.desc().nulls_last())
    .limit(1)
    .scalar_subquery()
)
"""The day of the newest video of the catalogue, sponsored or not."""


def _is_known(last_video: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return true where a channel is known to the end of the catalogue."""
    return last_video >= _newest - ACTIVE_WITHIN_DAYS


def relation_status(last_seen: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the status of the relation between a sponsor and the youtuber in the row.

    `last_seen` is the day of its last sponsorship of all.
    """
    return case(
        (~_is_known(_y.last_video), UNKNOWN),
        (last_seen >= _y.last_video - ACTIVE_WITHIN_DAYS, ACTIVE),
        else_=LAPSED,
    )


def relation_columns(last_seen: ColumnElement[Any]) -> tuple[ColumnElement[Any], ...]:
    """Return `relation_status`, and the day until which the channel is known where that is too long ago."""
    known_until = case((~_is_known(_y.last_video), _y.last_video))
    return relation_status(last_seen).label("status"), known_until.label("known_until")


def _has_relation(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(
        _relations.c.sponsor_id == _s.id,
        _channels.c.id == _relations.c.youtuber_id,
        _is_known(_channels.c.last_video),
        *conditions,
    )


SPONSOR_STATUS: Final = case(
    (_s.last_seen.is_(None), UNSEEN),
    (
        # Both parts of the rule at their widest: most sponsors need no look at their relations.
        (_s.last_seen >= _newest - 2 * ACTIVE_WITHIN_DAYS)
        & _has_relation(_relations.c.last_seen >= _channels.c.last_video - ACTIVE_WITHIN_DAYS),
        ACTIVE,
    ),
    (_has_relation(), LAPSED),
    else_=UNKNOWN,
).label("status")
"""The surest that the relations of a sponsor say: active, else lapsed, else unknown."""
