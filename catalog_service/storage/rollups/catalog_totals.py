"""The catalogue's own totals: channels and videos looked at, the sponsored ones, and their days.

They change by what a batch's youtubers had before and have after it, so that a batch costs the same in
a large catalogue.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    Update,
    bindparam,
    case,
    cast,
    func,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage.columns import AnyRow
from catalog_service.storage.tables import catalog_state, sponsorships, youtubers

COUNTS: Final = ("youtubers", "sponsored_youtubers", "videos", "sponsored_videos")
_p, _y, _state = sponsorships.c, youtubers.c, catalog_state.c


def _sum(column: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


_TOTALS: Final = select(
    func.count().filter(_y.videos_scanned > 0).label("youtubers"),
    func.count().filter(_y.sponsored_videos > 0).label("sponsored_youtubers"),
    _sum(_y.videos_scanned).label("videos"),
    _sum(_y.sponsored_videos).label("sponsored_videos"),
    func.min(_y.first_video).label("first_video"),
    func.max(_y.last_video).label("last_video"),
).where(_y.id == func.any(bindparam("numbers", type_=ARRAY(BigInteger))))


def _end(name: str, wider: Any, extreme: Any) -> ColumnElement[Any]:
    """Return the first or the last day; read anew from all youtubers if the one that it came from has lost it."""
    stored = _state[name]
    is_lost = bindparam(f"lost_{name}", type_=Boolean) & (
        stored == bindparam(f"before_{name}", type_=Date)
    )
    found = select(extreme(_y[name])).scalar_subquery()
    return case((is_lost, found), else_=wider(stored, bindparam(f"after_{name}", type_=Date)))


def _advance() -> Update:
    grown = {name: _state[name] + bindparam(f"added_{name}", type_=BigInteger) for name in COUNTS}
    return (
        update(catalog_state)
        .values(
            version=_state.version + 1,
            change_id=func.gen_random_uuid(),
            first_sponsored=select(func.min(_p.published_on)).scalar_subquery(),
            last_sponsored=select(func.max(_p.published_on)).scalar_subquery(),
            first_video=_end("first_video", func.least, func.min),
            last_video=_end("last_video", func.greatest, func.max),
            **grown,
        )
        .returning(_state.version)
    )


_ADVANCE: Final = _advance()


async def of_youtubers(connection: AsyncConnection, numbers: Sequence[int]) -> AnyRow:
    """Return the totals of these youtubers, as they are stored now."""
    return (await connection.execute(_TOTALS, {"numbers": list(numbers)})).one()


async def advance(connection: AsyncConnection, before: AnyRow, after: AnyRow) -> int:
    """Begin the next version of the catalogue; return it.

    `before` and `after` are the totals of all youtubers that the batch touched.
    """
    values: dict[str, Any] = {
        f"added_{name}": getattr(after, name) - getattr(before, name) for name in COUNTS
    }
    for name in ("first_video", "last_video"):
        was, now = getattr(before, name), getattr(after, name)
        values |= {
            f"before_{name}": was,
            f"after_{name}": now,
            f"lost_{name}": was is not None and was != now,
        }
    return (await connection.execute(_ADVANCE, values)).scalar_one()
