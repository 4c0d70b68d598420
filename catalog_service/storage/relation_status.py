"""The status of relations and of sponsors as columns: facts over all data, whatever a query filters.

Each depends on the channels of its relations and on today's date, and on no other channel.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, Date, and_, case, cast, func, not_, or_

from catalog_service.domain.relation_status import (
    ACTIVE,
    ACTIVE_WITHIN_DAYS,
    LAPSED,
    UNKNOWN,
    UNSEEN,
)
from catalog_service.storage.tables import sponsors, youtubers

_s, _y = sponsors.c, youtubers.c
_TODAY: Final = cast(func.timezone("UTC", func.now()), Date)


def _is_recent(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[bool]:
    """Return true where a relation was active on the day of its channel's newest known video."""
    return last_seen >= channel.last_video - ACTIVE_WITHIN_DAYS


def _is_silent(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[bool]:
    """Return true where enough known videos of the channel are newer than the last sponsorship."""
    return func.coalesce(channel.latest_videos_since > last_seen, False)


def _is_active(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[bool]:
    is_current = channel.last_video >= _TODAY - ACTIVE_WITHIN_DAYS
    return and_(is_current, _is_recent(last_seen, channel))


def _has_lapsed(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[bool]:
    return and_(not_(_is_recent(last_seen, channel)), _is_silent(last_seen, channel))


def _known_until(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[Any]:
    """Return the day of the channel's newest known video, or of the last sponsorship where too few later ones are known."""
    is_known = or_(_is_recent(last_seen, channel), _is_silent(last_seen, channel))
    return case((is_known, channel.last_video), else_=last_seen)


def _status(last_seen: ColumnElement[Any], channel: Any) -> ColumnElement[str]:
    return case(
        (_has_lapsed(last_seen, channel), LAPSED),
        (_is_active(last_seen, channel), ACTIVE),
        else_=UNKNOWN,
    )


def relation_status(last_seen: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the status of the relation between a sponsor and the youtuber in the row.

    `last_seen` is the day of its last sponsorship of all.
    """
    return _status(last_seen, _y)


def relation_columns(last_seen: ColumnElement[Any]) -> tuple[ColumnElement[Any], ...]:
    """Return `relation_status`, the day until which the relation is known, and that of its last sponsorship."""
    return (
        relation_status(last_seen).label("status"),
        _known_until(last_seen, _y).label("known_until"),
        last_seen.label("relation_last_seen"),
    )


def relation_days(
    last_seen: ColumnElement[Any], channel: Any
) -> tuple[ColumnElement[Any], ColumnElement[Any], ColumnElement[Any]]:
    """Return the day until which a relation is known, as that of one that was recent, has not lapsed, and has lapsed.

    Each is null where the relation is not such a one, so that a sponsor's latest days are the maxima of each.
    """
    has_lapsed = _has_lapsed(last_seen, channel)
    return (
        case((_is_recent(last_seen, channel), channel.last_video)),
        case((not_(has_lapsed), _known_until(last_seen, channel))),
        case((has_lapsed, channel.last_video)),
    )


_IS_ACTIVE: Final = func.coalesce(_s.current_until >= _TODAY - ACTIVE_WITHIN_DAYS, False)

SPONSOR_STATUS: Final = case(
    (_s.last_seen.is_(None), UNSEEN),
    (_IS_ACTIVE, ACTIVE),
    (_s.open_until.is_not(None), UNKNOWN),
    else_=LAPSED,
).label("status")
"""Active if a relation of the sponsor is active, lapsed if all are lapsed, else unknown."""

SPONSOR_KNOWN_UNTIL: Final = case(
    (_IS_ACTIVE, _s.current_until),
    (_s.open_until.is_not(None), func.greatest(_s.open_until, _s.last_seen)),
    else_=_s.lapsed_until,
).label("known_until")
"""The latest `known_until` of its relations that have its status, or the last sponsorship where that is later.

It is later only where the status is unknown and the relation of the last sponsorship has lapsed since.
"""
