"""The rollups computed from the sponsorships and videos themselves, a range of sponsors, videos or youtubers at a time.

Sums of different ranges add up. The ingest lets the same tables grow by what changed.
"""

from dataclasses import dataclass
from typing import Final

from catalog_service.domain import kinds
from catalog_service.domain.categories import CONTENT_SCOPE, COUNTED_SCOPES, SCOPES
from catalog_service.storage.rollups.facets import BIT, PAID, SETS, step_of
from catalog_service.storage.rollups.tables import MAX_DAYS


@dataclass(frozen=True, slots=True)
class Part:
    """A statement that selects keys and sums of a rollup for `%(first)s` to `%(last)s` of a table's numbers."""

    table: str
    select: str


@dataclass(frozen=True, slots=True)
class Rollup:
    """A table whose rows are sums by keys.

    Attributes:
        table: Its name.
        keys: Names of the columns that it is summed by.
        sums: Names of the columns that add up.
        parts: Statements whose results are added up to its rows; columns are keys and sums in their order.
        label: The column that is neither, and follows from the sponsor: its category.
    """

    table: str
    keys: tuple[str, ...]
    sums: tuple[str, ...]
    parts: tuple[Part, ...]
    label: str | None = None


_SPONSORS: Final = "sponsor_id BETWEEN %(first)s AND %(last)s"
_VIDEOS: Final = "video_id BETWEEN %(first)s AND %(last)s"
_YOUTUBERS: Final = "youtuber_id BETWEEN %(first)s AND %(last)s"
_STEP: Final = step_of("confidence")
_SCOPE_NAMES: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in SCOPES)
_COUNTED_SCOPES: Final = ", ".join(map(str, COUNTED_SCOPES))
_KINDS_OF_SETS: Final = {
    name: " + ".join(kind for kind, named in kinds.SETS if named == name)
    for name in dict.fromkeys(name for _, name in kinds.SETS)
}
_SET_SUMS: Final = ", ".join(
    f"count(*) FILTER (WHERE {of_set} > 0) AS {name}_videos, sum({of_set}) AS {name}_sponsorships, "
    f"sum(views) FILTER (WHERE {of_set} > 0) AS {name}_views"
    for name, of_set in _KINDS_OF_SETS.items()
)
_SET_ROWS: Final = ", ".join(
    f"('{name}', {name}_videos, {name}_sponsorships, {name}_views)" for name in _KINDS_OF_SETS
)
_KIND_SUMS: Final = ", ".join(
    f"count(*) FILTER (WHERE {kind} > 0), coalesce(sum({kind}), 0)" for kind in kinds.ALL
)
_KIND_COUNTS: Final = ", ".join(
    f"count(*) FILTER (WHERE kind = '{kind}') AS {kind}" for kind in kinds.ALL
)
_SCOPE: Final = f"""
  JOIN (VALUES {_SCOPE_NAMES}) AS scope(category, scope)
    ON scope.category = coalesce(sponsor_category, '')"""
_MONTH: Final = "date_trunc('month', published_on)::date"

_SPONSOR_MONTHS: Final = f"""
SELECT sponsor_id, {_MONTH}, count(*), coalesce(sum(views), 0), count(*) FILTER (WHERE {PAID}),
       coalesce(sum(views) FILTER (WHERE {PAID}), 0)
FROM sponsorships WHERE {_SPONSORS} GROUP BY 1, 2"""  # noqa: S608 - names of ours
_SPONSOR_PARTS: Final = f"""
SELECT sponsor_id, part, coalesce(value, ''), {_MONTH}, count(*)
FROM sponsorships, LATERAL (
  VALUES ('content', content_category), ('country', country), ('kind', kind)) AS parts(part, value)
WHERE {_SPONSORS} GROUP BY 1, 2, 3, 4"""  # noqa: S608 - names of ours
_SPONSOR_RETURNS: Final = f"""
WITH month AS (
  SELECT sponsor_id, youtuber_id, kind, {_MONTH} AS month FROM sponsorships WHERE {_SPONSORS}
), seen AS (
  SELECT sponsor_id, month, lag(month) OVER earlier AS previous, lag(month, 2) OVER earlier AS one_before
  FROM month WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
), paid AS (
  SELECT sponsor_id, month, lag(month) OVER earlier AS previous
  FROM (SELECT DISTINCT sponsor_id, youtuber_id, month FROM month WHERE {PAID}) AS different
  WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
)
SELECT sponsor_id, month, coalesce(since, '-infinity'), sum(youtubers), sum(repeats), sum(paid_youtubers)
FROM (SELECT sponsor_id, month, previous AS since, 1 AS youtubers, 0 AS repeats, 0 AS paid_youtubers
      FROM seen WHERE previous IS DISTINCT FROM month
      UNION ALL
      SELECT sponsor_id, month, one_before, 0, 1, 0
      FROM seen WHERE previous IS NOT NULL AND one_before IS DISTINCT FROM month
      UNION ALL
      SELECT sponsor_id, month, previous, 0, 0, 1 FROM paid) AS cells
GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_SPONSOR_DAYS: Final = f"""
SELECT sponsor_id, published_on, count(*) FILTER (WHERE {PAID}), coalesce(sum(views) FILTER (WHERE {PAID}), 0),
       count(DISTINCT youtuber_id) FILTER (WHERE {PAID}), count(*) FILTER (WHERE NOT {PAID})
