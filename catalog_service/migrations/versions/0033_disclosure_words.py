"""Videos know the words of advertising in their description, and callers' SQL where evidence stands.

Revision ID: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_VIDEOS = """
CREATE OR REPLACE VIEW dataset.videos AS
SELECT id, video_id AS youtube_id, youtuber_id, title, published_on, views, likes, comments, observed_on, category, format,
  language, duration_seconds, paid_promotion_disclosed, string_to_array(disclosure_words, ' ') AS disclosure_words
FROM videos"""

_SPONSORSHIPS = """
CREATE OR REPLACE VIEW dataset.sponsorships AS
SELECT video_id, sponsor_id, youtuber_id, published_on, views, kind, confidence, sponsor_category, content_category, country,
  code, link, excerpt, excerpt_source, excerpt_start
FROM sponsorships"""

_BEFORE = (
    """CREATE VIEW dataset.videos AS
SELECT id, video_id AS youtube_id, youtuber_id, title, published_on, views, likes, comments, observed_on, category, format,
  language, duration_seconds, paid_promotion_disclosed
FROM videos""",
    """CREATE VIEW dataset.sponsorships AS
SELECT video_id, sponsor_id, youtuber_id, published_on, views, kind, confidence, sponsor_category, content_category, country,
  code, link, excerpt
FROM sponsorships""",
)


def upgrade() -> None:
    op.add_column("videos", sa.Column("disclosure_words", sa.Text()))
    op.execute(_VIDEOS)
    op.execute(_SPONSORSHIPS)


def downgrade() -> None:
    op.execute("DROP VIEW dataset.videos, dataset.sponsorships")
    for view in _BEFORE:
        op.execute(view)
    op.drop_column("videos", "disclosure_words")
