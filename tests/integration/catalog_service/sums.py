"""What the sums of a catalogue have to be, by the rows that they are sums of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, text

from servicekit.database_url import driver_url
from tests.integration.catalog_service import catalog_totals, month_rollups

if TYPE_CHECKING:
    from tests.integration.catalog_service.conftest import Catalog

DIFFERENCES = {
    "catalog_state": catalog_totals.DIFFERENCES,
    "repeated columns": """
        SELECT * FROM sponsorships p JOIN videos v ON v.id = p.video_id
        JOIN youtubers y ON y.id = v.youtuber_id JOIN sponsors s ON s.id = p.sponsor_id
        WHERE (p.youtuber_id, p.published_on, p.views, p.content_category, p.sponsor_category,
               p.country)
        IS DISTINCT FROM (y.id, v.published_on, v.views, v.category, s.category, y.country)""",
    "sponsor_youtubers": """
        (SELECT sponsor_id, youtuber_id, videos, views, first_seen, last_seen, kinds::int
         FROM sponsor_youtubers)
        EXCEPT
        (SELECT sponsor_id, youtuber_id, count(*), coalesce(sum(views), 0), min(published_on),
         max(published_on), bit_or(
           1 << array_position(ARRAY['paid_sponsorship', 'promo_code', 'affiliate', 'free_product'],
                               kind) - 1)
         FROM sponsorships GROUP BY 1, 2)""",
    **month_rollups.DIFFERENCES,
    "histories that are missing": """
        SELECT 1 FROM (SELECT sum(videos) AS n FROM sponsor_youtubers) y,
        (SELECT count(*) AS n FROM sponsorships) p WHERE coalesce(y.n, 0) <> p.n""",
    "sponsors": """
        (SELECT id, videos, youtubers, views, paid_videos, paid_youtubers, paid_views, first_seen,
         last_seen FROM sponsors)
        EXCEPT
        (SELECT s.id, count(p.video_id), count(DISTINCT p.youtuber_id), coalesce(sum(p.views), 0),
         count(p.video_id) FILTER (WHERE kind <> 'free_product'),
         count(DISTINCT p.youtuber_id) FILTER (WHERE kind <> 'free_product'),
         coalesce(sum(p.views) FILTER (WHERE kind <> 'free_product'), 0),
         min(p.published_on), max(p.published_on)
         FROM sponsors s LEFT JOIN sponsorships p ON p.sponsor_id = s.id GROUP BY 1)""",
    "sponsor_days": """
        (SELECT id, current_until, open_until, lapsed_until FROM sponsors)
        EXCEPT
        (SELECT s.id, max(last_video) FILTER (WHERE is_recent),
         max(CASE WHEN is_recent THEN last_video ELSE known.last_seen END)
         FILTER (WHERE is_recent OR later < 5),
         max(last_video) FILTER (WHERE NOT is_recent AND later >= 5)
         FROM sponsors s LEFT JOIN (
           SELECT r.sponsor_id, r.youtuber_id, max(r.published_on) AS last_seen, y.last_video,
                  y.last_video - max(r.published_on) <= 180 AS is_recent,
                  (SELECT count(*) FROM videos v WHERE v.youtuber_id = r.youtuber_id
                   AND v.published_on > max(r.published_on)) AS later
           FROM sponsorships r JOIN youtubers y ON y.id = r.youtuber_id
           GROUP BY r.sponsor_id, r.youtuber_id, y.last_video) known ON known.sponsor_id = s.id
         GROUP BY s.id)""",
    "youtubers": """
        (SELECT id, videos_scanned, first_video, last_video, latest_videos_since,
         sponsored_videos, sponsors, paid_sponsors, first_sponsored, last_sponsored FROM youtubers)
        EXCEPT
        (SELECT y.id, count(DISTINCT v.id), min(v.published_on), max(v.published_on),
         (array_agg(v.published_on ORDER BY v.published_on DESC)
          FILTER (WHERE p.video_id IS NULL OR p.sponsor_id = (
            SELECT min(sponsor_id) FROM sponsorships WHERE video_id = v.id)))[5],
         count(DISTINCT p.video_id), count(DISTINCT p.sponsor_id),
         count(DISTINCT p.sponsor_id) FILTER (WHERE kind <> 'free_product'), min(p.published_on),
         max(p.published_on)
         FROM youtubers y LEFT JOIN videos v ON v.youtuber_id = y.id
         LEFT JOIN sponsorships p ON p.video_id = v.id GROUP BY 1)""",
    "youtuber_contents": """
        (SELECT 'stored', * FROM (
           (SELECT youtuber_id, content, videos, first_video, last_video FROM youtuber_contents)
           EXCEPT
           (SELECT youtuber_id, category, count(*), min(published_on), max(published_on)
            FROM videos WHERE category IS NOT NULL GROUP BY 1, 2)) AS wrong)
        UNION ALL
        (SELECT 'missing', youtuber_id, category, 0, NULL, NULL FROM videos v
         WHERE category IS NOT NULL AND NOT EXISTS (
           SELECT FROM youtuber_contents c
           WHERE c.youtuber_id = v.youtuber_id AND c.content = v.category))""",
}
"""Queries that find nothing where all sums are right, by what they look at."""


def rows(catalog: Catalog, query: str) -> list[Any]:
    engine = create_engine(driver_url(catalog.settings.database_url))
    try:
        with engine.connect() as connection:
            return list(connection.execute(text(query)).all())
    finally:
        engine.dispose()


def assert_sums_are_right(catalog: Catalog) -> None:
    for name, query in DIFFERENCES.items():
        assert not rows(catalog, query), name
