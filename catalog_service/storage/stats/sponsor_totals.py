"""One sponsor: its card and its totals."""

from typing import Final

from sqlalchemy import ARRAY, BigInteger, Text, bindparam, func, literal_column, select
from sqlalchemy.dialects.postgresql import distinct_on

from catalog_service.domain import kinds
from catalog_service.domain.ports import SponsorRecord
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    YOUTUBER_REF,
    AnySelect,
    sponsor_card,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups import facet_sums
from catalog_service.storage.rollups.tables import sponsor_facets
from catalog_service.storage.tables import sponsors, sponsorships, youtubers
from shapes.catalog.shared import SponsorCard
from shapes.catalog.sponsors import LatestCode

_p, _facets = sponsorships.c, sponsor_facets.c
_number: Final = bindparam("number", type_=BigInteger)
_LATEST_CODES: Final = 5
_MAX_CODES_READ: Final = 200

CARD: Final = select(*SPONSOR_CARD).where(sponsors.c.id == _number)
_RECORD: Final = CARD.add_columns(sponsors.c.aliases, sponsors.c.domains)
_KIND_OF_FACET: Final = dict(zip(facet_sums.of_kinds(kinds.ALL), kinds.ALL, strict=True))
_KINDS: Final = select(_facets.facet, _facets.videos).where(
    _facets.sponsor_id == _number,
    _facets.facet == func.any(bindparam("facets", type_=ARRAY(Text))),
    _facets.videos > literal_column("0"),
)


def _latest_codes() -> AnySelect:
    recent = (
        select(_p.code, _p.youtuber_id, _p.published_on, _p.video_id)
        .where(_p.sponsor_id == _number, _p.code.is_not(None))
        .order_by(_p.published_on.desc(), _p.video_id.desc())
        .limit(_MAX_CODES_READ)
        .subquery("recent")
    )
    last = (
        select(recent)
        .ext(distinct_on(recent.c.code))
        .order_by(recent.c.code, recent.c.published_on.desc(), recent.c.video_id.desc())
        .subquery("last")
    )
    return (
        select(last.c.code, last.c.published_on, *YOUTUBER_REF)
        .join(youtubers, youtubers.c.id == last.c.youtuber_id)
        .order_by(last.c.published_on.desc(), last.c.video_id.desc())
        .limit(_LATEST_CODES)
    )


_CODES: Final = _latest_codes()


async def record(connection: QueryConnection, number: int) -> SponsorRecord:
    values = {"number": number}
    row = (await connection.execute(_RECORD, values)).one()
    of_kinds = await connection.execute(_KINDS, {**values, "facets": list(_KIND_OF_FACET)})
    codes = await connection.execute(_CODES, values)
    return SponsorRecord(
        card=sponsor_card(row),
        aliases=tuple(row.aliases),
        domains=tuple(row.domains),
        kinds={_KIND_OF_FACET[row.facet]: row.videos for row in of_kinds},
        latest_codes=tuple(
            LatestCode(code.code, youtuber_ref(code), code.published_on) for code in codes
        ),
    )


async def card(connection: QueryConnection, number: int) -> SponsorCard:
    return sponsor_card((await connection.execute(CARD, {"number": number})).one())
