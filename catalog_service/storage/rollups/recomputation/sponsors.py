"""The sums by sponsor, computed from the sponsorships of a range of sponsors."""

from typing import Final

from catalog_service.domain.categories import CONTENT_SCOPE
from catalog_service.storage.rollups.facets import BIT, PAID, step_of
from catalog_service.storage.rollups.tables import MAX_DAYS

_SPONSORS: Final = "sponsor_id BETWEEN %(first)s AND %(last)s"
_MONTH: Final = "date_trunc('month', published_on)::date"

SPONSOR_MONTHS: Final = f"""
SELECT sponsor_id, {_MONTH}, count(*), coalesce(sum(views), 0), count(*) FILTER (WHERE {PAID}),
       coalesce(sum(views) FILTER (WHERE {PAID}), 0)
FROM sponsorships WHERE {_SPONSORS} GROUP BY 1, 2"""  # noqa: S608 - names of ours
SPONSOR_PARTS: Final = f"""
SELECT sponsor_id, part, coalesce(value, ''), {_MONTH}, count(*)
FROM sponsorships, LATERAL (
  VALUES ('content', content_category), ('country', country), ('kind', kind)) AS parts(part, value)
WHERE {_SPONSORS} GROUP BY 1, 2, 3, 4"""  # noqa: S608 - names of ours
SPONSOR_RETURNS: Final = f"""
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
SPONSOR_DAYS: Final = f"""
SELECT sponsor_id, published_on, count(*) FILTER (WHERE {PAID}), coalesce(sum(views) FILTER (WHERE {PAID}), 0),
       count(DISTINCT youtuber_id) FILTER (WHERE {PAID}), count(*) FILTER (WHERE NOT {PAID})
FROM sponsorships WHERE {_SPONSORS} GROUP BY 1, 2"""  # noqa: S608 - names of ours
SPONSOR_DAY_RETURNS: Final = f"""
SELECT sponsor_id, day, gap, count(*)
FROM (
  SELECT sponsor_id, day, day - lag(day) OVER (PARTITION BY sponsor_id, youtuber_id ORDER BY day) AS gap
  FROM (SELECT sponsor_id, youtuber_id, published_on AS day FROM sponsorships
        WHERE {_SPONSORS} AND {PAID} GROUP BY 1, 2, 3) AS seen
) AS returned
WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
SPONSOR_FACETS: Final = f"""
WITH claim AS (
  SELECT sponsor_id, youtuber_id, kind, views, content_category AS content, country, {step_of("confidence")} AS step
  FROM sponsorships WHERE {_SPONSORS}
), of_sponsor AS (
  SELECT sponsor_id, kind AS counted, count(*) AS videos, count(*) FILTER (WHERE {PAID}) AS paid_videos,
         coalesce(sum(views), 0) AS views, coalesce(sum(views) FILTER (WHERE {PAID}), 0) AS paid_views,
         coalesce('kind:' || kind, 'confidence_step:' || step, 'content:' || content, 'country:' || country) AS facet
  FROM claim
  GROUP BY GROUPING SETS ((sponsor_id, kind), (sponsor_id, step), (sponsor_id, content), (sponsor_id, country))
), pair AS (
  SELECT sponsor_id, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step,
         array_agg(DISTINCT content) FILTER (WHERE {PAID}) AS contents,
         array_agg(DISTINCT country) FILTER (WHERE {PAID}) AS countries
  FROM claim GROUP BY sponsor_id, youtuber_id
), reached AS (
  SELECT sponsor_id, facet, count(*) AS youtubers
  FROM pair, LATERAL (
    VALUES ('kinds:' || mask), ('confidence_step:' || step)
    UNION ALL SELECT 'content:' || content FROM unnest(contents) AS content
    UNION ALL SELECT 'country:' || country FROM unnest(countries) AS country
  ) AS of(facet)
  WHERE facet IS NOT NULL GROUP BY 1, 2
)
SELECT sponsor_id, facet, CASE WHEN counted IS NULL THEN paid_videos ELSE videos END, 0,
       CASE WHEN counted IS NULL THEN paid_views ELSE views END, videos - paid_videos
FROM of_sponsor WHERE facet IS NOT NULL
UNION ALL
SELECT sponsor_id, facet, 0, youtubers, 0, 0 FROM reached"""  # noqa: S608 - names of ours
SPONSOR_CONTENTS: Final = f"""
SELECT sponsor_id, content_category, kind, count(*)
FROM sponsorships WHERE content_category IS NOT NULL AND {_SPONSORS} GROUP BY 1, 2, 3"""  # noqa: S608 - names of ours
CATEGORY_FACET_SPONSORS: Final = f"""
SELECT '{CONTENT_SCOPE}' || content, 'kinds:' || mask, 0, 0, count(*)
FROM (SELECT content_category AS content, bit_or({BIT}) AS mask FROM sponsorships
      WHERE content_category IS NOT NULL AND {_SPONSORS} GROUP BY sponsor_id, 1) AS sponsor
GROUP BY 1, 2"""  # noqa: S608 - names of ours
