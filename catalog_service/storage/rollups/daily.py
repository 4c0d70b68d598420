"""The parts of the ingest's statement that add a batch's changes to the cells by day.

They stand behind `changed`, `scope`, `scoped` and `video` of `rollups.monthly`.
"""

from typing import Final

from catalog_service.domain import kinds
from catalog_service.domain.categories import SCOPES
from catalog_service.storage.rollups.growth import grow
from catalog_service.storage.rollups.tables import MAX_DAYS

_PAID: Final = f"kind <> '{kinds.FREE_PRODUCT}'"
_COUNTED: Final = ", ".join(f"'{scope}'" for scope in sorted({scope for _, scope in SCOPES}))


def _sum(value: str, condition: str) -> str:
    return f"coalesce(sum({value}) FILTER (WHERE {condition}), 0)::bigint"


def _any(sums: dict[str, str]) -> str:
    return " OR ".join(f"{sum_} <> 0" for sum_ in sums.values())


def _columns(sums: dict[str, str]) -> str:
    return ", ".join(f"{sum_} AS {name}" for name, sum_ in sums.items())


# A cell depends on a day and the one before it that has a sponsorship: days that are farther from a
# change than a cell reaches keep their cells. Each youtuber's sponsorships are read once, for sponsors
# and categories.
_NEAR: Final = f""", near AS (
  SELECT sponsor_id, youtuber_id, p.published_on AS day, coalesce(p.sponsor_category, '') AS category
  FROM (SELECT youtuber_id, min(day) - {MAX_DAYS} AS first, max(day) + {MAX_DAYS} AS last
        FROM changed GROUP BY 1) AS span
  JOIN sponsorships AS p USING (youtuber_id)
  WHERE p.published_on BETWEEN first AND last AND p.{_PAID}
)"""  # noqa: S608 - names of ours


def _seen(holder: str, counted: str, near: str) -> str:
    """Return the part that selects the days on which youtubers had paid work, now (1) and before the batch (-1).

    Args:
        holder: The column by which youtubers are counted: a sponsor or a scope.
        counted: Selects holder, youtuber, day, kind and the growth of videos.
        near: Selects holder, youtuber and day of the sponsorships near the changes.
    """
    return f""", {holder}_counted AS (
  SELECT {holder}, youtuber_id, day, sum(videos)::int AS grown
  FROM {counted} WHERE {_PAID} AND {holder} IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(videos) <> 0
), {holder}_seen AS (
  SELECT {holder}, day, sign, day - lag(day) OVER earlier AS gap
  FROM (
    SELECT {holder}, youtuber_id, day, sum(videos)::int AS videos, sum(grown)::int AS grown
    FROM (
      SELECT {holder}, youtuber_id, day, 0 AS videos, grown FROM {holder}_counted
      UNION ALL
      SELECT {holder}, youtuber_id, near.day, 1, 0
      FROM {near}
      JOIN (SELECT DISTINCT {holder}, youtuber_id FROM {holder}_counted) AS touched
        USING ({holder}, youtuber_id)
    ) AS one
    GROUP BY 2, 3, 1
  ) AS held, LATERAL (VALUES (1, videos), (-1, videos - grown)) AS state(sign, videos)
  WHERE state.videos > 0
  WINDOW earlier AS (PARTITION BY youtuber_id, {holder}, sign ORDER BY day)
)"""  # noqa: S608 - names of ours


_OF_SPONSOR: Final = {
    "videos": _sum("videos", _PAID),
    "views": _sum("views", _PAID),
    "youtubers": "sum(sign)::bigint",
    "free_products": _sum("videos", f"NOT {_PAID}"),
}
_SPONSOR_DAYS: Final = f"""grown AS (
  SELECT sponsor_id, day, {_columns(_OF_SPONSOR)}
  FROM (
    SELECT sponsor_id, day, kind, videos, views, 0 AS sign FROM changed WHERE sponsor_id IS NOT NULL
    UNION ALL
    SELECT sponsor_id, day, '', 0, 0, sign FROM sponsor_id_seen
  ) AS one
  GROUP BY 1, 2 HAVING {_any(_OF_SPONSOR)}
)"""  # noqa: S608 - names of ours

_OF_CATEGORY: Final = {
    "videos": _sum("came", f"kinds = '{kinds.PAID_SET}'"),
    "views": _sum("came * views", f"kinds = '{kinds.PAID_SET}'"),
    "youtubers": "sum(sign)::bigint",
    **{
        f"{kind}_{name}": _sum(value, f"kinds = '{kind}'")
        for kind in kinds.ALL
        for name, value in (("videos", "came"), ("sponsorships", "grown"))
    },
    "all_videos": _sum("came", f"kinds = '{kinds.ALL_SET}'"),
}
_CATEGORY_DAYS: Final = f"""grown AS (
  SELECT scope AS category, day, {_columns(_OF_CATEGORY)}
  FROM (
    SELECT scope, day, kinds, came, views, grown, 0 AS sign FROM video WHERE scope IN ({_COUNTED})
    UNION ALL
    SELECT scope, day, '', 0, 0, 0, sign FROM scope_seen
  ) AS one
  GROUP BY 2, 1 HAVING {_any(_OF_CATEGORY)}
)"""  # noqa: S608 - names of ours


def _returns(holder: str, key: str) -> str:
    return f"""grown AS (
  SELECT {holder} AS {key}, day, gap::smallint AS gap, sum(sign)::int AS youtubers
  FROM {holder}_seen WHERE gap < {MAX_DAYS} GROUP BY 2, 3, 1 HAVING sum(sign) <> 0
)"""  # noqa: S608 - names of ours


GROWTHS: Final = (
    _NEAR,
    _seen("sponsor_id", "changed", "near"),
    _seen("scope", "scoped", "near JOIN scope USING (category)"),
    grow("sponsor_days", "sponsor_id day", " ".join(_OF_SPONSOR), _SPONSOR_DAYS),
    grow(
        "sponsor_day_returns",
        "sponsor_id day gap",
        "youtubers",
        _returns("sponsor_id", "sponsor_id"),
    ),
    grow("category_days", "category day", " ".join(_OF_CATEGORY), _CATEGORY_DAYS),
    grow("category_day_returns", "category day gap", "youtubers", _returns("scope", "category")),
)
