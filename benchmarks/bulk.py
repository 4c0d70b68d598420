"""The mass of the videos and sponsorships, straight into the catalog's tables.

The ingest would take minutes for what SQL makes in seconds. Foreign keys are not checked and indexes
are built afterwards; totals and rollups come out as the ingest would have them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import psycopg

from benchmarks.bulk_rollups import fill, session
from catalog_service.domain import kinds
from catalog_service.domain.relation_status import ACTIVE_WITHIN_DAYS, MIN_LATER_VIDEOS
from catalog_service.storage.rollups.recomputation import ROLLUPS

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
      FROM videos AS v WHERE v.id BETWEEN %(first)s AND %(last)s AND random() < %(share)s) AS made
JOIN sponsors AS s ON s.id = made.sponsor
JOIN youtubers AS y ON y.id = made.youtuber_id
"""
_BITS: Final = " ".join(f"WHEN '{kind}' THEN {bit}" for kind, bit in kinds.BITS.items())
_PAID: Final = f"kind <> '{kinds.FREE_PRODUCT}'"


_RELATIONS: Final = f"""
TRUNCATE sponsor_youtubers;
INSERT INTO sponsor_youtubers (sponsor_id, youtuber_id, videos, views, first_seen, last_seen, kinds)
SELECT sponsor_id, youtuber_id, count(*), coalesce(sum(views), 0), min(published_on),
       max(published_on), bit_or(CASE kind {_BITS} END)
FROM sponsorships GROUP BY 1, 2
"""  # noqa: S608 - names of ours
_CONTENTS: Final = """
TRUNCATE youtuber_contents;
INSERT INTO youtuber_contents (youtuber_id, content, videos, first_video, last_video)
SELECT youtuber_id, category, count(*), min(published_on), max(published_on)
FROM videos WHERE category IS NOT NULL GROUP BY 1, 2
"""
_TOTALS: Final = (
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
      first_sponsored = t.first_sponsored, last_sponsored = t.last_sponsored,
      first_video = t.first_video, last_video = t.last_video, youtubers = t.youtubers,
      sponsored_youtubers = t.sponsored_youtubers, videos = t.videos,
      sponsored_videos = t.sponsored_videos
    FROM (SELECT count(*) FILTER (WHERE videos_scanned > 0) AS youtubers,
                 count(*) FILTER (WHERE sponsored_videos > 0) AS sponsored_youtubers,
                 sum(videos_scanned) AS videos, sum(sponsored_videos) AS sponsored_videos,
                 min(first_video) AS first_video, max(last_video) AS last_video,
                 min(first_sponsored) AS first_sponsored, max(last_sponsored) AS last_sponsored
          FROM youtubers) AS t
    """,
)
_FILLED: Final = (
    "videos",
    "sponsorships",
    "sponsor_youtubers",
    *(rollup.table for rollup in ROLLUPS),
)
_INDEXES: Final = """
SELECT tablename, 'DROP INDEX ' || indexname, indexdef FROM pg_indexes
WHERE tablename = ANY(%(tables)s) AND indexdef NOT LIKE 'CREATE UNIQUE%%'
UNION ALL
SELECT c.relname, format('ALTER TABLE %%I DROP CONSTRAINT %%I', c.relname, conname),
       format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s', c.relname, conname, pg_get_constraintdef(own.oid))
FROM pg_constraint AS own JOIN pg_class AS c ON c.oid = conrelid
WHERE c.relname = ANY(%(tables)s) AND contype IN ('u', 'p') AND c.relname <> 'sponsorships'
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conindid = own.conindid)
"""
_MASS: Final[Mapping[str, str]] = {"videos": _VIDEOS, "sponsorships": _SPONSORSHIPS}
_CORES: Final = 2
_LONG_SECONDS: Final = 5.0


def add(url: str, videos: int, share: float) -> float:
    """Adds so many videos, of which that share is sponsored, on two cores; gives the seconds it took."""
    started = time.perf_counter()
    with session(url) as connection:
        indexes = connection.execute(_INDEXES, {"tables": list(_FILLED)}).fetchall()
        for _, removal, _ in indexes:
            connection.execute(removal.encode())
        (held,) = _row(connection, "SELECT coalesce(max(id), 0) FROM videos")
        first_youtuber, youtubers = _span(connection, "youtubers")
        first_sponsor, sponsors = _span(connection, "sponsors")
    parts = [(held + 1, held + videos // _CORES), (held + videos // _CORES + 1, held + videos)]
    numbers = {
        "first_youtuber": first_youtuber,
        "youtubers": youtubers,
        "first_sponsor": first_sponsor,
        "sponsors": sponsors,
        "share": share,
    }
    for step, (name, statement) in enumerate(_MASS.items()):
        _run_all(
            {
                f"{name}, part {seed}": partial(
                    _draw, url, statement, {**numbers, "first": first, "last": last}, seed
                )
                for seed, (first, last) in enumerate(parts, step * _CORES)
            }
        )
    # Rollups are computed a range of sponsors or youtubers at a time, which these indexes are for.
    _run_all({sql: partial(_run, url, sql) for table, _, sql in indexes if table == "sponsorships"})
    _run_all({"vacuum of sponsorships": partial(_run, url, "VACUUM ANALYZE sponsorships")})
    # Most of the last ones take longest: begun first, so that both cores have work until the end.
    rollups = {rollup.table: partial(fill, url, rollup) for rollup in reversed(ROLLUPS)}
    relations = {
        "sponsor_youtubers": partial(_run, url, _RELATIONS),
        "youtuber_contents": partial(_run, url, _CONTENTS),
    }
    _run_all({**rollups, **relations})
    others = {sql: partial(_run, url, sql) for table, _, sql in indexes if table != "sponsorships"}
    _run_all({"totals": partial(_run, url, *_TOTALS), **others})
    _run_all({"vacuum": partial(_run, url, "VACUUM ANALYZE")})
    return time.perf_counter() - started


def _run_all(jobs: Mapping[str, Callable[[], None]]) -> None:
    """Run jobs by name on two cores; print how long each of the longer ones took."""
    with ThreadPoolExecutor(_CORES) as pool:
        for done in [pool.submit(_timed, name, job) for name, job in jobs.items()]:
            done.result()


def _timed(name: str, job: Callable[[], None]) -> None:
    started = time.perf_counter()
    job()
    if (seconds := time.perf_counter() - started) >= _LONG_SECONDS:
        print(f"  {seconds:5.0f} s  {name}", flush=True)


def _draw(url: str, statement: str, numbers: Mapping[str, float], seed: int) -> None:
    """Run a statement that draws numbers by chance: the same ones in each run, others for each seed."""
    with session(url) as connection:
        connection.execute("SELECT setseed(%s::float8 / 16)", [seed])
        connection.execute(statement.encode(), numbers)


def _run(url: str, *statements: str) -> None:
    with session(url) as connection:
        for statement in statements:
            connection.execute(statement.encode())


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
