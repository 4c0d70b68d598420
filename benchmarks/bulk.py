"""The mass of the videos and sponsorships, straight into the catalog's tables.

The ingest would take minutes for what SQL makes in seconds. Foreign keys are not checked and indexes
are built afterwards; totals and rollups come out as the ingest would have them.
"""

import time
from collections.abc import Sequence
from typing import Final

import psycopg

from catalog_service.domain.categories import SCOPES

_VIDEOS: Final = """
INSERT INTO videos (key, video_id, youtuber_id, published_on, views, category, duration_seconds,
                    detector_version, digest)
SELECT 'b' || lpad(n::text, 10, '0'), 'b' || lpad(n::text, 10, '0'), y.id,
       date '2026-11-01' - floor(random() * 1825)::int,
       floor(1000 / (1 - random()))::bigint, y.category, 600, 'generated', 'generated'
FROM (SELECT n, %(first_youtuber)s + floor(random() * %(youtubers)s)::bigint AS youtuber
      FROM generate_series(%(first)s::bigint, %(last)s) AS n) AS made
JOIN youtubers AS y ON y.id = made.youtuber
"""
_SPONSORSHIPS: Final = """
INSERT INTO sponsorships (video_id, sponsor_id, youtuber_id, published_on, views, content_category,
                          sponsor_category, country, kind, confidence, reason, detector_version)
SELECT made.id, s.id, made.youtuber_id, made.published_on, made.views, made.category, s.category,
       y.country, (ARRAY['paid_sponsorship', 'promo_code', 'affiliate', 'free_product'])[1 + made.id %% 4],
       0.5 + random() / 2, 'generated', 'generated'
FROM (SELECT v.*, %(first_sponsor)s - 1 + floor(power(%(sponsors)s, random()))::bigint AS sponsor
      FROM videos AS v WHERE v.id > %(after)s AND random() < %(share)s) AS made
JOIN sponsors AS s ON s.id = made.sponsor
JOIN youtubers AS y ON y.id = made.youtuber_id
"""
_SCOPES: Final = ", ".join(f"('{category}', '{scope}')" for category, scope in SCOPES)
_IN_SCOPES: Final = f"""
    SELECT scope.scope, p.youtuber_id, date_trunc('month', p.published_on)::date AS month,
           coalesce(p.views, 0) AS views
    FROM sponsorships AS p
    JOIN (VALUES {_SCOPES}) AS scope(category, scope)
      ON scope.category = coalesce(p.sponsor_category, '')
"""  # noqa: S608 - names of ours
"""Each sponsorship once for everything that may be requested and contains it."""

