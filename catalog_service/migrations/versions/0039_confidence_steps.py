"""Fill the sums by twentieths of confidence, and delete those by tenths from .5.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0039
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

# The groups of sponsor categories, the kinds and the steps of confidence as they are at this revision.
GROUPS = {
    "tech": ("security", "software", "ai", "hosting", "electronics", "telecom"),
    "gaming": ("games", "gaming-gear"),
    "money": ("finance", "crypto"),
    "lifestyle": (
        "food", "health", "beauty", "fashion", "home", "travel", "automotive", "pets", "toys",
    ),
    "media": ("streaming", "audio-books"),
    "growth": ("education", "careers"),
    "commerce": ("retail", "services", "delivery"),
    "other": (),
}  # fmt: skip
COUNTED_SCOPES = ", ".join(
    str(pair)
    for pair in [
        ("", ""),
        *(
            (category, scope)
            for group, members in GROUPS.items()
            for category in (group, *members)
            for scope in sorted({"", category, group})
        ),
        *((group, f"={group}") for group in GROUPS),
    ]
)
PAID = "kind <> 'free_product'"
STEP = f"width_bucket(confidence, ARRAY{[percent / 100 for percent in range(5, 101, 5)]}::float8[]) * 5"

_SPONSOR_FACETS = f"""
WITH outdated AS (
  DELETE FROM sponsor_facets WHERE sponsor_id BETWEEN :first AND :last AND facet LIKE 'confidence:%'
), claim AS (
  SELECT sponsor_id, youtuber_id, kind, views, 'confidence_step:' || {STEP} AS facet, {STEP} AS step
  FROM sponsorships WHERE sponsor_id BETWEEN :first AND :last
)
INSERT INTO sponsor_facets (sponsor_id, facet, videos, youtubers, views, free_products)
SELECT sponsor_id, facet, sum(videos), sum(youtubers), sum(views), sum(free_products)
FROM (
  SELECT sponsor_id, facet, count(*) FILTER (WHERE {PAID}) AS videos, 0 AS youtubers,
         coalesce(sum(views) FILTER (WHERE {PAID}), 0) AS views, count(*) FILTER (WHERE NOT {PAID}) AS free_products
  FROM claim GROUP BY 1, 2
  UNION ALL
  SELECT sponsor_id, 'confidence_step:' || step, 0, count(*), 0, 0
  FROM (SELECT sponsor_id, max(step) AS step FROM claim WHERE {PAID} GROUP BY sponsor_id, youtuber_id) AS pair
  GROUP BY 1, 2
) AS facet
GROUP BY 1, 2"""  # noqa: S608 - names of ours
_ADD_TOTALS = """
ON CONFLICT (facet, kinds) DO UPDATE SET videos = held.videos + excluded.videos,
  sponsorships = held.sponsorships + excluded.sponsorships,
  youtubers = held.youtubers + excluded.youtubers, views = held.views + excluded.views"""
_INTO_TOTALS = (
    "INSERT INTO facet_totals AS held (facet, kinds, videos, sponsorships, youtubers, views)"
)
_VIDEOS = f"""
WITH outdated AS (
  DELETE FROM facet_totals WHERE facet LIKE 'confidence:%'
), claim AS (
  SELECT video_id, kinds, coalesce(views, 0) AS views, {STEP} AS step
  FROM sponsorships, LATERAL (VALUES (kind), (CASE WHEN {PAID} THEN 'paid' END)) AS of(kinds)
  WHERE video_id BETWEEN :first AND :last AND kinds IS NOT NULL
)
{_INTO_TOTALS}
SELECT 'confidence_step:' || step, kinds, sum(videos), sum(sponsorships), 0, sum(views)
FROM (
  SELECT kinds, max(step) AS step, 1 AS videos, 0 AS sponsorships, max(views) AS views
  FROM claim GROUP BY video_id, kinds
  UNION ALL
  SELECT kinds, step, 0, 1, 0 FROM claim
) AS facet
GROUP BY 1, 2 {_ADD_TOTALS}"""  # noqa: S608 - names of ours
_YOUTUBERS = f"""
{_INTO_TOTALS}
SELECT 'confidence_step:' || step, 'paid', 0, 0, count(*), 0
FROM (SELECT max({STEP}) AS step FROM sponsorships
      WHERE youtuber_id BETWEEN :first AND :last AND {PAID} GROUP BY youtuber_id) AS youtuber
GROUP BY 1, 2 {_ADD_TOTALS}"""  # noqa: S608 - names of ours
_CATEGORY_VIDEOS = f"""
WITH outdated AS (
  DELETE FROM category_facets WHERE facet LIKE 'confidence:%'
), claim AS (
  SELECT scope, video_id, {STEP} AS step
  FROM sponsorships JOIN (VALUES {COUNTED_SCOPES}) AS named(category, scope)
    ON named.category = coalesce(sponsor_category, '')
  WHERE video_id BETWEEN :first AND :last AND {PAID}
  UNION ALL
  SELECT 'content:' || content_category, video_id, {STEP}
  FROM sponsorships WHERE content_category IS NOT NULL AND video_id BETWEEN :first AND :last AND {PAID}
)
INSERT INTO category_facets AS held (category, facet, videos, youtubers, sponsors)
SELECT scope, 'confidence_step:' || step, count(*), 0, 0
FROM (SELECT scope, max(step) AS step FROM claim GROUP BY video_id, scope) AS video
GROUP BY 1, 2
ON CONFLICT (category, facet) DO UPDATE SET videos = held.videos + excluded.videos"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(f"{revision} sponsor_facets", "sponsors", _SPONSOR_FACETS, batch_rows=500)
    fill_in_batches(f"{revision} videos", "videos", _VIDEOS, batch_rows=20_000)
    fill_in_batches(f"{revision} youtubers", "youtubers", _YOUTUBERS, batch_rows=1_000)
    fill_in_batches(f"{revision} categories", "videos", _CATEGORY_VIDEOS, batch_rows=20_000)


def downgrade() -> None:
    for table in ("sponsor_facets", "facet_totals", "category_facets"):
        op.execute(f"DELETE FROM {table} WHERE facet LIKE 'confidence_step:%'")  # noqa: S608 - names of ours
