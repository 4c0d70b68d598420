"""Terms as Postgres reads them, and the videos whose words match."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ARRAY,
    CTE,
    JSON,
    Boolean,
    ColumnElement,
    TableValuedAlias,
    Text,
    and_,
    bindparam,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from catalog_service.domain.queries import Page
from catalog_service.domain.topics import languages
from catalog_service.domain.topics.ports import LanguageQuery, ReadTerms
from catalog_service.storage.columns import AnyRow, AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import video_texts, videos

_t, _v = video_texts.c, videos.c

_READ: Final[Any] = text("""
SELECT config, CAST(query AS text) AS query, querytree(query) NOT IN ('', 'T') AND NOT EXISTS (
    SELECT FROM unnest(CAST(:excluded AS text[])) AS term
    WHERE numnode(websearch_to_tsquery(CAST(config AS regconfig), term)) = 0
  ) AS finds
FROM unnest(CAST(:configs AS text[])) AS config,
  LATERAL websearch_to_tsquery(CAST(config AS regconfig), :terms) AS query
""")
"""`querytree` is '' or 'T' for a query that finds nothing by itself: stop words alone, or exclusions alone."""


def _searched(name: str) -> TableValuedAlias:
    """Return the rows of the parameter `queries`: a query, and the configurations that it is for."""
    rows = func.json_to_recordset(cast(bindparam("queries", type_=Text), JSON))
    columns = (column("query", TSQUERY), column("configs", ARRAY(Text)))
    return rows.table_valued(*columns).render_derived(name=name, with_types=True)


def _holds(searched: TableValuedAlias, words: ColumnElement[Any]) -> ColumnElement[bool]:
    return and_(
        words.op("@@", return_type=Boolean())(searched.c.query),
        _t.config == func.any(searched.c.configs),
    )


_VIDEOS: Final = _searched("searched")
_TITLES: Final = _searched("searched_titles")

HAS_MATCHING_TITLE: Final[ColumnElement[bool]] = (
    select(1)
    .select_from(
        _TITLES.join(
            video_texts, _holds(_TITLES, func.ts_filter(_t.words, literal_column("'{a}'")))
        )
    )
    .where(_t.video_id == _v.id)
    .correlate(videos)
    .exists()
)
"""Holds for a video whose title alone matches."""


def matched(*conditions: ColumnElement[bool]) -> CTE:
    """Return the videos whose words match the parameter `queries`, under conditions on `videos`.

    They are looked up first and by the index alone: planned with what follows, Postgres would read the words of one video after another.
    """
    found = (
        select(_v.id, _v.youtuber_id, _v.published_on, _v.views)
        .select_from(
            _VIDEOS.join(video_texts, _holds(_VIDEOS, _t.words)).join(videos, _v.id == _t.video_id)
        )
        .where(*conditions)
    )
    return materialized(found)


def lacking(found: AnySelect) -> AnySelect:
    """Return a statement that tells whether `found`, which selects ids of videos, finds some and none of them has a text."""
    with_text = found.where(select(literal(1)).where(_t.video_id == _v.id).exists())
    return select(found.exists() & ~with_text.exists())


def materialized(found: AnySelect) -> CTE:
    return found.cte("matched").prefix_with("MATERIALIZED")


def parameter(queries: Sequence[LanguageQuery]) -> str:
    """Return the value of the parameter `queries`."""
    return msgspec.json.encode(queries).decode()


async def read(connection: QueryConnection, terms: str, excluded: Sequence[str]) -> ReadTerms:
    """Return terms by configuration; those that mean the same in several are searched once."""
    configs_by_query: dict[str, list[str]] = {}
    without: list[str] = []
    values = {"configs": languages.ALL, "terms": terms, "excluded": list(excluded)}
    for row in await connection.execute(_READ, values):
        if row.finds:
            configs_by_query.setdefault(row.query, []).append(row.config)
        else:
            without.append(row.config)
    queries = (LanguageQuery(query, tuple(names)) for query, names in configs_by_query.items())
    return ReadTerms(tuple(queries), tuple(without))


_LIMITS: Final[Any] = select(
    func.set_config("statement_timeout", bindparam("timeout", type_=Text), True),
    func.set_config("plan_cache_mode", "force_custom_plan", True),
)


async def limit_time(connection: QueryConnection, seconds: float) -> None:
    """Bound the statements of the present transaction."""
    await connection.execute(_LIMITS, {"timeout": f"{round(seconds * 1000)}ms"})


def total_of(rows: Sequence[AnyRow], page: Page) -> int | None:
    """Return the total that each row of a page has; None behind the end, where no row has it."""
    if rows:
        return rows[0].total
    return 0 if page.after is None else None
