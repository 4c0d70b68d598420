"""Reports know whether their acceptance changed the catalogue.

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


def upgrade() -> None:
    op.add_column(
        "sponsorship_reports",
        sa.Column("applied", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.execute(_FILL)


def downgrade() -> None:
    op.drop_column("sponsorship_reports", "applied")