FROM sponsorships WHERE {_SPONSORS} GROUP BY 1, 2"""  # noqa: S608 - names of ours
_SPONSOR_DAY_RETURNS: Final = f"""
SELECT sponsor_id, day, gap, count(*)
FROM (
  SELECT sponsor_id, day, day - lag(day) OVER (PARTITION BY sponsor_id, youtuber_id ORDER BY day) AS gap
  FROM (SELECT sponsor_id, youtuber_id, published_on AS day FROM sponsorships
        WHERE {_SPONSORS} AND {PAID} GROUP BY 1, 2, 3) AS seen
) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_SPONSOR_FACETS: Final = f"""
WITH claim AS (
  SELECT sponsor_id, youtuber_id, kind, views, content_category AS content, country, {_STEP} AS step
  FROM sponsorships WHERE {_SPONSORS}
), pair AS (
  SELECT sponsor_id, youtuber_id, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
  FROM claim GROUP BY 1, 2
)
SELECT sponsor_id, facet, sum(videos), sum(youtubers), sum(views), sum(free_products)
FROM (
  SELECT sponsor_id, facet, count(*) FILTER (WHERE {PAID} OR is_kind) AS videos, 0 AS youtubers,
         coalesce(sum(views) FILTER (WHERE {PAID} OR is_kind), 0) AS views, count(*) FILTER (WHERE NOT {PAID}) AS free_products
  FROM claim, LATERAL (VALUES ('kind:' || kind, true), ('confidence_step:' || step, false),
                              ('content:' || content, false), ('country:' || country, false)) AS of(facet, is_kind)
  WHERE facet IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT sponsor_id, facet, 0, count(*), 0, 0
  FROM pair, LATERAL (VALUES ('kinds:' || mask), ('confidence_step:' || step)) AS of(facet)
  WHERE facet IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT sponsor_id, facet, 0, count(*), 0, 0
  FROM (SELECT sponsor_id, youtuber_id, facet
        FROM claim, LATERAL (VALUES ('content:' || content), ('country:' || country)) AS of(facet)
        WHERE {PAID} AND facet IS NOT NULL GROUP BY 1, 2, 3) AS reached
  GROUP BY 1, 2
) AS facet
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_CATEGORY_MONTHS: Final = f"""
WITH claim AS (
  SELECT scope, video_id, kind, published_on, coalesce(views, 0) AS views
  FROM sponsorships JOIN (VALUES {_COUNTED_SCOPES}) AS scope(category, scope)
    ON scope.category = coalesce(sponsor_category, '')
  WHERE {_VIDEOS}
  UNION ALL
  SELECT '{CONTENT_SCOPE}' || content_category, video_id, kind, published_on, coalesce(views, 0)
  FROM sponsorships WHERE content_category IS NOT NULL AND {_VIDEOS}
)
SELECT scope, kinds, month, videos, sponsorships, sums.views
FROM (SELECT scope, {_MONTH} AS month, {_SET_SUMS}
      FROM (SELECT scope, video_id, published_on, max(views) AS views, {_KIND_COUNTS}
            FROM claim GROUP BY 1, 2, 3) AS video
      GROUP BY 1, 2) AS scope_months,
     LATERAL (VALUES {_SET_ROWS}) AS sums(kinds, videos, sponsorships, views)
WHERE videos > 0"""  # noqa: S608 - names of ours
_CATEGORY_RETURNS: Final = f"""
WITH counted AS (
  SELECT scope, youtuber_id, kind, {_MONTH} AS month FROM sponsorships {_SCOPE} WHERE {_YOUTUBERS}
), seen AS (
  SELECT scope, youtuber_id, month, false AS is_paid FROM counted GROUP BY 1, 2, 3
  UNION ALL
  SELECT scope, youtuber_id, month, true FROM counted WHERE {PAID} GROUP BY 1, 2, 3
)
SELECT scope, month, coalesce(since, '-infinity'), count(*) FILTER (WHERE NOT is_paid), count(*) FILTER (WHERE is_paid)
FROM (SELECT scope, month, is_paid, lag(month) OVER (
               PARTITION BY scope, youtuber_id, is_paid ORDER BY month) AS since
      FROM seen) AS cells
GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_CATEGORY_DAYS: Final = f"""
SELECT scope, day, count(*) FILTER (WHERE paid > 0), coalesce(sum(views) FILTER (WHERE paid > 0), 0), 0, {_KIND_SUMS},
       count(*)
FROM (SELECT scope, video_id, published_on AS day, max(coalesce(views, 0)) AS views,
             count(*) FILTER (WHERE {PAID}) AS paid, {_KIND_COUNTS}
      FROM sponsorships {_SCOPE} WHERE {_VIDEOS} GROUP BY 1, 2, 3) AS video
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_DAYS_OF_YOUTUBERS: Final = f"""
  SELECT scope, youtuber_id, published_on AS day
  FROM sponsorships {_SCOPE} WHERE {_YOUTUBERS} AND {PAID} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_CATEGORY_DAY_YOUTUBERS: Final = f"""
SELECT scope, day, 0, 0, count(*){", 0" * (2 * len(kinds.ALL) + 1)}
FROM ({_DAYS_OF_YOUTUBERS}) AS seen GROUP BY 1, 2"""  # noqa: S608 - names of ours
_CATEGORY_DAY_RETURNS: Final = f"""
SELECT scope, day, gap, count(*)
FROM (SELECT scope, day, day - lag(day) OVER (PARTITION BY scope, youtuber_id ORDER BY day) AS gap
      FROM ({_DAYS_OF_YOUTUBERS}) AS seen) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_VIDEO_DAYS: Final = """
SELECT published_on, count(*) FROM videos WHERE id BETWEEN %(first)s AND %(last)s GROUP BY 1"""
_FACET_VIDEOS: Final = f"""
WITH claim AS (
  SELECT video_id, kind, coalesce(views, 0) AS views, content_category AS content, country, {_STEP} AS step
  FROM sponsorships WHERE {_VIDEOS}
), named AS (SELECT claim.*, kinds FROM claim JOIN (VALUES {SETS}) AS named(kind, kinds) USING (kind))
SELECT facet, kinds, sum(videos), sum(sponsorships), 0, sum(views)
FROM (
  SELECT facet, kinds, 1 AS videos, 0 AS sponsorships, views
  FROM (
    SELECT kinds, max(views) AS views, 'kind:' || nullif(kinds, '{kinds.PAID_SET}') AS kind,
           'confidence_step:' || max(step) AS confidence, 'content:' || max(content) AS content,
           'country:' || max(country) AS country
    FROM named GROUP BY video_id, kinds
  ) AS video, LATERAL (VALUES (kind), (confidence), (content), (country)) AS of(facet)
  WHERE facet IS NOT NULL
  UNION ALL
  SELECT 'kinds:' || bit_or({BIT}), '{kinds.ALL_SET}', 1, 0, max(views) FROM claim GROUP BY video_id
  UNION ALL
  SELECT facet, kinds, 0, 1, 0
  FROM named, LATERAL (VALUES ('kind:' || nullif(kinds, '{kinds.PAID_SET}')), ('confidence_step:' || step),
                              ('content:' || content), ('country:' || country)) AS of(facet)
  WHERE facet IS NOT NULL
) AS facet
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_FACET_YOUTUBERS: Final = f"""
WITH youtuber AS (
  SELECT youtuber_id, bit_or({BIT}) AS mask, max({_STEP}) FILTER (WHERE {PAID}) AS step,
         array_agg(DISTINCT content_category) FILTER (WHERE {PAID}) AS contents,
         array_agg(DISTINCT country) FILTER (WHERE {PAID}) AS countries
  FROM sponsorships WHERE {_YOUTUBERS} GROUP BY 1
)
SELECT facet, kinds, 0, 0, count(*), 0
FROM youtuber, LATERAL (
  SELECT 'kinds:' || mask, '{kinds.ALL_SET}'
  UNION ALL SELECT 'confidence_step:' || step, '{kinds.PAID_SET}'
  UNION ALL SELECT 'content:' || content, '{kinds.PAID_SET}' FROM unnest(contents) AS content
  UNION ALL SELECT 'country:' || country, '{kinds.PAID_SET}' FROM unnest(countries) AS country
) AS of(facet, kinds)
WHERE facet IS NOT NULL GROUP BY 1, 2"""  # noqa: S608 - names of ours

