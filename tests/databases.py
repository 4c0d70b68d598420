"""New databases of a test server: empty, or with a service's newest tables."""

import secrets
from pathlib import Path

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from devstack import sql_role
from devstack.engines import Postgres
from servicekit.migration.command import migrate


class Databases:
    """Makes databases; a role of its own owns each, which may nothing else, as in a deployment."""

    def __init__(self, server: Postgres) -> None:
        self._server = server
        self._templates: dict[Path, str] = {}

    def empty(self) -> str:
        """Return the URL of a new empty database."""
        return self._url(self._create())

    def migrated(self, migrations: Path) -> str:
        """Return the URL of a new database with the newest tables.

        They are migrated once and copied from then on, which takes a sixth of the time.
        """
        if migrations not in self._templates:
            self._templates[migrations] = self._template(migrations)
        template = self._templates[migrations]
        name = self._create(f"TEMPLATE {template}")
        with psycopg.connect(self._server.url(name), autocommit=True) as connection:
            connection.execute(f"REASSIGN OWNED BY {template} TO {name}".encode())
        return self._url(name)

    def drop(self, url: str) -> None:
        """Give the disk of a database back, whoever is still connected to it."""
        name = url.rpartition("/")[2]
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def _template(self, migrations: Path) -> str:
        name = self._create()
        migrate(self._url(name), migrations)
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            # Else the first copy's owner would get the template along with the tables.
            connection.execute(f"ALTER DATABASE {name} OWNER TO postgres".encode())
        return name

    def _create(self, options: str = "") -> str:
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            role = f"CREATE ROLE {name} LOGIN PASSWORD '{self._server.password}'"
            connection.execute(role.encode())
            connection.execute(f"CREATE DATABASE {name} OWNER {name} {options}".encode())
        return name

    def _url(self, name: str) -> str:
        return self._server.url(name).replace("//postgres:", f"//{name}:", 1)

    def powerless(self, database_url: str) -> str:
        """Return the URL of a database for a new role that has no rights there."""
        name = f"test_{secrets.token_hex(6)}"
        database = database_url.rpartition("/")[2]
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            sql_role.ensure(connection, database, self._server.password, name)
        return self._server.url(database).replace("//postgres:", f"//{name}:", 1)


async def is_reachable(engine: AsyncEngine) -> bool:
    """Return whether the database responds to a trivial query now."""
    try:
        async with engine.connect() as connection:
            await connection.execute(text("SELECT 1"))
    except (DBAPIError, TimeoutError, OSError):
        return False
    return True
