"""Give callers' SQL a schema of views: `dataset`.

Revision ID: 0020
"""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_VIEWS = """
CREATE SCHEMA dataset;

CREATE VIEW dataset.sponsors AS
SELECT id, slug, name, domains, aliases, category, country, videos AS video_count, youtubers AS youtuber_count,
  views AS view_count, paid_videos AS paid_video_count, paid_youtubers AS paid_youtuber_count, paid_views AS paid_view_count,
  first_seen, last_seen
FROM sponsors;

CREATE VIEW dataset.youtubers AS
SELECT id, channel_id, handle, name, subscribers, country, category, videos_scanned AS scanned_video_count, first_video,
  last_video, sponsored_videos AS sponsored_video_count, sponsors AS sponsor_count, paid_sponsors AS paid_sponsor_count,
  first_sponsored, last_sponsored, last_import
FROM youtubers;

CREATE VIEW dataset.videos AS
SELECT id, video_id AS youtube_id, youtuber_id, title, published_on, views, likes, comments, observed_on, category, format,
  language, duration_seconds, paid_promotion_disclosed
FROM videos;

CREATE VIEW dataset.snapshots AS
SELECT s.video_id, s.observed_on, s.observed_on - v.published_on AS age_days, s.views, s.likes, s.comments
FROM video_snapshots s JOIN videos v ON v.id = s.video_id;

CREATE VIEW dataset.sponsorships AS
SELECT video_id, sponsor_id, youtuber_id, published_on, views, kind, confidence, sponsor_category, content_category, country,
  code, link, excerpt
FROM sponsorships;

CREATE VIEW dataset.relations AS
SELECT sponsor_id, youtuber_id, videos AS video_count, views AS view_count, first_seen, last_seen,
  array_remove(ARRAY[
    CASE WHEN kinds & 1 > 0 THEN 'paid_sponsorship' END,
    CASE WHEN kinds & 2 > 0 THEN 'promo_code' END,
    CASE WHEN kinds & 4 > 0 THEN 'affiliate' END,
    CASE WHEN kinds & 8 > 0 THEN 'free_product' END
  ], NULL) AS kinds
FROM sponsor_youtubers;

CREATE VIEW dataset.months AS
SELECT sponsor_id, month, sponsor_category, videos AS video_count, views AS view_count, paid_videos AS paid_video_count,
  paid_views AS paid_view_count
FROM sponsor_months"""


def upgrade() -> None:
    for statement in _VIEWS.split(";"):
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP SCHEMA dataset CASCADE")