_SPONSOR_CONTENTS: Final = f"""
SELECT sponsor_id, content_category, kind, count(*)
FROM sponsorships WHERE content_category IS NOT NULL AND {_SPONSORS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
_CATEGORY_FACET_VIDEOS: Final = f"""
WITH claim AS (
  SELECT scope, video_id, kind, {_STEP} AS step
  FROM sponsorships JOIN (VALUES {_COUNTED_SCOPES}) AS scope(category, scope)
    ON scope.category = coalesce(sponsor_category, '')
  WHERE {_VIDEOS}
  UNION ALL
  SELECT '{CONTENT_SCOPE}' || content_category, video_id, kind, {_STEP}
  FROM sponsorships WHERE content_category IS NOT NULL AND {_VIDEOS}
)
SELECT scope, facet, count(*), 0, 0
FROM (SELECT scope, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
      FROM claim GROUP BY video_id, scope) AS video,
     LATERAL (VALUES ('kinds:' || mask), ('confidence_step:' || step)) AS of(facet)
WHERE facet IS NOT NULL GROUP BY 1, 2"""  # noqa: S608 - names of ours
_CATEGORY_FACET_YOUTUBERS: Final = f"""
SELECT scope, 'kinds:' || mask, 0, count(*), 0
FROM (SELECT scope, bit_or({BIT}) AS mask FROM sponsorships {_SCOPE}
      WHERE {_YOUTUBERS} GROUP BY youtuber_id, scope) AS youtuber
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_CATEGORY_FACET_SPONSORS: Final = f"""
SELECT '{CONTENT_SCOPE}' || content, 'kinds:' || mask, 0, 0, count(*)
FROM (SELECT content_category AS content, bit_or({BIT}) AS mask FROM sponsorships
      WHERE content_category IS NOT NULL AND {_SPONSORS} GROUP BY sponsor_id, 1) AS sponsor
GROUP BY 1, 2"""  # noqa: S608 - names of ours


def _rollup(
    table: str, keys: str, sums: str, *parts: tuple[str, str], label: str | None = None
) -> Rollup:
    """Return a rollup; names of columns have spaces between."""
    return Rollup(
        table, tuple(keys.split()), tuple(sums.split()), tuple(Part(*part) for part in parts), label
    )


ROLLUPS: Final = (
    _rollup(
        "sponsor_months", "sponsor_id month", "videos views paid_videos paid_views",
        ("sponsors", _SPONSOR_MONTHS), label="sponsor_category",
    ),
    _rollup("sponsor_parts", "sponsor_id part value month", "videos", ("sponsors", _SPONSOR_PARTS)),
    _rollup(
        "sponsor_returns", "sponsor_id month since", "youtubers repeats paid_youtubers",
        ("sponsors", _SPONSOR_RETURNS),
    ),
    _rollup(
        "sponsor_days", "sponsor_id day", "videos views youtubers free_products",
        ("sponsors", _SPONSOR_DAYS),
    ),
    _rollup(
        "sponsor_day_returns", "sponsor_id day gap", "youtubers", ("sponsors", _SPONSOR_DAY_RETURNS)
    ),
    _rollup(
        "sponsor_facets", "sponsor_id facet", "videos youtubers views free_products",
        ("sponsors", _SPONSOR_FACETS),
    ),
    _rollup(
        "category_months", "category kinds month", "videos sponsorships views",
        ("videos", _CATEGORY_MONTHS),
    ),
    _rollup(
        "category_returns", "category month since", "youtubers paid_youtubers",
        ("youtubers", _CATEGORY_RETURNS),
    ),
    _rollup(
        "category_days", "category day",
        " ".join(
            (
                "videos views youtubers",
                *(f"{kind}_videos {kind}_sponsorships" for kind in kinds.ALL),
                "all_videos",
            )
        ),
        ("videos", _CATEGORY_DAYS), ("youtubers", _CATEGORY_DAY_YOUTUBERS),
    ),
    _rollup(
        "category_day_returns", "category day gap", "youtubers", ("youtubers", _CATEGORY_DAY_RETURNS)
    ),
    _rollup("video_days", "day", "videos", ("videos", _VIDEO_DAYS)),
    _rollup(
        "facet_totals", "facet kinds", "videos sponsorships youtubers views",
        ("videos", _FACET_VIDEOS), ("youtubers", _FACET_YOUTUBERS),
    ),
    _rollup(
        "sponsor_contents", "sponsor_id content kind", "videos", ("sponsors", _SPONSOR_CONTENTS)
    ),
    _rollup(
        "category_facets", "category facet", "videos youtubers sponsors",
        ("videos", _CATEGORY_FACET_VIDEOS), ("youtubers", _CATEGORY_FACET_YOUTUBERS),
        ("sponsors", _CATEGORY_FACET_SPONSORS),
    ),
)  # fmt: skip
"""All tables of `rollups.tables`."""
