"""Fill the formats of videos that are known to be too short for anything else.

Whether a stored video was a broadcast is not known yet: only what is too short for one has a format.

Revision ID: 0019
"""

from servicekit.migration.operations import fill_in_batches

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_FILL = """
UPDATE videos SET format = 'short' WHERE duration_seconds > 0
  AND duration_seconds <= CASE WHEN published_on >= '2024-10-15' THEN 180 ELSE 60 END
  AND id BETWEEN :first AND :last"""


def upgrade() -> None:
    fill_in_batches(revision, "videos", _FILL)


def downgrade() -> None:
    pass
