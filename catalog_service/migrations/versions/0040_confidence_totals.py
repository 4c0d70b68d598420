"""Fill the different videos of all sponsors by twentieths of confidence, and delete those by tenths from .5.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0040
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

# The kinds and the steps of confidence as they are at this revision.
PAID = "kind <> 'free_product'"
STEP = f"width_bucket(confidence, ARRAY{[percent / 100 for percent in range(5, 101, 5)]}::float8[]) * 5"


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


def upgrade() -> None:
    fill_in_batches(revision, "videos", _VIDEOS, batch_rows=20_000)


def downgrade() -> None:
    op.execute("DELETE FROM facet_totals WHERE facet LIKE 'confidence_step:%'")