_ROLLUPS: Final = (
    "TRUNCATE sponsor_youtubers, sponsor_months, sponsor_parts, sponsor_returns, category_months,"
    " category_returns",
    """
    INSERT INTO sponsor_youtubers
      (sponsor_id, youtuber_id, videos, views, first_seen, last_seen)
    SELECT sponsor_id, youtuber_id, count(*), coalesce(sum(views), 0), min(published_on),
           max(published_on)
    FROM sponsorships GROUP BY 1, 2
    """,
    """
    INSERT INTO sponsor_months (sponsor_id, month, sponsor_category, videos, views)
    SELECT sponsor_id, date_trunc('month', published_on)::date, sponsor_category, count(*),
           coalesce(sum(views), 0)
    FROM sponsorships GROUP BY 1, 2, 3
    """,
    """
    INSERT INTO sponsor_parts (sponsor_id, part, value, month, videos)
    SELECT sponsor_id, part, coalesce(value, ''), date_trunc('month', published_on)::date, count(*)
    FROM sponsorships,
         LATERAL (VALUES ('content', content_category), ('country', country), ('kind', kind))
           AS parts(part, value)
    GROUP BY 1, 2, 3, 4
    """,
    """
    WITH seen AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous,
             lag(month, 2) OVER earlier AS one_before
      FROM (SELECT sponsor_id, youtuber_id, date_trunc('month', published_on)::date AS month
            FROM sponsorships) AS videos
      WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    )
    INSERT INTO sponsor_returns (sponsor_id, month, since, youtubers, repeats)
    SELECT sponsor_id, month, coalesce(since, '-infinity'), sum(youtubers), sum(repeats)
    FROM (SELECT sponsor_id, month, previous AS since, 1 AS youtubers, 0 AS repeats
          FROM seen WHERE previous IS DISTINCT FROM month
          UNION ALL
          SELECT sponsor_id, month, one_before, 0, 1
          FROM seen WHERE previous IS NOT NULL AND one_before IS DISTINCT FROM month) AS cells
    GROUP BY 1, 2, 3
    """,
    f"""
    INSERT INTO category_months (category, month, videos, views)
    SELECT scope, month, count(*), sum(views) FROM ({_IN_SCOPES}) AS counted GROUP BY 1, 2
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO category_returns (category, month, since, youtubers)
    SELECT scope, month, coalesce(since, '-infinity'), count(*)
    FROM (SELECT scope, month,
                 lag(month) OVER (PARTITION BY scope, youtuber_id ORDER BY month) AS since
          FROM (SELECT DISTINCT scope, youtuber_id, month FROM ({_IN_SCOPES}) AS counted) AS seen
         ) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    """
    UPDATE sponsors SET videos = t.videos, youtubers = t.youtubers, views = t.views,
                        first_seen = t.first_seen, last_seen = t.last_seen
    FROM (SELECT sponsor_id, sum(videos) AS videos, count(*) AS youtubers, sum(views) AS views,
                 min(first_seen) AS first_seen, max(last_seen) AS last_seen
          FROM sponsor_youtubers GROUP BY 1) AS t
    WHERE sponsors.id = t.sponsor_id
    """,
    """
    UPDATE youtubers SET videos_scanned = t.scanned, first_video = t.first_video,
                         last_video = t.last_video
    FROM (SELECT youtuber_id, count(*) AS scanned, min(published_on) AS first_video,
                 max(published_on) AS last_video FROM videos GROUP BY 1) AS t
    WHERE youtubers.id = t.youtuber_id
    """,
    """
    UPDATE youtubers SET sponsored_videos = t.videos, sponsors = t.sponsors,
                         first_sponsored = t.first_seen, last_sponsored = t.last_seen
    FROM (SELECT youtuber_id, count(DISTINCT video_id) AS videos,
                 count(DISTINCT sponsor_id) AS sponsors, min(published_on) AS first_seen,
                 max(published_on) AS last_seen FROM sponsorships GROUP BY 1) AS t
    WHERE youtubers.id = t.youtuber_id
    """,
    """
    UPDATE catalog_state SET version = version + 1,
      first_sponsored = (SELECT min(published_on) FROM sponsorships),
      last_sponsored = (SELECT max(published_on) FROM sponsorships)
    """,
)
_INDEXES: Final = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename IN ('videos', 'sponsorships', 'sponsor_youtubers', 'sponsor_months')
  AND indexdef NOT LIKE 'CREATE UNIQUE%'
"""


def add(url: str, videos: int, share: float) -> float:
    """Adds so many videos, of which that share is sponsored; gives the seconds it took."""
    started = time.perf_counter()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SET session_replication_role = replica; SET synchronous_commit = off;"
            " SET maintenance_work_mem = '256MB'; SET work_mem = '256MB'; SELECT setseed(0.25)"
        )
        indexes = connection.execute(_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}".encode())
        first_youtuber, youtubers = _span(connection, "youtubers")
        first_sponsor, sponsors = _span(connection, "sponsors")
        (held,) = _row(connection, "SELECT coalesce(max(id), 0) FROM videos")
        connection.execute(
            _VIDEOS,
            {
                "first": held + 1,
                "last": held + videos,
                "first_youtuber": first_youtuber,
                "youtubers": youtubers,
            },
        )
        connection.execute(
            _SPONSORSHIPS,
            {"after": held, "share": share, "first_sponsor": first_sponsor, "sponsors": sponsors},
        )
        for statement in _ROLLUPS:
            connection.execute(statement.encode())
        for _, definition in indexes:
            connection.execute(definition.encode())
        connection.execute("VACUUM ANALYZE")
    return time.perf_counter() - started


def sizes(url: str) -> list[tuple[str, int, int, int]]:
    """Tables and indexes of the catalogue, largest first: name, rows (of a table), bytes, kind."""
    query = """
        SELECT c.relname, greatest(c.reltuples, 0)::bigint, pg_relation_size(c.oid),
               (c.relkind = 'i')::int
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i')
        ORDER BY 3 DESC LIMIT 16
    """
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()


def _span(connection: psycopg.Connection, table: str) -> tuple[int, int]:
    """First number and count of a table whose numbers have no holes."""
    first, last, count = _row(connection, f"SELECT min(id), max(id), count(*) FROM {table}")  # noqa: S608 - names of ours
    if last - first + 1 != count:
        raise RuntimeError(f"The numbers of {table} have holes: start from an empty database.")
    return first, count


def _row(connection: psycopg.Connection, query: str) -> Sequence[int]:
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise RuntimeError(query)
    return row
