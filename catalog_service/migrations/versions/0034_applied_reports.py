"""Reports know whether their acceptance changed the catalogue, and by which slug their sponsor was reported.

Revision ID: 0034
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_FILL = """
UPDATE sponsorship_reports SET applied = true
WHERE state = 'accepted' AND EXISTS (
  SELECT FROM correction_log
  WHERE correction_log.report_id = sponsorship_reports.id AND action IN ('hidden', 'kind_changed', 'added')
    AND detail -> 'before' IS DISTINCT FROM detail -> 'after')
"""

_FILL_SLUGS = """
UPDATE sponsorship_reports SET reported_slug = correction_log.sponsor_slug
FROM correction_log
WHERE correction_log.report_id = sponsorship_reports.id AND action = 'reported'
"""


def upgrade() -> None:
    op.add_column("sponsorship_reports", sa.Column("reported_slug", sa.Text(collation="C")))
    op.add_column(
        "sponsorship_reports",
        sa.Column("applied", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.execute(_FILL)
    op.execute(_FILL_SLUGS)


def downgrade() -> None:
    op.drop_column("sponsorship_reports", "reported_slug")
    op.drop_column("sponsorship_reports", "applied")
