"""The expected rollups by month, by day and by facet, computed in another way than the code computes them.

Cells are found by looking, for each video, at the months of the videos before it.
"""

from typing import Final

from catalog_service.domain.categories import COUNTED_SCOPES, SCOPES

_SCOPES: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in SCOPES)
_COUNTED: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in COUNTED_SCOPES)
_PAID: Final = "kind IN ('paid_sponsorship', 'promo_code', 'affiliate')"
_SEEN: Final = f"""
WITH seen AS (
  SELECT p.*, date_trunc('month', p.published_on)::date AS month FROM sponsorships p
), ordered AS (
  SELECT seen.*, ARRAY(
      SELECT other.month FROM seen other
      WHERE (other.sponsor_id, other.youtuber_id) = (seen.sponsor_id, seen.youtuber_id)
        AND (other.month, other.video_id) < (seen.month, seen.video_id)
      ORDER BY other.month DESC, other.video_id DESC
    ) AS earlier
  FROM seen
), scoped AS (
  SELECT scope.scope, seen.* FROM seen
  JOIN (VALUES {_SCOPES}) AS scope(category, scope)
    ON scope.category = coalesce(seen.sponsor_category, '')
)"""


def _returned(holder: str, source: str) -> str:
    """Count youtubers of a day who were seen at most 91 days before, by the days between."""
    return f"""
        WITH days AS (
          SELECT DISTINCT {holder}, youtuber_id, published_on AS day FROM {source} WHERE {_PAID}
        )
        SELECT {holder}, later.day, later.day - earlier.day, count(*)
        FROM days AS later JOIN days AS earlier USING ({holder}, youtuber_id)
        WHERE later.day - earlier.day BETWEEN 1 AND 91 AND NOT EXISTS (
          SELECT FROM days AS other
          WHERE (other.{holder}, other.youtuber_id) = (later.{holder}, later.youtuber_id)
            AND other.day > earlier.day AND other.day < later.day)
        GROUP BY 1, 2, 3"""


