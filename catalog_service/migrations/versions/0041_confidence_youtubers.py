"""Add the different youtubers of all sponsors to the sums by twentieths of confidence.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0041
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0041"
down_revision = "0040"
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
_YOUTUBERS = f"""
{_INTO_TOTALS}
SELECT 'confidence_step:' || step, 'paid', 0, 0, count(*), 0
FROM (SELECT max({STEP}) AS step FROM sponsorships
      WHERE youtuber_id BETWEEN :first AND :last AND {PAID} GROUP BY youtuber_id) AS youtuber
GROUP BY 1, 2 {_ADD_TOTALS}"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(revision, "youtubers", _YOUTUBERS, batch_rows=1_000)


def downgrade() -> None:
    op.execute("UPDATE facet_totals SET youtubers = 0 WHERE facet LIKE 'confidence_step:%'")
