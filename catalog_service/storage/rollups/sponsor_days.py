"""The latest days until which a sponsor's relations are known, stored beside its totals.

`current_until` is the latest among relations that were recent on the day of their channel's newest known video,
`open_until` among those that have not lapsed, `lapsed_until` among those that have. Which of them says the sponsor's status
hangs on today, and follows when it is read.

They change by what a batch's youtubers gave before and give after it. All relations of a sponsor are looked at only where one
lost the latest day.
"""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Date, bindparam, column, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage.columns import AnySelect
from catalog_service.storage.relation_status import relation_days
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers

Days = tuple[date | None, date | None, date | None]
_NAMES: Final = ("current_until", "open_until", "lapsed_until")
_NONE: Final[Days] = (None, None, None)
_r = sponsor_youtubers.c
_NUMBERS: Final = func.any(bindparam("numbers", type_=ARRAY(BigInteger)))


def _latest(number: Any) -> AnySelect:
    """Select each sponsor of the relations whose column `number` is one of the numbers, with its latest days."""
    days = relation_days(_r.last_seen, youtubers.c)
    latest = (func.max(day).label(name) for name, day in zip(_NAMES, days, strict=True))
    return (
        select(_r.sponsor_id, *latest)
        .join(youtubers, youtubers.c.id == _r.youtuber_id)
        .where(number == _NUMBERS)
        .group_by(_r.sponsor_id)
    )


_OF_YOUTUBERS: Final = _latest(_r.youtuber_id)
_OF_SPONSORS: Final = _latest(_r.sponsor_id)
_STORED: Final = select(sponsors.c.id, *(sponsors.c[name] for name in _NAMES)).where(
    sponsors.c.id == _NUMBERS
)
_changed: Final = (
    func.unnest(
        bindparam("numbers", type_=ARRAY(BigInteger)),
        *(bindparam(f"new_{name}", type_=ARRAY(Date)) for name in _NAMES),
    )
    .table_valued(column("number", BigInteger), *(column(name, Date) for name in _NAMES))
    .render_derived("changed")
)
_SAVE: Final = (
    update(sponsors)
    .where(sponsors.c.id == _changed.c.number)
    .values({name: _changed.c[name] for name in _NAMES})
)


async def of_youtubers(connection: AsyncConnection, numbers: Collection[int]) -> dict[int, Days]:
    """Return the latest days that these youtubers' relations give their sponsors, as they are stored now."""
    return await _days(connection, _OF_YOUTUBERS, numbers)


async def advance(
    connection: AsyncConnection, before: Mapping[int, Days], after: Mapping[int, Days]
) -> None:
    """Bring the sponsors' days up to date.

    `before` and `after` are those of all youtubers that the batch touched.
    """
    touched = before.keys() | after.keys()
    stored = await _days(connection, _STORED, touched)
    merged = {
        number: merge(days, before.get(number, _NONE), after.get(number, _NONE))
        for number, days in stored.items()
    }
    lost = [number for number, days in merged.items() if days is None]
    found = await _days(connection, _OF_SPONSORS, lost)
    now = {number: days or found.get(number, _NONE) for number, days in merged.items()}
    changed = {number: days for number, days in now.items() if days != stored[number]}
    if changed:
        columns = zip(*changed.values(), strict=True)
        values = {f"new_{name}": list(c) for name, c in zip(_NAMES, columns, strict=True)}
        await connection.execute(_SAVE, {"numbers": list(changed), **values})


def merge(stored: Days, before: Days, after: Days) -> Days | None:
    """Return the latest days, or none where one of them may have been lost, and all relations tell."""
    latest: list[date | None] = []
    for stored_day, before_day, after_day in zip(stored, before, after, strict=True):
        if (
            stored_day is not None
            and before_day is not None
            and before_day >= stored_day
            and (after_day is None or after_day < stored_day)
        ):
            return None
        latest.append(
            max((day for day in (stored_day, after_day) if day is not None), default=None)
        )
    current_until, open_until, lapsed_until = latest
    return current_until, open_until, lapsed_until


async def _days(
    connection: AsyncConnection, statement: AnySelect, numbers: Collection[int]
) -> dict[int, Days]:
    if not numbers:
        return {}
    rows = await connection.execute(statement, {"numbers": sorted(numbers)})
    return {row[0]: (row[1], row[2], row[3]) for row in rows}