_ROLLUPS: Final = {
    "sponsor_months": (
        "sponsor_id, month, sponsor_category, videos, views, paid_videos, paid_views",
        f"""
        SELECT sponsor_id, month, sponsor_category, count(*), coalesce(sum(views), 0),
               count(*) FILTER (WHERE {_PAID}), coalesce(sum(views) FILTER (WHERE {_PAID}), 0)
        FROM seen GROUP BY 1, 2, 3""",
    ),
    "sponsor_parts": (
        "sponsor_id, part, value, month, videos",
        """
        SELECT sponsor_id, 'content', coalesce(content_category, ''), month, count(*)
        FROM seen GROUP BY 1, 3, 4
        UNION ALL SELECT sponsor_id, 'country', coalesce(country, ''), month, count(*)
        FROM seen GROUP BY 1, 3, 4
        UNION ALL SELECT sponsor_id, 'kind', kind, month, count(*) FROM seen GROUP BY 1, 3, 4""",
    ),
    "sponsor_returns": (
        "sponsor_id, month, since, youtubers, repeats, paid_youtubers",
        f"""
        SELECT sponsor_id, month, since, sum(youtubers), sum(repeats), sum(paid_youtubers)
        FROM (
          SELECT sponsor_id, month, coalesce(earlier[1], '-infinity') AS since, 1 AS youtubers,
                 0 AS repeats, 0 AS paid_youtubers
          FROM ordered
          UNION ALL
          SELECT sponsor_id, month, coalesce(earlier[2], '-infinity'), 0, 1, 0
          FROM ordered WHERE cardinality(earlier) > 0
          UNION ALL
          SELECT DISTINCT ON (sponsor_id, youtuber_id, month) sponsor_id, month, coalesce((
              SELECT max(other.month) FROM seen other
              WHERE (other.sponsor_id, other.youtuber_id) = (seen.sponsor_id, seen.youtuber_id)
                AND other.month < seen.month AND other.kind <> 'free_product'
            ), '-infinity'), 0, 0, 1
          FROM seen WHERE {_PAID}
        ) AS cells WHERE since < month GROUP BY 1, 2, 3""",
    ),
    "category_months": (
        "category, kinds, month, videos, sponsorships, views",
        f"""
        SELECT scope, kinds, month, count(*), sum(sponsorships), sum(views)
        FROM (
          SELECT scope, kinds, month, video_id, count(*) AS sponsorships,
                 coalesce(max(views), 0) AS views
          FROM (
            SELECT scope.scope, seen.* FROM seen JOIN (VALUES {_COUNTED}) AS scope(category, scope)
              ON scope.category = coalesce(seen.sponsor_category, '')
            UNION ALL
            SELECT 'content:' || content_category, seen.* FROM seen
            WHERE content_category IS NOT NULL
          ) AS sponsored, LATERAL (
            SELECT unnest(ARRAY['all', kind, CASE WHEN {_PAID} THEN 'paid' END])
          ) AS of(kinds)
          WHERE kinds IS NOT NULL
          GROUP BY 1, 2, 3, 4
        ) AS video
        GROUP BY 1, 2, 3""",
    ),
    "category_returns": (
        "category, month, since, youtubers, paid_youtubers",
        f"""
        SELECT scope, month, since, sum(youtubers), sum(paid_youtubers)
        FROM (
          SELECT DISTINCT scope, youtuber_id, month, coalesce((
              SELECT max(other.month) FROM scoped other
              WHERE (other.scope, other.youtuber_id) = (scoped.scope, scoped.youtuber_id)
                AND other.month < scoped.month
            ), '-infinity') AS since, 1 AS youtubers, 0 AS paid_youtubers
          FROM scoped
          UNION ALL
          SELECT DISTINCT scope, youtuber_id, month, coalesce((
              SELECT max(other.month) FROM scoped other
              WHERE (other.scope, other.youtuber_id) = (scoped.scope, scoped.youtuber_id)
                AND other.month < scoped.month AND other.kind <> 'free_product'
            ), '-infinity'), 0, 1
          FROM scoped WHERE {_PAID}
        ) AS cells GROUP BY 1, 2, 3""",
    ),
    "sponsor_days": (
        "sponsor_id, day, videos, views, youtubers, free_products",
        f"""
        SELECT sponsor_id, published_on, count(*) FILTER (WHERE {_PAID}),
               coalesce(sum(views) FILTER (WHERE {_PAID}), 0),
               count(DISTINCT youtuber_id) FILTER (WHERE {_PAID}),
               count(*) FILTER (WHERE kind = 'free_product')
        FROM seen GROUP BY 1, 2""",
    ),
    "sponsor_day_returns": (
        "sponsor_id, day, gap, youtubers",
        _returned("sponsor_id", "seen"),
    ),
    "category_days": (
        "category, day, videos, views, youtubers, paid_sponsorship_videos, paid_sponsorship_sponsorships,"
        " promo_code_videos, promo_code_sponsorships, affiliate_videos, affiliate_sponsorships,"
        " free_product_videos, free_product_sponsorships, all_videos",
        f"""
        SELECT scope, day, count(DISTINCT video_id) FILTER (WHERE {_PAID}),
               coalesce((SELECT sum(views) FROM (
                 SELECT DISTINCT video_id, views FROM scoped AS other
                 WHERE (other.scope, other.published_on) = (of.scope, of.day) AND {_PAID}) AS paid), 0),
               count(DISTINCT youtuber_id) FILTER (WHERE {_PAID}),
               count(DISTINCT video_id) FILTER (WHERE kind = 'paid_sponsorship'),
               count(*) FILTER (WHERE kind = 'paid_sponsorship'),
               count(DISTINCT video_id) FILTER (WHERE kind = 'promo_code'),
               count(*) FILTER (WHERE kind = 'promo_code'),
               count(DISTINCT video_id) FILTER (WHERE kind = 'affiliate'),
               count(*) FILTER (WHERE kind = 'affiliate'),
               count(DISTINCT video_id) FILTER (WHERE kind = 'free_product'),
               count(*) FILTER (WHERE kind = 'free_product'), count(DISTINCT video_id)
        FROM (SELECT *, published_on AS day FROM scoped) AS of GROUP BY 1, 2""",
    ),
    "video_days": ("day, videos", "SELECT published_on, count(*) FROM videos GROUP BY 1"),
    "category_day_returns": (
        "category, day, gap, youtubers",
        _returned("scope", "scoped"),
    ),
}


_STEP_OF_OTHER: Final = """
          SELECT count(*) * 5 FROM generate_series(5, 100, 5) AS step WHERE step / 100::float8 <= other.confidence"""


