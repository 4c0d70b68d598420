"""Migrations of the import worker, up and down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect, text

from import_worker import MIGRATIONS
from import_worker.storage.tables import metadata
from servicekit.database_url import driver_url
from servicekit.migration.command import migrate

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
_IMPORT = text(
    """
    INSERT INTO imports (id, channel_id, reference, title, source, state, message, created_at, finished_at)
    VALUES (:id, :channel, '@a', 'A', 'youtube-api', :state, '', :now, :ended)
    """
)
_REQUEST = text(
    """
    INSERT INTO import_requests (account_id, import_id, joined, created_at, cancelled_at)
    VALUES (:account, :import, false, :now, :cancelled)
    """
)
_CHANNEL = text(
    "INSERT INTO imported_channels (channel_id, reference, title, last_import_at) VALUES (:channel, '@a', 'A', :now)"
)


def test_whoever_has_imported_a_channel_follows_it(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(url))
    command.upgrade(config, "0006")
    engine = create_engine(driver_url(url))
    with engine.begin() as connection:
        for channel in ("UC1", "UC2"):
            connection.execute(_CHANNEL, {"channel": channel, "now": NOW})
        for import_id, channel, state in (
            ("done", "UC1", "done"),
            ("again", "UC1", "done"),
            ("failed", "UC2", "failed"),
            ("queued", "UC2", "queued"),
        ):
            ended = None if state == "queued" else NOW
            values = {"id": import_id, "channel": channel, "state": state, "now": NOW}
            connection.execute(_IMPORT, {**values, "ended": ended})
        for account, import_id, cancelled in (
            ("ann", "done", None),
            ("ann", "again", None),
            ("bob", "again", None),
            ("eve", "done", NOW),
            ("ann", "failed", None),
            ("ann", "queued", None),
        ):
            values = {"account": account, "import": import_id, "now": NOW}
            connection.execute(_REQUEST, {**values, "cancelled": cancelled})
    migrate(url, MIGRATIONS)
    with engine.connect() as connection:
        follows = connection.execute(text("SELECT * FROM follows ORDER BY account_id")).all()
        waiting = connection.execute(
            text("SELECT max_followed FROM import_requests WHERE import_id = 'queued'")
        ).scalar_one()
    assert [tuple(row) for row in follows] == [
        ("ann", "UC1", NOW, False),
        ("bob", "UC1", NOW, False),
    ]
    assert waiting == 1_000, "an import that is under way is followed as well"
    command.downgrade(config, "0006")
    migrate(url, MIGRATIONS)
    engine.dispose()


def test_tables_are_those_of_the_code(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    migrate(url, MIGRATIONS)
    engine = create_engine(driver_url(url))
    found = inspect(engine)
    for table in metadata.sorted_tables:
        columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert columns == {column.name: column.nullable for column in table.columns}, table.name
    engine.dispose()
