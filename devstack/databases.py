"""Makes the databases of a home and brings them up to date: `python -m devstack.databases HOME`, while its Postgres runs.

A process that ends, as what it loads is of no use later: psycopg, and Alembic where something is to be migrated. One for
all databases, as loading what migrates takes longer than the migrations of most databases.
"""

import functools
import sys

import psycopg

from devstack import sql_role
from devstack.home import Addresses, Home, Secrets
from devstack.home_process import run_in_home
from devstack.schemas import is_up_to_date, migrations_of
from devstack.services import DATABASES, SQL_ROLE


def main(arguments: list[str]) -> int:
    return run_in_home(arguments, __doc__, _prepare)


def _prepare(home: Home, addresses: Addresses) -> None:
    """Do what is left to do."""
    keys = home.secrets()
    _create(addresses, keys)
    urls = addresses.database_urls(keys, DATABASES)
    for name, url in urls.items():
        if not is_up_to_date(url, name):
            _migrate(name, url)


def _create(addresses: Addresses, keys: Secrets) -> None:
    """Make the databases that are missing, and the role of callers' SQL."""
    (server,) = addresses.database_urls(keys, ["postgres"]).values()
    with psycopg.connect(server, autocommit=True) as connection:
        found = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
        for name in DATABASES:
            if name not in found:
                connection.execute(f"CREATE DATABASE {name}".encode())
        sql_role.ensure(connection, "catalog", keys.sql_password, SQL_ROLE)


def _migrate(name: str, url: str) -> None:
    from servicekit.migration import command  # noqa: PLC0415 - most starts migrate nothing

    sys.stderr.write(f"The database {name}\n")
    command.run_or_exit(functools.partial(command.migrate, url, migrations_of(name)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
