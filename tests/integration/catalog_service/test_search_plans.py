"""What a search by name reads does not grow with the catalogue."""

from collections.abc import Callable, Generator
from typing import Final

import psycopg
import pytest

from catalog_service.domain.queries import Page, SponsorSearch
from catalog_service.storage.search.index import RELEVANCE
from catalog_service.storage.search.sponsors import SPONSORS
from servicekit.database_parameters import parameters, startup_options
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.plan_reader import PlanReader

SPONSORS_HELD: Final = 8_000
MOST_ROWS: Final = 200
"""Of one step of the plan: less than a fraction of the names."""

_NAMES = """
WITH made AS (
  INSERT INTO sponsors (slug, name, aliases, domains, videos, paid_videos)
  SELECT 'made-' || n, initcap(translate(to_char(mod(n * 7919, 99991), 'FM00000'), '0123456789', 'bdfgklmnpr')) || 'ax' || n,
         '{}', '{}', 1, 1
  FROM generate_series(1, %s) AS n RETURNING id, name
)
INSERT INTO sponsor_names (name_key, sponsor_id, is_label, is_domain)
SELECT normalised(name || extension), id, is_label, is_domain
FROM made, (VALUES ('', false, false), ('shop', true, false), ('com', false, true)) AS kind(extension, is_label, is_domain)
ON CONFLICT DO NOTHING
"""


@pytest.fixture(scope="module")
def connection(fresh_database: Callable[[], str]) -> Generator[psycopg.Connection]:
    """A catalogue of many sponsors, all with a video."""
    settings = new_settings(fresh_database())
    options = startup_options(settings, parameters(settings, "force_generic_plan"))
    with psycopg.connect(settings.database_url, autocommit=True) as filling:
        filling.execute(_NAMES.encode(), [SPONSORS_HELD])
        filling.execute("VACUUM ANALYZE")
    with psycopg.connect(settings.database_url, autocommit=True, **options) as connected:
        yield connected


@pytest.mark.parametrize("words", ["bnrdr", "bnrdax1", "nrdrax1", "nothinglikeit", "३"])
async def test_a_search_reads_a_few_names_of_many(
    connection: psycopg.Connection, words: str
) -> None:
    reader = PlanReader(connection)

    search = SponsorSearch(words, None, None, None, None, RELEVANCE)
    await SPONSORS.search(reader, search, Page(10))

    assert max(reader.rows) <= MOST_ROWS


@pytest.mark.parametrize("words", ["", "ʻ", "ʻʻʻʻʻ"])
async def test_words_with_an_empty_key_find_no_name_and_read_none(
    connection: psycopg.Connection, words: str
) -> None:
    reader = PlanReader(connection)

    search = SponsorSearch(words, None, None, None, None, RELEVANCE)
    await SPONSORS.search(reader, search, Page(10))

    assert reader.rows[0] == 0
    assert max(reader.rows) <= 1
