"""Videos of a sponsor or a youtuber, newest first, continued behind a video."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Date,
    Double,
    Integer,
    Text,
    bindparam,
    func,
    literal,
    select,
    tuple_,
)

from catalog_service.domain import public_ids
from catalog_service.domain.kinds import ALL, Kinds
from catalog_service.domain.queries import NewestPage, SponsorshipFilter, VideoFilter
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import (
    CLAIM,
    SPONSOR_REF,
    VIDEO,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    evidence,
    sponsor_ref,
    video,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.tables import sponsors, sponsorships, videos, youtubers
from shapes.catalog.shared import Sponsorship
from shapes.catalog.sponsors import SponsorVideo
from shapes.catalog.youtubers import YoutuberVideo

_p, _v = sponsorships.c, videos.c
_after: Final = tuple_(
    bindparam("after_day", type_=Date), bindparam("after_number", type_=BigInteger)
)
_limit: Final = bindparam("limit", type_=Integer)
_number: Final = bindparam("number", type_=BigInteger)
_matches_filter: Final = (
    _p.confidence >= bindparam("min_confidence", type_=Double),
    _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
)
_sponsored: Final = select(literal(1)).where(_p.video_id == _v.id, *_matches_filter).exists()


@cache
def _of_sponsor(conditions: Conditions, *, continued: bool) -> AnySelect:
    statement = (
        select(*VIDEO, *YOUTUBER_REF, *CLAIM)
        .select_from(sponsorships)
        .join(videos, _v.id == _p.video_id)
        .join(youtubers, youtubers.c.id == _p.youtuber_id)
        .where(_p.sponsor_id == _number, *sponsorship_filter.clauses(conditions))
    )
    if continued:
        statement = statement.where(tuple_(_p.published_on, _p.video_id) < _after)
    return statement.order_by(_p.published_on.desc(), _p.video_id.desc()).limit(_limit)


def _position(page: NewestPage) -> dict[str, Any]:
    values: dict[str, Any] = {"limit": page.limit + 1}
    if page.after is not None:
        values |= {"after_day": page.after[0], "after_number": page.after[1]}
    return values


async def of_sponsor(
    connection: QueryConnection, query: SponsorshipFilter, page: NewestPage
) -> list[SponsorVideo]:
    conditions, values = sponsorship_filter.conditions_of(query)
    statement = _of_sponsor(conditions, continued=page.after is not None)
    rows = await connection.execute(statement, values | _position(page) | {"number": query.number})
    return [
        SponsorVideo(
            video=video(row),
            youtuber=youtuber_ref(row),
            kind=row.kind,
            code=row.code,
            link=row.link,
            evidence=evidence(row, row.youtube_video_id),
            confidence=row.confidence,
            detector_version=row.detector_version,
            id=public_ids.sponsorship(row.video_number, query.number),
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class _Shape:
    start: bool
    end: bool
    continued: bool
    sponsored: bool | None


@cache
def _of_youtuber(shape: _Shape) -> AnySelect:
    statement = select(*VIDEO).where(_v.youtuber_id == _number)
    if shape.start:
        statement = statement.where(_v.published_on >= bindparam("start", type_=Date))
    if shape.end:
        statement = statement.where(_v.published_on <= bindparam("end", type_=Date))
    if shape.continued:
        statement = statement.where(tuple_(_v.published_on, _v.id) < _after)
    if shape.sponsored is not None:
        statement = statement.where(_sponsored if shape.sponsored else ~_sponsored)
    return statement.order_by(_v.published_on.desc(), _v.id.desc()).limit(_limit)


_CLAIMS: Final = (
    select(_p.video_id, *SPONSOR_REF, *CLAIM)
    .join_from(sponsorships, sponsors, sponsors.c.id == _p.sponsor_id)
    .where(_p.video_id == func.any(bindparam("numbers", type_=ARRAY(BigInteger))), *_matches_filter)
    .order_by(_p.confidence.desc(), _p.sponsor_id)
)


async def of_youtuber(
    connection: QueryConnection, query: VideoFilter, page: NewestPage
) -> list[YoutuberVideo]:
    start, end = query.period.start, query.period.end
    shape = _Shape(start is not None, end is not None, page.after is not None, query.sponsored)
    values: dict[str, Any] = {"number": query.youtuber, **_position(page)}
    values |= {name: day for name, day in (("start", start), ("end", end)) if day is not None}
    if query.sponsored is not None:
        values |= {"min_confidence": query.min_confidence, "kinds": query.kinds}
    rows = (await connection.execute(_of_youtuber(shape), values)).all()
    numbers = {row.video_number: row.youtube_video_id for row in rows}
    claims = await claims_of(connection, numbers, 0)
    return [_with_claims(row, claims[row.video_number], query) for row in rows]


def _with_claims(row: AnyRow, claims: Sequence[Sponsorship], query: VideoFilter) -> YoutuberVideo:
    """Return a video with those of its sponsorships that the query matches, and the number of the others."""
    matching = tuple(
        claim
        for claim in claims
        if claim.kind in query.kinds and claim.confidence >= query.min_confidence
    )
    return YoutuberVideo(video(row), matching, len(claims) - len(matching))


async def claims_of(
    connection: QueryConnection,
    videos_by_number: Mapping[int, str | None],
    min_confidence: float,
    kinds: Kinds = ALL,
) -> defaultdict[int, list[Sponsorship]]:
    """Return the sponsorships of videos, which are given as YouTube's ids by number."""
    claims: defaultdict[int, list[Sponsorship]] = defaultdict(list)
    numbers = list(videos_by_number)
    values = {"numbers": numbers, "min_confidence": min_confidence, "kinds": kinds}
    for row in await connection.execute(_CLAIMS, values):
        claims[row.video_id].append(
            Sponsorship(
                sponsor=sponsor_ref(row),
                kind=row.kind,
                code=row.code,
                link=row.link,
                evidence=evidence(row, videos_by_number[row.video_id]),
                confidence=row.confidence,
                detector_version=row.detector_version,
                id=public_ids.sponsorship(row.video_id, row.sponsor_number),
            )
        )
    return claims
