"""Fill the sums of sponsors by twentieths of confidence, and delete those by tenths from .5.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0039
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

# The kinds and the steps of confidence as they are at this revision.
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


def upgrade() -> None:
    fill_in_batches(revision, "sponsors", _SPONSOR_FACETS, batch_rows=500)


def downgrade() -> None:
    op.execute("DELETE FROM sponsor_facets WHERE facet LIKE 'confidence_step:%'")
