"""Fill the videos of youtubers by content category.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0044
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

_CONTENTS = """
INSERT INTO youtuber_contents (youtuber_id, content, videos, first_video, last_video)
SELECT youtuber_id, category, count(*), min(published_on), max(published_on)
FROM videos WHERE category IS NOT NULL AND youtuber_id BETWEEN :first AND :last GROUP BY 1, 2
ON CONFLICT (youtuber_id, content) DO UPDATE SET
  videos = excluded.videos, first_video = excluded.first_video, last_video = excluded.last_video"""


def upgrade() -> None:
    fill_in_batches(revision, "youtubers", _CONTENTS, batch_rows=1_000)


def downgrade() -> None:
    op.execute("DELETE FROM youtuber_contents")