def _highest(of: str) -> str:
    """Return the highest step of the paid work that an alias names by `of`."""
    return f"""(
        SELECT max(({_STEP_OF_OTHER})) FROM sponsorships AS other WHERE {of} AND {_PAID})"""


def _mask(of: str) -> str:
    return f"""(
        SELECT sum(DISTINCT 1 << array_position(
          ARRAY['paid_sponsorship', 'promo_code', 'affiliate', 'free_product'], kind) - 1)
        FROM sponsorships AS other WHERE {of})"""


_STEP: Final = """('confidence_step:' || (
  SELECT count(*) * 5 FROM generate_series(5, 100, 5) AS step WHERE step / 100::float8 <= confidence))"""
_OF_PAIR: Final = "(other.sponsor_id, other.youtuber_id) = (pair.sponsor_id, pair.youtuber_id)"
_OF_VIDEO: Final = "other.video_id = video.video_id"
_OF_YOUTUBER: Final = "other.youtuber_id = youtuber.youtuber_id"
_FACETED: Final = f"""faceted AS (
  SELECT seen.*, of.facet, is_kind, {_PAID} AS is_paid
  FROM seen, LATERAL (VALUES
    ('content:' || content_category, false), ('country:' || country, false), ('kind:' || kind, true),
    ({_STEP}, false)) AS of(facet, is_kind)
  WHERE of.facet IS NOT NULL
)"""


_ROLLUPS_BY_FACET: Final = {
    "sponsor_facets": (
        "sponsor_id, facet, videos, youtubers, views, free_products",
        f"""
        WITH {_FACETED}
        SELECT sponsor_id, facet, sum(videos), sum(youtubers), sum(views), sum(free_products)
        FROM (
          SELECT sponsor_id, facet, count(*) FILTER (WHERE is_paid OR is_kind) AS videos,
                 count(DISTINCT youtuber_id) FILTER (
                   WHERE is_paid AND (facet LIKE 'content:%' OR facet LIKE 'country:%')) AS youtubers,
                 coalesce(sum(views) FILTER (WHERE is_paid OR is_kind), 0) AS views,
                 count(*) FILTER (WHERE NOT is_paid) AS free_products
          FROM faceted GROUP BY 1, 2
          UNION ALL
          SELECT sponsor_id, facet, 0, 1, 0, 0
          FROM (SELECT DISTINCT sponsor_id, youtuber_id FROM seen) AS pair,
               LATERAL (VALUES ('kinds:' || {_mask(_OF_PAIR)}),
                               ('confidence_step:' || {_highest(_OF_PAIR)})) AS of(facet)
          WHERE facet IS NOT NULL
        ) AS sums
        GROUP BY 1, 2
        HAVING sum(videos) + sum(youtubers) + sum(free_products) > 0""",
    ),
    "facet_totals": (
        "facet, kinds, videos, sponsorships, youtubers, views",
        f"""
        WITH {_FACETED}, video AS (
          SELECT DISTINCT video_id, kinds, coalesce(views, 0) AS views
          FROM seen, LATERAL (SELECT unnest(ARRAY[kind, CASE WHEN {_PAID} THEN 'paid' END])) AS of(kinds)
          WHERE kinds IS NOT NULL
        )
        SELECT facet, kinds, sum(videos), sum(sponsorships), sum(youtubers), sum(views)
        FROM (
          SELECT 'kinds:' || {_mask(_OF_VIDEO)} AS facet, 'all' AS kinds, 1 AS videos, 0 AS sponsorships,
                 0 AS youtubers, views
          FROM (SELECT DISTINCT video_id, coalesce(views, 0) AS views FROM seen) AS video
          UNION ALL
          SELECT 'kinds:' || {_mask(_OF_YOUTUBER)}, 'all', 0, 0, 1, 0
          FROM (SELECT DISTINCT youtuber_id FROM seen) AS youtuber
          UNION ALL
          SELECT 'kind:' || kinds, kinds, 1, 0, 0, views FROM video WHERE kinds <> 'paid'
          UNION ALL
          SELECT 'confidence_step:' || (
              SELECT max(({_STEP_OF_OTHER})) FROM sponsorships AS other
              WHERE {_OF_VIDEO} AND (other.kind = kinds OR (kinds = 'paid' AND {_PAID}))),
            kinds, 1, 0, 0, views
          FROM video
          UNION ALL
          SELECT DISTINCT ON (facet, kinds, video_id) facet, kinds, 1, 0, 0, coalesce(views, 0)
          FROM faceted, LATERAL (SELECT unnest(ARRAY[kind, CASE WHEN is_paid THEN 'paid' END])) AS of(kinds)
          WHERE (facet LIKE 'content:%' OR facet LIKE 'country:%') AND kinds IS NOT NULL
          UNION ALL
          SELECT facet, kinds, 0, 1, 0, 0
          FROM faceted, LATERAL (SELECT unnest(ARRAY[
            kind, CASE WHEN is_paid AND NOT is_kind THEN 'paid' END])) AS of(kinds)
          WHERE kinds IS NOT NULL
          UNION ALL
          SELECT DISTINCT ON (facet, youtuber_id) facet, 'paid', 0, 0, 1, 0 FROM faceted
          WHERE is_paid AND (facet LIKE 'content:%' OR facet LIKE 'country:%')
          UNION ALL
          SELECT 'confidence_step:' || {_highest(_OF_YOUTUBER)}, 'paid', 0, 0, 1, 0
          FROM (SELECT DISTINCT youtuber_id FROM seen WHERE {_PAID}) AS youtuber
        ) AS sums
        GROUP BY 1, 2""",
    ),
}

