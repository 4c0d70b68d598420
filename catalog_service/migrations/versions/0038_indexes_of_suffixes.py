"""The indexes of the suffixes of names, made concurrently.

Revision ID: 0038
"""

from alembic import op

from servicekit.migration.operations import create_index_concurrently

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_DEFINITION = "USING gin (name_suffixes(name_key))"
_TABLES = ("sponsor_names", "youtuber_names")


def upgrade() -> None:
    for table in _TABLES:
        create_index_concurrently(f"{table}_suffixes_idx", table, _DEFINITION)


def downgrade() -> None:
    for table in _TABLES:
        with op.get_context().autocommit_block():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {table}_suffixes_idx")
