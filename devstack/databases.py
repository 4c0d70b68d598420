"""Makes the databases of a home, brings them up to date, and fills a new catalogue: `python -m devstack.databases HOME`.

It first loads what it needs, beside the start of Postgres, and begins with a line on its standard input. On its standard
output it writes a line when all databases have their newest tables; it ends when the catalogue has the sample, too.

A process that ends, as what it loads is of no use later: psycopg, and Alembic where something is to be migrated. One for
all databases, as loading what migrates takes longer than the migrations of most databases.
"""

import functools
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import psycopg

from devstack import sql_role
from devstack.home import Addresses, Home
from devstack.home_process import run_in_home
from devstack.sample import rows
from devstack.schemas import is_up_to_date, migrations_of
from devstack.services import DATABASES, SQL_ROLE


def main(arguments: list[str]) -> int:
    return run_in_home(arguments, __doc__, _prepare)


def _prepare(home: Home, addresses: Addresses) -> None:
    """Do what is left to do."""
    keys = home.secrets()
    urls = addresses.database_urls(keys, DATABASES)
    (server,) = addresses.database_urls(keys, ["postgres"]).values()
    fillings: list[Future[None]] = []
    with ThreadPoolExecutor(max_workers=1) as beside:
        for name, url in urls.items():
            create_database(server, name, keys.sql_password)
            if not is_up_to_date(url, name):
                _migrate(name, url)
            if name == "catalog" and "sample" not in home.state():
                fillings.append(beside.submit(_fill, home, url))
        sys.stdout.write("up to date\n")
        sys.stdout.flush()
    for filling in fillings:
        filling.result()


def _fill(home: Home, url: str) -> None:
    """Copy the sample's rows into the catalogue where it never had any; else its service takes the sample in."""
    with psycopg.connect(url) as connection:
        digest = rows.restore(connection)
    if digest is not None:
        home.write_state({**home.state(), "sample": digest})


def create_database(server: str, name: str, sql_password: str) -> None:
    """Make a database if it is missing, and for the catalogue the role of callers' SQL.

    Args:
        server: URL of the server's own database, as its superuser.
        name: Name of the database.
        sql_password: Password of that role.
    """
    with psycopg.connect(server, autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
        if found.fetchone() is None:
            connection.execute(f"CREATE DATABASE {name}".encode())
        if name == "catalog":
            sql_role.ensure(connection, name, sql_password, SQL_ROLE)


def _migrate(name: str, url: str) -> None:
    command = _migration_command()
    sys.stderr.write(f"The database {name}\n")
    command.run_or_exit(functools.partial(command.migrate, url, migrations_of(name)))


def _migration_command() -> ModuleType:
    from servicekit.migration import command  # noqa: PLC0415 - most starts migrate nothing

    return command


if __name__ == "__main__":
    if not any(Path(folder, "postgres").exists() for folder in sys.argv[1:]):
        _migration_command()  # a new home: everything will be migrated
    sys.exit(main(sys.argv[1:]) if sys.stdin.readline() else 1)
