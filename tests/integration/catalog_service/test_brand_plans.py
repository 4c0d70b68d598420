"""What is read of a brand with many creators does not grow faster than they are, and pages of its lists are read alone."""

from collections.abc import Callable, Generator
from datetime import date
from typing import Final

import psycopg
import pytest

from catalog_service.domain import kinds, periods
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.queries import Page, SponsorshipFilter, SponsorStatsQuery
from catalog_service.storage.stats import relations, same_channels
from servicekit.database_parameters import parameters, startup_options
from shapes.catalog.shared import Period
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.plan_reader import PlanReader

CREATORS: Final = 3_000
LARGE: Final = 1
SMALL: Final = 2
MOST_ROWS: Final = 300
"""Of one step of the plan of a page."""

_MADE: Final = (
    """
    INSERT INTO sponsors (slug, name, aliases, domains, videos, youtubers)
    SELECT 'made-' || n, 'Made ' || n, '{}', '{}', 1, CASE n WHEN 1 THEN %(creators)s ELSE 20 END
    FROM generate_series(1, 400) AS n
    """,
    """
    INSERT INTO youtubers (key, name, subscribers, videos_scanned, first_video, last_video)
    SELECT 'y' || n, 'Made ' || n, nullif(mod(n * 7919, 99991), 0), 2, '2024-03-20', '2024-04-20'
    FROM generate_series(1, %(creators)s) AS n
    """,
    """
    INSERT INTO videos (key, youtuber_id, published_on, views, digest)
    SELECT day || '-' || id, id, day, id, '' FROM youtubers, (VALUES (date '2024-03-20'), (date '2024-04-20')) AS days(day)
    """,
    """
    INSERT INTO sponsorships (video_id, sponsor_id, youtuber_id, published_on, views, kind, confidence, reason, detector_version)
    SELECT v.id, s.id, v.youtuber_id, v.published_on, v.views, 'affiliate', 1, '', ''
    FROM videos AS v JOIN sponsors AS s ON s.id = 1 OR (mod(v.youtuber_id, 150) = mod(s.id, 150))
    """,
    """
    INSERT INTO sponsor_youtubers (sponsor_id, youtuber_id, videos, views, first_seen, last_seen, kinds)
    SELECT sponsor_id, youtuber_id, count(*), sum(views), min(published_on), max(published_on) - mod(youtuber_id, 365)::int, 4
    FROM sponsorships GROUP BY 1, 2
    """,
    "UPDATE catalog_state SET youtubers = %(creators)s",
)


@pytest.fixture(scope="module")
def connection(fresh_database: Callable[[], str]) -> Generator[psycopg.Connection]:
    """A catalogue of a brand that all creators have advertised, and others that twenty have."""
    settings = new_settings(fresh_database())
    options = startup_options(settings, parameters(settings, "force_generic_plan"))
    with psycopg.connect(settings.database_url, autocommit=True) as filling:
        for statement in _MADE:
            filling.execute(statement.encode(), {"creators": CREATORS})
        filling.execute("VACUUM ANALYZE")
    with psycopg.connect(settings.database_url, autocommit=True, **options) as connected:
        # Of so few creators Postgres looks details up in two indexes at once, one of which has the brand's.
        connected.execute("SET enable_bitmapscan = off")
        yield connected


@pytest.mark.parametrize("sort", ["videos", "views", "recent", "oldest", "subscribers"])
async def test_a_page_of_a_brands_creators_is_read_alone(
    connection: psycopg.Connection, sort: str
) -> None:
    reader = PlanReader(connection)
    query = SponsorshipFilter(LARGE, RequestedPeriod(None, None))

    await relations.sponsor_youtubers_page(reader, query, sort, Page(10))

    assert max(reader.rows) <= MOST_ROWS


async def test_of_a_brand_with_few_creators_they_alone_are_sorted_by_subscribers(
    connection: psycopg.Connection,
) -> None:
    reader = PlanReader(connection)
    query = SponsorshipFilter(SMALL, RequestedPeriod(None, None))

    await relations.sponsor_youtubers_page(reader, query, "subscribers", Page(10))

    assert max(reader.rows) <= MOST_ROWS


async def test_two_periods_of_a_brand_are_compared_creator_by_creator(
    connection: psycopg.Connection,
) -> None:
    reader = PlanReader(connection)
    april = Period(date(2024, 4, 1), date(2024, 4, 30))
    query = SponsorStatsQuery(
        sponsor=LARGE,
        category=None,
        period=april,
        previous=periods.before(april),
        granularity="month",
        min_confidence=0.0,
        is_of_all=False,
        kinds=kinds.ALL,
        voice_kinds=kinds.PAID,
    )

    with pytest.raises(ValueError, match="unpack"):
        await same_channels.of_sponsor(reader, query)

    # A sponsorship and a video of each period.
    assert max(reader.rows) <= 2 * CREATORS
