"""How many videos an import removed that its source no longer shows.

Revision ID: 0008
"""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute("ALTER TABLE imports ADD COLUMN videos_removed integer NOT NULL DEFAULT 0")


def downgrade() -> None:
    op.execute("ALTER TABLE imports DROP COLUMN videos_removed")
