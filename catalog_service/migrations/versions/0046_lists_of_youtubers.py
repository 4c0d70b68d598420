"""Lists of a sponsor's youtubers by views and by last sponsorship, which were sorted.

Revision ID: 0046
"""

from alembic import op

from servicekit.migration.operations import create_index_concurrently

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

_INDEXES = {
    "sponsor_youtubers_views_idx": "(sponsor_id, views DESC, youtuber_id)",
    "sponsor_youtubers_seen_idx": "(sponsor_id, last_seen DESC, youtuber_id)",
}


def upgrade() -> None:
    for name, definition in _INDEXES.items():
        create_index_concurrently(name, "sponsor_youtubers", definition)


def downgrade() -> None:
    for name in _INDEXES:
        with op.get_context().autocommit_block():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
