"""Fill the sums by facet.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0030
"""

from servicekit.migration.operations import fill_in_batches

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

# The kinds with their bits and the steps of confidence as they are at this revision.
PAID = "kind <> 'free_product'"
BIT = "CASE kind WHEN 'paid_sponsorship' THEN 1 WHEN 'promo_code' THEN 2 WHEN 'affiliate' THEN 4 ELSE 8 END"
STEP = "width_bucket(confidence, ARRAY[0.5, 0.6, 0.7, 0.8, 0.9]::float8[])"

_SPONSOR_FACETS = f"""
WITH claim AS (
  SELECT sponsor_id, youtuber_id, kind, views, content_category AS content, country, {STEP} AS step
  FROM sponsorships WHERE sponsor_id BETWEEN :first AND :last
), pair AS (
  SELECT sponsor_id, youtuber_id, bit_or({BIT}) AS mask, max(step) FILTER (WHERE {PAID}) AS step
  FROM claim GROUP BY 1, 2
)
INSERT INTO sponsor_facets (sponsor_id, facet, videos, youtubers, views, free_products)
SELECT sponsor_id, facet, sum(videos), sum(youtubers), sum(views), sum(free_products)
FROM (
  SELECT sponsor_id, facet, count(*) FILTER (WHERE {PAID} OR is_kind) AS videos,
         count(DISTINCT youtuber_id) FILTER (WHERE {PAID} AND has_youtubers) AS youtubers,
         coalesce(sum(views) FILTER (WHERE {PAID} OR is_kind), 0) AS views,
         count(*) FILTER (WHERE NOT {PAID}) AS free_products
  FROM claim, LATERAL (VALUES
    ('kind:' || kind, true, false), ('confidence:' || step, false, false),
    ('content:' || content, false, true), ('country:' || country, false, true)
  ) AS of(facet, is_kind, has_youtubers)
  WHERE facet IS NOT NULL GROUP BY 1, 2
  UNION ALL
  SELECT sponsor_id, facet, 0, count(*), 0, 0
  FROM pair, LATERAL (VALUES ('kinds:' || mask), ('confidence:' || step)) AS of(facet)
  WHERE facet IS NOT NULL GROUP BY 1, 2
) AS facet
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_ADD = """
ON CONFLICT (facet, kinds) DO UPDATE SET videos = held.videos + excluded.videos,
  sponsorships = held.sponsorships + excluded.sponsorships,
  youtubers = held.youtubers + excluded.youtubers, views = held.views + excluded.views"""
_INTO = "INSERT INTO facet_totals AS held (facet, kinds, videos, sponsorships, youtubers, views)"
_VIDEOS = f"""
WITH claim AS (
  SELECT video_id, kind, coalesce(views, 0) AS views, content_category AS content, country, {STEP} AS step
  FROM sponsorships WHERE video_id BETWEEN :first AND :last
), named AS (
  SELECT claim.*, kinds FROM claim,
  LATERAL (VALUES (kind), (CASE WHEN {PAID} THEN 'paid' END)) AS of(kinds) WHERE kinds IS NOT NULL
)
{_INTO}
SELECT facet, kinds, sum(videos), sum(sponsorships), 0, sum(views)
FROM (
  SELECT facet, kinds, 1 AS videos, 0 AS sponsorships, views
  FROM (
    SELECT kinds, max(views) AS views, 'kind:' || nullif(kinds, 'paid') AS kind, 'confidence:' || max(step) AS confidence,
           'content:' || max(content) AS content, 'country:' || max(country) AS country
    FROM named GROUP BY video_id, kinds
  ) AS video, LATERAL (VALUES (kind), (confidence), (content), (country)) AS of(facet)
  WHERE facet IS NOT NULL
  UNION ALL
  SELECT 'kinds:' || bit_or({BIT}), 'all', 1, 0, max(views) FROM claim GROUP BY video_id
  UNION ALL
  SELECT facet, kinds, 0, 1, 0
  FROM named, LATERAL (VALUES
    ('kind:' || nullif(kinds, 'paid')), ('confidence:' || step), ('content:' || content), ('country:' || country)
  ) AS of(facet)
  WHERE facet IS NOT NULL
) AS facet
GROUP BY 1, 2 {_ADD}"""  # noqa: S608 - names of ours
_YOUTUBERS = f"""
WITH youtuber AS (
  SELECT youtuber_id, bit_or({BIT}) AS mask, max({STEP}) FILTER (WHERE {PAID}) AS step,
         array_agg(DISTINCT content_category) FILTER (WHERE {PAID}) AS contents,
         array_agg(DISTINCT country) FILTER (WHERE {PAID}) AS countries
  FROM sponsorships WHERE youtuber_id BETWEEN :first AND :last GROUP BY 1
)
{_INTO}
SELECT facet, kinds, 0, 0, count(*), 0
FROM youtuber, LATERAL (
  SELECT 'kinds:' || mask, 'all'
  UNION ALL SELECT 'confidence:' || step, 'paid'
  UNION ALL SELECT 'content:' || content, 'paid' FROM unnest(contents) AS content
  UNION ALL SELECT 'country:' || country, 'paid' FROM unnest(countries) AS country
) AS of(facet, kinds)
WHERE facet IS NOT NULL GROUP BY 1, 2 {_ADD}"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(f"{revision} sponsor_facets", "sponsors", _SPONSOR_FACETS, batch_rows=500)
    fill_in_batches(f"{revision} videos", "videos", _VIDEOS, batch_rows=20_000)
    fill_in_batches(f"{revision} youtubers", "youtubers", _YOUTUBERS, batch_rows=1_000)


def downgrade() -> None:
    pass
