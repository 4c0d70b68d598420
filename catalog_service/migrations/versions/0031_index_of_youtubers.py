"""The index of a youtuber's sponsorships tells content categories and countries as well, which the ingest reads.

Revision ID: 0031
"""

from alembic import op

from servicekit.migration.operations import create_index_concurrently

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_DEFINITION = "(youtuber_id, published_on DESC, video_id DESC) INCLUDE"
_COLUMNS = "sponsor_id, views, kind, sponsor_category, confidence, code"


def upgrade() -> None:
    create_index_concurrently(
        "sponsorships_youtubers_idx",
        "sponsorships",
        f"{_DEFINITION} ({_COLUMNS}, content_category, country)",
    )
    _drop("sponsorships_youtuber_idx")


def downgrade() -> None:
    create_index_concurrently(
        "sponsorships_youtuber_idx", "sponsorships", f"{_DEFINITION} ({_COLUMNS})"
    )
    _drop("sponsorships_youtubers_idx")


def _drop(name: str) -> None:
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
