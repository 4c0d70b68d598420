"""The mass of the videos and sponsorships, straight into the catalog's tables.

The ingest would take minutes for what SQL makes in seconds. Foreign keys are not checked and indexes
are built afterwards; totals and rollups come out as the ingest would have them.
"""

import time
from collections.abc import Sequence
from typing import Final

import psycopg

from catalog_service.domain import kinds
from catalog_service.domain.categories import CONTENT_SCOPE, COUNTED_SCOPES, SCOPES
from catalog_service.domain.relation_status import ACTIVE_WITHIN_DAYS, MIN_LATER_VIDEOS
from catalog_service.storage.rollups.tables import MAX_DAYS

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
_COUNTED_SCOPES: Final = ", ".join(map(str, COUNTED_SCOPES))
_SETS: Final = ", ".join(map(str, kinds.SETS))
_BITS: Final = " ".join(f"WHEN '{kind}' THEN {bit}" for kind, bit in kinds.BITS.items())
_PAID: Final = f"kind <> '{kinds.FREE_PRODUCT}'"
_KIND_COLUMNS: Final = ", ".join(f"{kind}_videos, {kind}_sponsorships" for kind in kinds.ALL)
_KIND_SUMS: Final = ", ".join(
    f"count(*) FILTER (WHERE {kind} > 0), coalesce(sum({kind}), 0)" for kind in kinds.ALL
)
_KIND_COUNTS: Final = ", ".join(
    f"count(*) FILTER (WHERE kind = '{kind}') AS {kind}" for kind in kinds.ALL
)
_IN_SCOPES: Final = f"""
    SELECT scope.scope, p.youtuber_id, p.kind, date_trunc('month', p.published_on)::date AS month
    FROM sponsorships AS p
    JOIN (VALUES {_SCOPES}) AS scope(category, scope)
      ON scope.category = coalesce(p.sponsor_category, '')
"""  # noqa: S608 - names of ours
"""Each sponsorship once for everything that may be requested and contains it."""

