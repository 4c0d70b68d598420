"""Migrations of the auth service, up and down."""

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from auth_service import MIGRATIONS
from auth_service.storage.tables import counter_state, deleted_accounts
from servicekit import database
from servicekit.database import driver_url

_NAMES = text(
    "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'p') AND conrelid = CAST(:name AS regclass)"
)


def test_renamed_tables_keep_their_rows_and_constraints(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(url))
    command.upgrade(config, "0008")
    engine = create_engine(driver_url(url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE counting SET epoch = 'e1'"))
        connection.execute(text("INSERT INTO departures VALUES ('\\x01', 'acc_1', now())"))
    database.migrate(url, MIGRATIONS)
    with engine.connect() as connection:
        assert connection.execute(counter_state.select()).one().epoch == "e1"
        assert connection.execute(deleted_accounts.select()).one().account_id == "acc_1"
        constraints = connection.execute(_NAMES, {"name": "counter_state"}).scalars().all()
        assert set(constraints) == {"counter_state_pkey", "counter_state_is_only"}
        constraints = connection.execute(_NAMES, {"name": "deleted_accounts"}).scalars().all()
        assert constraints == ["deleted_accounts_pkey"]
    command.downgrade(config, "0008")
    with engine.connect() as connection:
        constraints = connection.execute(_NAMES, {"name": "counting"}).scalars().all()
        assert set(constraints) == {"counting_pkey", "counting_is_only"}
        assert connection.execute(text("SELECT count(*) FROM departures")).scalar_one() == 1
    engine.dispose()
