"""The catalogue's totals, computed from its rows."""

from typing import Final

DIFFERENCES: Final = """
SELECT * FROM (
  SELECT youtubers, sponsored_youtubers, videos, sponsored_videos, first_video, last_video
  FROM catalog_state
) AS held
EXCEPT
SELECT count(DISTINCT v.youtuber_id), count(DISTINCT p.youtuber_id), count(DISTINCT v.id),
       count(DISTINCT p.video_id), min(v.published_on), max(v.published_on)
FROM videos v LEFT JOIN sponsorships p ON p.video_id = v.id"""

RESET: Final = """
UPDATE catalog_state SET youtubers = 0, sponsored_youtubers = 0, videos = 0, sponsored_videos = 0,
  first_video = NULL, last_video = NULL"""
