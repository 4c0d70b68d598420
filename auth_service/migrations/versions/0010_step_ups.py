"""Grants that lack consent, the scopes that a consent page showed, and where a sign-up goes on."""

from alembic import op

revision = "0010"
down_revision = "0009"

_COLUMNS = (
    ("oauth_grants", "consent_required_at", "timestamptz"),
    ("pending_consents", "scopes", "text[] NOT NULL DEFAULT '{}'"),
    ("sign_ups", "following", "text NOT NULL DEFAULT ''"),
)


def upgrade() -> None:
    for table, column, kind in _COLUMNS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


def downgrade() -> None:
    for table, column, _kind in _COLUMNS:
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
