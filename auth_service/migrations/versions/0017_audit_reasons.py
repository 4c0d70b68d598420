"""The reason that an operator gave for an act, in the audit log."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.execute("ALTER TABLE audit_log ADD COLUMN reason text NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE audit_log DROP COLUMN reason")
