"""Likes, comments and the state of a broadcast beside the texts that were read."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE imported_videos ADD likes bigint, ADD comments bigint, ADD broadcast text"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE imported_videos DROP likes, DROP comments, DROP broadcast")
