"""Reading stored events."""

from typing import Any, Final

from sqlalchemy import BigInteger, Integer, Text, bindparam, cast, func, select

from catalog_service.domain import public_ids
from catalog_service.domain.categories import with_group
from catalog_service.storage.connections import Database
from catalog_service.storage.tables import catalog_events
from shapes.catalog.events import Event, EventPage

_e = catalog_events.c
_NEWEST: Final = select(func.coalesce(func.max(_e.position), 0))
_PAGE: Final = (
    select(
        _e.position,
        _e.id,
        _e.kind,
        _e.at,
        _e.sponsor_id,
        _e.youtuber_id,
        _e.category,
        cast(_e.data, Text).label("data"),
    )
    .where(_e.position > bindparam("after", type_=BigInteger))
    .order_by(_e.position)
    .limit(bindparam("page_size", type_=Integer))
)


class PostgresEvents:
    """The `EventStore` in Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> int:
        async with self._database.reader() as connection:
            return (await connection.execute(_NEWEST)).scalar_one()

    async def page(self, after: int, limit: int) -> EventPage:
        async with self._database.snapshot() as connection:
            values = {"after": after, "page_size": limit}
            rows = (await connection.execute(_PAGE, values)).all()
            newest = (await connection.execute(_NEWEST)).scalar_one()
        return EventPage(tuple(map(_event, rows)), newest)


def _event(row: Any) -> Event:
    return Event(
        position=row.position,
        id=row.id,
        kind=row.kind,
        at=row.at,
        sponsor_id=public_ids.sponsor(row.sponsor_id),
        youtuber_id=public_ids.youtuber(row.youtuber_id),
        categories=with_group(row.category),
        data_json=row.data,
    )
