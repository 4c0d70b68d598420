"""The migrations make the tables that the code reads and writes."""

from collections.abc import Callable
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from catalog_service import app
from catalog_service.storage.tables import metadata
from servicekit.database import driver_url
from tests.integration.catalog_service.conftest import new_settings


def test_the_migrated_database_has_what_the_tables_say(fresh_database: Callable[[], str]) -> None:
    settings = new_settings(fresh_database())
    app.migrate(settings)  # again: nothing to do
    engine = create_engine(driver_url(settings.database_url))
    with engine.connect() as connection:
        differences: Any = compare_metadata(MigrationContext.configure(connection), metadata)
        names = connection.execute(
            text("SELECT normalised(name) FROM unnest(ARRAY['Nørd-VPN!', 'ÉCOLE', '日本 語']) name")
        )
        assert names.scalars().all() == ["nordvpn", "ecole", "日本語"]
    engine.dispose()
    assert differences == []
