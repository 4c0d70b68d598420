"""The epoch in which Valkey counts calls, and whether the ledger holds calls that it lacks."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE counting (
            is_only boolean PRIMARY KEY DEFAULT true CONSTRAINT counting_is_only CHECK (is_only),
            epoch text NOT NULL,
            bypassed boolean NOT NULL DEFAULT false
        )
        """
    )
    op.execute("INSERT INTO counting (epoch) VALUES ('')")


def downgrade() -> None:
    op.execute("DROP TABLE counting")
