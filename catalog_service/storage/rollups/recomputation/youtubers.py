"""The sums by category and facet that count youtubers, computed from the sponsorships of a range of youtubers."""

from typing import Final

from catalog_service.domain import kinds
from catalog_service.domain.categories import SCOPES
from catalog_service.storage.rollups.facets import BIT, PAID, step_of
from catalog_service.storage.rollups.tables import MAX_DAYS

_YOUTUBERS: Final = "youtuber_id BETWEEN %(first)s AND %(last)s"
_MONTH: Final = "date_trunc('month', published_on)::date"
_SCOPES: Final = f"(VALUES {', '.join(map(str, SCOPES))}) AS scope(category, scope)"

CATEGORY_RETURNS: Final = f"""
WITH seen AS (
  SELECT scope, youtuber_id, {_MONTH} AS month, bool_or({PAID}) AS is_paid
  FROM sponsorships JOIN {_SCOPES} ON scope.category = coalesce(sponsor_category, '')
  WHERE {_YOUTUBERS} GROUP BY 1, 2, 3
), cells AS (
  SELECT scope, month, is_paid, lag(month) OVER earlier AS since,
         max(month) FILTER (WHERE is_paid) OVER (earlier ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS paid_since
  FROM seen WINDOW earlier AS (PARTITION BY scope, youtuber_id ORDER BY month)
)
SELECT scope, month, coalesce(since, '-infinity'), count(*), 0 FROM cells GROUP BY 1, 2, 3
UNION ALL
SELECT scope, month, coalesce(paid_since, '-infinity'), 0, count(*) FROM cells WHERE is_paid GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours

_DAYS: Final = f"""
  SELECT scope, youtuber_id, published_on AS day
  FROM sponsorships JOIN {_SCOPES} ON scope.category = coalesce(sponsor_category, '')
  WHERE {_YOUTUBERS} AND {PAID} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
CATEGORY_DAY_YOUTUBERS: Final = f"""
SELECT scope, day, 0, 0, count(*){", 0" * (2 * len(kinds.ALL) + 1)}
FROM ({_DAYS}) AS seen GROUP BY 1, 2"""  # noqa: S608 - names of ours
CATEGORY_DAY_RETURNS: Final = f"""
SELECT scope, day, gap, count(*)
FROM (SELECT scope, day, day - lag(day) OVER (PARTITION BY scope, youtuber_id ORDER BY day) AS gap
      FROM ({_DAYS}) AS seen) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
FACET_YOUTUBERS: Final = f"""
WITH youtuber AS (
  SELECT youtuber_id, bit_or({BIT}) AS mask, max({step_of("confidence")}) FILTER (WHERE {PAID}) AS step,
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
CATEGORY_FACET_YOUTUBERS: Final = f"""
WITH held AS (
  SELECT coalesce(sponsor_category, '') AS category, bit_or({BIT}) AS mask, youtuber_id
  FROM sponsorships WHERE {_YOUTUBERS} GROUP BY youtuber_id, 1
)
SELECT scope, 'kinds:' || mask, 0, count(*), 0
FROM (SELECT scope, bit_or(mask) AS mask FROM held JOIN {_SCOPES} USING (category) GROUP BY youtuber_id, scope) AS youtuber
GROUP BY 1, 2"""  # noqa: S608 - names of ours
