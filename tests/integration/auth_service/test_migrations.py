"""Migrations of the auth service, up and down."""

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect, text

from auth_service import MIGRATIONS
from auth_service.storage.billing_tables import billing_customers, billing_events
from auth_service.storage.oauth.tables import codes, devices, grants
from auth_service.storage.site import account_security_tables as security
from auth_service.storage.site.organisation_tables import invitations, memberships, organisations
from auth_service.storage.site.tables import web_sessions
from auth_service.storage.tables import accounts, api_keys, counter_state, deleted_accounts
from servicekit.database_url import driver_url
from servicekit.migration.command import migrate

_NAMES = text(
    "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'p') AND conrelid = CAST(:name AS regclass)"
)


def test_plans_of_before_are_those_that_operators_gave(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("sqlalchemy.url", driver_url(url))
    command.upgrade(config, "0009")
    engine = create_engine(driver_url(url))
    insertion = text(
        "INSERT INTO accounts (id, email, plan_id, created_at) VALUES (:plan, :plan, :plan, now())"
    )
    with engine.begin() as connection:
        connection.execute(insertion, [{"plan": "free"}, {"plan": "creator"}])
    migrate(url, MIGRATIONS)
    with engine.connect() as connection:
        rows = connection.execute(accounts.select()).all()
    assert {row.id: row.plan_by_operator for row in rows} == {"free": False, "creator": True}
    command.downgrade(config, "0009")
    migrate(url, MIGRATIONS)
    engine.dispose()


def test_tables_are_those_of_the_code(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    migrate(url, MIGRATIONS)
    engine = create_engine(driver_url(url))
    found = inspect(engine)
    tables = (
        billing_customers,
        billing_events,
        accounts,
        api_keys,
        web_sessions,
        codes,
        devices,
        grants,
        organisations,
        memberships,
        invitations,
        security.totp_secrets,
        security.recovery_codes,
        security.pending_logins,
        security.passkeys,
        security.used_challenges,
        security.email_changes,
    )
    for table in tables:
        columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert columns == {column.name: column.nullable for column in table.columns}
    engine.dispose()


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
    migrate(url, MIGRATIONS)
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
