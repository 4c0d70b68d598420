"""The migrations make the tables that the code reads and writes."""

from collections.abc import Callable
from datetime import date
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from catalog_service import MIGRATIONS
from catalog_service.storage.tables import metadata
from servicekit.database_url import driver_url
from servicekit.migration.command import migrate
from tests.integration.catalog_service import catalog_totals, example
from tests.integration.catalog_service.conftest import new_settings, running_catalog
from tests.integration.catalog_service.month_rollups import DIFFERENCES
from tests.integration.catalog_service.sums import assert_sums_are_right
from tests.integration.catalog_service.test_relation_status import ago, later
from tests.integration.catalog_service.test_reports import (
    accepted,
    claims,
)


def test_the_migrated_database_has_what_the_tables_say(fresh_database: Callable[[], str]) -> None:
    settings = new_settings(fresh_database())
    migrate(settings.database_url, MIGRATIONS)  # again: nothing to do
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        differences: Any = compare_metadata(MigrationContext.configure(connection), metadata)
        names = connection.execute(
            text("SELECT normalised(name) FROM unnest(ARRAY['Nørd-VPN!', 'ÉCOLE', '日本 語']) name")
        )
        assert names.scalars().all() == ["nordvpn", "ecole", "日本語"]
    engine.dispose()
    assert differences == []


async def test_rollups_are_filled_from_what_is_stored(fresh_database: Callable[[], str]) -> None:
    settings = new_settings(fresh_database())
    async with running_catalog(settings) as catalog:
        assert not (await catalog.ingest(example.FACTS)).rejected
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    command.downgrade(config, "0002")
    migrate(settings.database_url, MIGRATIONS)
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM sponsor_returns")).scalar_one()
        assert connection.execute(text(catalog_totals.DIFFERENCES)).all() == []
        for table, query in DIFFERENCES.items():
            assert connection.execute(text(query)).all() == [], table
    engine.dispose()


async def test_videos_by_content_category_are_filled_anew_after_a_downgrade(
    fresh_database: Callable[[], str],
) -> None:
    settings = new_settings(fresh_database())
    async with running_catalog(settings) as catalog:
        assert not (await catalog.ingest(example.FACTS)).rejected
    query = text("SELECT * FROM youtuber_contents ORDER BY youtuber_id, content")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        stored = connection.execute(query).all()
    interrupted = (
        "CREATE TABLE migration_progress (name text PRIMARY KEY, last_key jsonb NOT NULL, rows bigint NOT NULL)",
        f"INSERT INTO migration_progress VALUES ('0044', '{max(row.youtuber_id for row in stored)}', 1)",
    )
    command.downgrade(config, "0043")
    with engine.connect() as connection:
        assert connection.execute(query).all() == []
    migrate(settings.database_url, MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(query).all() == stored
    command.downgrade(config, "0043")
    with engine.begin() as connection:
        for statement in interrupted:
            connection.execute(text(statement))
    command.downgrade(config, "0042")
    migrate(settings.database_url, MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(query).all() == stored
    engine.dispose()


async def test_the_migration_marks_stored_domains(fresh_database: Callable[[], str]) -> None:
    settings = new_settings(fresh_database())
    async with running_catalog(settings) as catalog:
        named = example.sponsor("own", "Own.com", "own.com", None, aliases=["Other.com"])
        named.sponsor.domains.extend(["other.com", "third.com"])
        assert not (await catalog.ingest([*example.FACTS, named])).rejected
    query = text("SELECT name_key, sponsor_id, is_domain FROM sponsor_names ORDER BY 1, 2")
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        stored = connection.execute(query).all()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    command.downgrade(config, "0009")
    migrate(settings.database_url, MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(query).all() == stored
    engine.dispose()
    domains = {key for key, _, is_domain in stored if is_domain}
    assert "thirdcom" in domains
    assert not {"owncom", "othercom", "own", "third"} & domains


async def test_the_migration_fills_the_days_by_which_sponsors_have_their_status(
    fresh_database: Callable[[], str],
) -> None:
    settings = new_settings(fresh_database())
    paid, ended = (example.claim(slug, "paid_sponsorship", 0.9) for slug in ("going", "ended"))
    async with running_catalog(settings) as catalog:
        facts = [
            *(
                example.sponsor(slug, slug.title(), f"{slug}.example", None)
                for slug in ("going", "ended", "unseen")
            ),
            *(example.youtuber(key, key.title()) for key in ("daily", "once")),
            example.video("d1", "daily", ago(20), 10, paid),
            example.video("d2", "daily", ago(900), 10, ended),
            *later("daily", ago(10)),
            example.video("o1", "once", "2020-01-01", 10, paid),
        ]
        assert not (await catalog.ingest(facts)).rejected
    query = text("SELECT slug, current_until, open_until, lapsed_until FROM sponsors ORDER BY slug")
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        stored = connection.execute(query).all()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    command.downgrade(config, "0015")
    migrate(settings.database_url, MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(query).all() == stored
    engine.dispose()
    newest = date.fromisoformat(ago(10))
    assert stored == [
        ("ended", None, None, newest),
        ("going", newest, newest, None),
        ("unseen", None, None, None),
    ]


async def test_decisions_of_before_hold_behind_the_upgrade(
    fresh_database: Callable[[], str],
) -> None:
    settings = new_settings(fresh_database())
    async with running_catalog(settings) as catalog:
        await catalog.ingest(example.FACTS)
        await accepted(catalog, video="c1")
        await catalog.operate("MergeSponsors", from_sponsor="azura-vpn", into_sponsor="brightmeal")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(settings.database_url))
    command.downgrade(config, "0004")
    migrate(settings.database_url, MIGRATIONS)
    async with running_catalog(settings) as catalog:
        again = await catalog.ingest(example.FACTS)
        assert (again.created, list(again.rejected)) == (0, [])
        assert not await claims(catalog, "c1")
        assert (await catalog.operate("GetReport", id="r_1")).report.state == "applied"
        shown = await catalog.call("GetSponsor", sponsor="azura-vpn")
        assert (shown.sponsor.slug, list(shown.aliases)) == ("brightmeal", ["Azura VPN", "Azura"])
        assert_sums_are_right(catalog)