_ROLLUPS: Final = (
    "TRUNCATE sponsor_youtubers, sponsor_months, sponsor_parts, sponsor_returns, category_months,"
    " category_returns, sponsor_days, sponsor_day_returns, category_days, category_day_returns",
    f"""
    INSERT INTO sponsor_youtubers
      (sponsor_id, youtuber_id, videos, views, first_seen, last_seen, kinds)
    SELECT sponsor_id, youtuber_id, count(*), coalesce(sum(views), 0), min(published_on),
           max(published_on), bit_or(CASE kind {_BITS} END)
    FROM sponsorships GROUP BY 1, 2
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO sponsor_months
      (sponsor_id, month, sponsor_category, videos, views, paid_videos, paid_views)
    SELECT sponsor_id, date_trunc('month', published_on)::date, sponsor_category, count(*),
           coalesce(sum(views), 0), count(*) FILTER (WHERE {_PAID}),
           coalesce(sum(views) FILTER (WHERE {_PAID}), 0)
    FROM sponsorships GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    """
    INSERT INTO sponsor_parts (sponsor_id, part, value, month, videos)
    SELECT sponsor_id, part, coalesce(value, ''), date_trunc('month', published_on)::date, count(*)
    FROM sponsorships,
         LATERAL (VALUES ('content', content_category), ('country', country), ('kind', kind))
           AS parts(part, value)
    GROUP BY 1, 2, 3, 4
    """,
    f"""
    WITH month AS (
      SELECT sponsor_id, youtuber_id, kind, date_trunc('month', published_on)::date AS month
      FROM sponsorships
    ), seen AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous,
             lag(month, 2) OVER earlier AS one_before
      FROM month WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    ), paid AS (
      SELECT sponsor_id, month, lag(month) OVER earlier AS previous
      FROM (SELECT DISTINCT sponsor_id, youtuber_id, month FROM month WHERE {_PAID}) AS different
      WINDOW earlier AS (PARTITION BY sponsor_id, youtuber_id ORDER BY month)
    )
    INSERT INTO sponsor_returns (sponsor_id, month, since, youtubers, repeats, paid_youtubers)
    SELECT sponsor_id, month, coalesce(since, '-infinity'), sum(youtubers), sum(repeats),
           sum(paid_youtubers)
    FROM (SELECT sponsor_id, month, previous AS since, 1 AS youtubers, 0 AS repeats,
                 0 AS paid_youtubers
          FROM seen WHERE previous IS DISTINCT FROM month
          UNION ALL
          SELECT sponsor_id, month, one_before, 0, 1, 0
          FROM seen WHERE previous IS NOT NULL AND one_before IS DISTINCT FROM month
          UNION ALL
          SELECT sponsor_id, month, previous, 0, 0, 1 FROM paid) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    WITH claim AS (
      SELECT scope.scope, video_id, kind, published_on, coalesce(views, 0) AS views
      FROM sponsorships JOIN (VALUES {_COUNTED_SCOPES}) AS scope(category, scope)
        ON scope.category = coalesce(sponsor_category, '')
      UNION ALL
      SELECT '{CONTENT_SCOPE}' || content_category, video_id, kind, published_on,
             coalesce(views, 0)
      FROM sponsorships WHERE content_category IS NOT NULL
    )
    INSERT INTO category_months (category, kinds, month, videos, sponsorships, views)
    SELECT scope, kinds, month, count(*), sum(sponsorships), sum(views)
    FROM (SELECT scope, kinds, date_trunc('month', published_on)::date AS month, video_id,
                 count(*) AS sponsorships, max(views) AS views
          FROM claim JOIN (VALUES {_SETS}) AS named(kind, kinds) USING (kind)
          GROUP BY 1, 2, 3, 4) AS video
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    WITH counted AS ({_IN_SCOPES}), seen AS (
      SELECT scope, youtuber_id, month, false AS is_paid FROM counted GROUP BY 1, 2, 3
      UNION ALL
      SELECT scope, youtuber_id, month, true FROM counted WHERE {_PAID} GROUP BY 1, 2, 3
    )
    INSERT INTO category_returns (category, month, since, youtubers, paid_youtubers)
    SELECT scope, month, coalesce(since, '-infinity'), count(*) FILTER (WHERE NOT is_paid),
           count(*) FILTER (WHERE is_paid)
    FROM (SELECT scope, month, is_paid, lag(month) OVER (
                   PARTITION BY scope, youtuber_id, is_paid ORDER BY month) AS since
          FROM seen) AS cells
    GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO sponsor_days (sponsor_id, day, videos, views, youtubers, free_products)
    SELECT sponsor_id, published_on, count(*) FILTER (WHERE {_PAID}),
           coalesce(sum(views) FILTER (WHERE {_PAID}), 0),
           count(DISTINCT youtuber_id) FILTER (WHERE {_PAID}), count(*) FILTER (WHERE NOT {_PAID})
    FROM sponsorships GROUP BY 1, 2
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO sponsor_day_returns (sponsor_id, day, gap, youtubers)
    SELECT sponsor_id, day, gap, count(*)
    FROM (
      SELECT sponsor_id, day, day - lag(day) OVER (PARTITION BY sponsor_id, youtuber_id ORDER BY day) AS gap
      FROM (SELECT sponsor_id, youtuber_id, published_on AS day FROM sponsorships
            WHERE {_PAID} GROUP BY 1, 2, 3) AS seen
    ) AS returned
    WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO category_days (category, day, videos, views, youtubers, {_KIND_COLUMNS})
    SELECT scope, day, count(*) FILTER (WHERE paid > 0),
           coalesce(sum(views) FILTER (WHERE paid > 0), 0),
           count(DISTINCT youtuber_id) FILTER (WHERE paid > 0), {_KIND_SUMS}
    FROM (SELECT scope, video_id, youtuber_id, published_on AS day, max(coalesce(views, 0)) AS views,
                 count(*) FILTER (WHERE {_PAID}) AS paid, {_KIND_COUNTS}
          FROM sponsorships JOIN (VALUES {_SCOPES}) AS named(category, scope)
            ON named.category = coalesce(sponsor_category, '')
          GROUP BY 1, 2, 3, 4) AS video
    GROUP BY 1, 2
    """,  # noqa: S608 - names of ours
    f"""
    INSERT INTO category_day_returns (category, day, gap, youtubers)
    SELECT scope, day, gap, count(*)
    FROM (
      SELECT scope, day, day - lag(day) OVER (PARTITION BY scope, youtuber_id ORDER BY day) AS gap
      FROM (SELECT scope, youtuber_id, published_on AS day
            FROM sponsorships JOIN (VALUES {_SCOPES}) AS named(category, scope)
              ON named.category = coalesce(sponsor_category, '')
            WHERE {_PAID} GROUP BY 1, 2, 3) AS seen
    ) AS returned
    WHERE gap < {MAX_DAYS} GROUP BY 1, 2, 3
    """,  # noqa: S608 - names of ours
    f"""
    UPDATE sponsors SET videos = t.videos, youtubers = t.youtubers, views = t.views,
                        paid_videos = t.paid_videos, paid_youtubers = t.paid_youtubers,
                        paid_views = t.paid_views,
                        first_seen = t.first_seen, last_seen = t.last_seen
    FROM (SELECT sponsor_id, count(*) AS videos, count(DISTINCT youtuber_id) AS youtubers,
                 coalesce(sum(views), 0) AS views, count(*) FILTER (WHERE {_PAID}) AS paid_videos,
                 count(DISTINCT youtuber_id) FILTER (WHERE {_PAID}) AS paid_youtubers,
                 coalesce(sum(views) FILTER (WHERE {_PAID}), 0) AS paid_views,
                 min(published_on) AS first_seen, max(published_on) AS last_seen
          FROM sponsorships GROUP BY 1) AS t
    WHERE sponsors.id = t.sponsor_id
    """,  # noqa: S608 - names of ours
    f"""
    UPDATE youtubers SET videos_scanned = t.scanned, first_video = t.first_video,
                         last_video = t.last_video, latest_videos_since = t.since
    FROM (SELECT youtuber_id, count(*) AS scanned, min(published_on) AS first_video,
                 max(published_on) AS last_video,
                 (array_agg(published_on ORDER BY published_on DESC))[{MIN_LATER_VIDEOS}] AS since
          FROM videos GROUP BY 1) AS t
    WHERE youtubers.id = t.youtuber_id
    """,  # noqa: S608 - a number of ours
    f"""
    UPDATE sponsors SET current_until = t.current_until, open_until = t.open_until,
                        lapsed_until = t.lapsed_until
    FROM (SELECT sponsor_id, max(last_video) FILTER (WHERE is_recent) AS current_until,
                 max(CASE WHEN is_recent THEN last_video ELSE last_seen END)
                   FILTER (WHERE is_recent OR NOT is_silent) AS open_until,
                 max(last_video) FILTER (WHERE NOT is_recent AND is_silent) AS lapsed_until
          FROM (SELECT r.sponsor_id, r.last_seen, y.last_video,
                       r.last_seen >= y.last_video - {ACTIVE_WITHIN_DAYS} AS is_recent,
                       coalesce(y.latest_videos_since > r.last_seen, false) AS is_silent
                FROM sponsor_youtubers AS r JOIN youtubers AS y ON y.id = r.youtuber_id) AS known
          GROUP BY 1) AS t
    WHERE sponsors.id = t.sponsor_id
    """,  # noqa: S608 - a number of ours
    f"""
    UPDATE youtubers SET sponsored_videos = t.videos, sponsors = t.sponsors,
                         paid_sponsors = t.paid_sponsors,
                         first_sponsored = t.first_seen, last_sponsored = t.last_seen
    FROM (SELECT youtuber_id, count(DISTINCT video_id) AS videos,
                 count(DISTINCT sponsor_id) AS sponsors,
                 count(DISTINCT sponsor_id) FILTER (WHERE {_PAID}) AS paid_sponsors,
                 min(published_on) AS first_seen, max(published_on) AS last_seen
          FROM sponsorships GROUP BY 1) AS t
    WHERE youtubers.id = t.youtuber_id
    """,  # noqa: S608 - names of ours
    """
    UPDATE catalog_state SET version = version + 1, change_id = gen_random_uuid(),
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
