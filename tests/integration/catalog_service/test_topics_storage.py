"""The index of words: filled by a migration, kept when videos are joined, and searched within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

import psycopg
import pytest
from alembic import command
from alembic.config import Config

from catalog_service import MIGRATIONS
from catalog_service.storage.topics import store
from servicekit.database_url import driver_url
from servicekit.errors import InvalidInput, ResourceExhausted
from servicekit.migration.command import migrate
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import video

TITLES = [
    video(f"t{number}", "ada", "2024-01-01", 1, title=title, language=language)
    for number, (title, language) in enumerate(
        [
            ("Cooking with Häuser, 投資入門!", None),
            ("Die schönen Gärten", "de"),
            ("It's cooked", "en"),
        ]
    )
]
_WORDS = "SELECT key, config, words::text, has_description FROM video_texts JOIN videos ON id = video_texts.video_id ORDER BY key"


async def test_the_migration_fills_the_words_of_titles_as_the_ingest_writes_them(
    fresh_database: Callable[[], str],
) -> None:
    settings = new_settings(fresh_database())
    async with running_catalog(settings) as catalog:
        assert not (await catalog.ingest([*example.FACTS, *TITLES])).rejected
    with psycopg.connect(settings.database_url) as connection:
        written = connection.execute(_WORDS).fetchall()
    assert len(written) == len(TITLES) + 1  # one of the example's videos has a title
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    command.downgrade(config, "0021")
    migrate(settings.database_url, MIGRATIONS)
    with psycopg.connect(settings.database_url) as connection:
        assert connection.execute(_WORDS).fetchall() == written


async def test_a_video_that_turns_out_to_be_another_takes_its_words_along(
    own_catalog: Catalog,
) -> None:
    title = "Growing tulips at home"
    by_name = example.youtuber("name:gardener", "Gardener")
    of_file = video("x:1", "name:gardener", "2024-01-01", 5_000, title=title)
    assert not (await own_catalog.ingest([by_name, of_file])).rejected
    by_id = example.youtuber("UC" + "g" * 22, "Gardener", channel_id="UC" + "g" * 22)
    of_import = video(
        "gggggggggg1", "UC" + "g" * 22, "2024-01-01", 5_000,
        video_id="gggggggggg1", title=title, description_text="Roses too.", language="en",
    )  # fmt: skip
    assert not (await own_catalog.ingest([by_id, of_import])).rejected
    page = await own_catalog.call("SearchVideos", about="tulip roses")
    assert [item.video.video_id for item in page.videos] == ["gggggggggg1"]
    page = await own_catalog.call("SearchVideos", about="tulips")
    assert page.matches == 1


@contextmanager
def locked(catalog: Catalog, table: str) -> Generator[None]:
    """Let every statement that reads the table wait."""
    with psycopg.connect(catalog.settings.database_url) as connection:
        connection.execute(f"LOCK TABLE {table}".encode())
        yield


async def test_a_search_that_takes_too_long_is_refused_and_leaves_no_trace(
    own_catalog: Catalog,
) -> None:
    with locked(own_catalog, "videos"), pytest.raises(InvalidInput, match="in time"):
        await own_catalog.call("SearchVideos", about="light")
    page = await own_catalog.call("SearchVideos", about="light")
    assert page.matches == 1


async def test_more_searches_than_wait_in_line_are_refused(
    own_catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_MAX_WAITING", 1)
    with locked(own_catalog, "videos"):
        searches = [own_catalog.call("SearchVideos", about="light") for _ in range(5)]
        outcomes = await asyncio.gather(*searches, return_exceptions=True)
    refused = [item for item in outcomes if isinstance(item, ResourceExhausted)]
    late = [item for item in outcomes if isinstance(item, InvalidInput)]
    assert (len(refused), len(late)) == (2, 3)
    assert all("under way" in str(item) for item in refused)