_SCOPED_BY: Final = f"""
WITH counted AS (
  SELECT scope.scope, seen.* FROM seen JOIN (VALUES {_COUNTED}) AS scope(category, scope)
    ON scope.category = coalesce(seen.sponsor_category, '')
  UNION ALL
  SELECT 'content:' || content_category, seen.* FROM seen WHERE content_category IS NOT NULL
)"""


def _scope_mask(source: str, of: str) -> str:
    return f"""'kinds:' || (
        SELECT sum(DISTINCT 1 << array_position(
          ARRAY['paid_sponsorship', 'promo_code', 'affiliate', 'free_product'], kind) - 1)
        FROM {source} AS other WHERE other.scope = held.scope AND other.{of} = held.{of})"""


_ROLLUPS_BY_CATEGORY: Final = {
    "sponsor_contents": (
        "sponsor_id, content, kind, videos",
        """
        SELECT sponsor_id, content_category, kind, count(*) FROM seen
        WHERE content_category IS NOT NULL GROUP BY 1, 2, 3""",
    ),
    "category_facets": (
        "category, facet, videos, youtubers, sponsors",
        f"""
        {_SCOPED_BY}
        SELECT scope, facet, sum(videos), sum(youtubers), sum(sponsors)
        FROM (
          SELECT scope, {_scope_mask("counted", "video_id")} AS facet, 1 AS videos, 0 AS youtubers, 0 AS sponsors
          FROM (SELECT DISTINCT scope, video_id FROM counted) AS held
          UNION ALL
          SELECT scope, 'confidence_step:' || (
              SELECT max(({_STEP_OF_OTHER})) FROM counted AS other
              WHERE other.scope = held.scope AND other.video_id = held.video_id AND {_PAID}), 1, 0, 0
          FROM (SELECT DISTINCT scope, video_id FROM counted WHERE {_PAID}) AS held
          UNION ALL
          SELECT scope, {_scope_mask("scoped", "youtuber_id")}, 0, 1, 0
          FROM (SELECT DISTINCT scope, youtuber_id FROM scoped) AS held
          UNION ALL
          SELECT scope, {_scope_mask("counted", "sponsor_id")}, 0, 0, 1
          FROM (SELECT DISTINCT scope, sponsor_id FROM counted WHERE scope LIKE 'content:%') AS held
        ) AS sums
        GROUP BY 1, 2""",
    ),
}


def _differences(table: str, columns: str, expected: str) -> str:
    held = f"SELECT {columns} FROM {table}"
    return (
        f"{_SEEN}, expected AS ({expected}) "
        f"(({held}) EXCEPT ALL (SELECT * FROM expected)) UNION ALL "
        f"((SELECT * FROM expected) EXCEPT ALL ({held}))"
    )


DIFFERENCES: Final = {
    name: _differences(name, *rollup)
    for name, rollup in {**_ROLLUPS, **_ROLLUPS_BY_FACET, **_ROLLUPS_BY_CATEGORY}.items()
}
"""Queries by table that give the rows that are there and should not be, or the other way round."""
