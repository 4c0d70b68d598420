"""Single videos, and promo codes over all videos."""

from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, Text, bindparam, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import aggregate_order_by

from catalog_service.domain import snapshots
from catalog_service.domain.ports import FoundVideo
from catalog_service.domain.queries import ListConditions, Page, Ranked
from catalog_service.domain.references import VideoReference
from catalog_service.storage import keyset, video_lists
from catalog_service.storage.columns import (
    SPONSOR_REF,
    VIDEO,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    sponsor_ref,
    video,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, descending
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.tables import (
    sponsors,
    sponsorships,
    video_aliases,
    video_snapshots,
    videos,
    youtubers,
)
from shapes.catalog.videos import CodeUse, VideoSnapshot

_p, _v = sponsorships.c, videos.c
_code: Final = bindparam("code", type_=Text)
_code_end: Final = bindparam("code_end", type_=Text)


def _find_key() -> AnySelect:
    found = union_all(
        select(_v.key, literal(0).label("rank")).where(
            _v.id == bindparam("number", type_=BigInteger)
        ),
        select(_v.key, literal(1)).where(_v.video_id == bindparam("video_id")),
        select(_v.key, literal(2)).where(_v.key == bindparam("key")),
        select(_v.key, literal(3))
        .join(video_aliases, video_aliases.c.video_id == _v.id)
        .where(video_aliases.c.key == bindparam("key")),
    ).subquery("found")
    return select(found.c.key).order_by(found.c.rank).limit(1)


_FIND_KEY: Final = _find_key()
_SNAPSHOTS: Final = (
    select(video_snapshots)
    .where(video_snapshots.c.video_id == bindparam("number", type_=BigInteger))
    .order_by(video_snapshots.c.observed_on)
)
_BY_KEY: Final = (
    select(
        *VIDEO,
        _v.paid_promotion_disclosed,
        _v.duration_seconds,
        _v.language,
        _v.likes,
        _v.comments,
        *YOUTUBER_REF,
    )
    .join_from(videos, youtubers, youtubers.c.id == _v.youtuber_id)
    .where(_v.key == bindparam("key"))
)


async def find_key(connection: QueryConnection, reference: VideoReference) -> str | None:
    """Return the key of the video that is meant."""
    values = {
        "number": reference.number,
        "video_id": reference.video_id,
        "key": reference.key,
    }
    return (await connection.execute(_FIND_KEY, values)).scalar()


async def find(connection: QueryConnection, reference: VideoReference) -> FoundVideo | None:
    key = await find_key(connection, reference)
    if key is None:
        return None
    row = (await connection.execute(_BY_KEY, {"key": key})).one()
    claims = await video_lists.claims_of(connection, {row.video_number: row.youtube_video_id}, 0)
    observed = await connection.execute(_SNAPSHOTS, {"number": row.video_number})
    return FoundVideo(
        video=video(row),
        youtuber=youtuber_ref(row),
        sponsorships=tuple(claims[row.video_number]),
        paid_promotion_disclosed=row.paid_promotion_disclosed,
        duration_seconds=row.duration_seconds,
        language=row.language,
        likes=row.likes,
        comments=row.comments,
        snapshots=tuple(
            VideoSnapshot(
                item.observed_on,
                snapshots.age(row.published_on, item.observed_on),
                item.views,
                item.likes,
                item.comments,
            )
            for item in observed
        ),
    )


_BY_LISTS: Final = list_conditions.of_sponsors(_p.sponsor_id) | list_conditions.of_youtubers(
    _p.youtuber_id
)


@cache
def _codes(lists: tuple[str, ...], *, is_continued: bool) -> AnySelect:
    """Select the uses of codes from `code` up to `code_end` by code point, as the index has them."""
    folded = func.upper(_p.code)
    used = (
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            folded.label("folded"),
            func.array_agg(aggregate_order_by(_p.code, _p.published_on.desc()))[1].label("code"),
            func.count().label("videos"),
            func.min(_p.published_on).label("first_seen"),
            func.max(_p.published_on).label("last_seen"),
        )
        .where(
            _p.code.is_not(None),
            folded.op("~>=~", is_comparison=True)(_code),
            folded.op("~<~", is_comparison=True)(_code_end),
            *(_BY_LISTS[name] for name in lists),
        )
        .group_by(_p.sponsor_id, _p.youtuber_id, folded)
        .subquery("used")
    )
    names = ("code", "videos", "first_seen", "last_seen")
    order = (
        SortKey(used.c.folded != _code),
        descending(used.c.last_seen),
        SortKey(used.c.sponsor_id),
        SortKey(used.c.youtuber_id),
        SortKey(used.c.folded),
    )
    columns = (*(used.c[name] for name in names), *SPONSOR_REF, *YOUTUBER_REF)
    statement = (
        select(*columns, *keyset.labels(order))
        .join_from(used, sponsors, sponsors.c.id == used.c.sponsor_id)
        .join(youtubers, youtubers.c.id == used.c.youtuber_id)
        .order_by(*keyset.clauses(order))
        .limit(keyset.LIMIT)
    )
    return statement.where(keyset.behind(order)) if is_continued else statement


_LAST: Final = "\U0010ffff"


async def codes(
    connection: QueryConnection, code: str, lists: ListConditions, page: Page
) -> Ranked[CodeUse]:
    folded, of_lists = code.upper(), lists.values()
    values: dict[str, Any] = {"code": folded, "code_end": folded + _LAST, **of_lists}
    statement = _codes(tuple(of_lists), is_continued=page.after is not None)
    rows = await connection.execute(statement, values | keyset.parameters(page))
    return keyset.cut(page, rows, _code_use)


def _code_use(row: AnyRow) -> CodeUse:
    return CodeUse(
        row.code, sponsor_ref(row), youtuber_ref(row), row.videos, row.first_seen, row.last_seen
    )
