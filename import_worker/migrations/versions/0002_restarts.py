"""How often an import has begun again at the first page because pages expired."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("ALTER TABLE imports ADD COLUMN restarts integer NOT NULL DEFAULT 0")


def downgrade() -> None:
    op.execute("ALTER TABLE imports DROP COLUMN restarts")
