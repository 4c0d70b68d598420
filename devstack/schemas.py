"""The schema revision of a database, and the revisions that this version knows.

Without Alembic and without the services, as both take longer to load than the check is worth.
"""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psycopg

from servicekit.migration import revisions

SERVICES: Final[Mapping[str, str]] = {
    "catalog": "catalog_service",
    "auth": "auth_service",
    "imports": "import_worker",
}
"""The package that owns each database."""


def migrations_of(database: str) -> Path:
    """Return the folder of a database's migrations.

    Raises:
        LookupError: The package that owns it is not installed.
    """
    spec = importlib.util.find_spec(SERVICES[database])
    if spec is None or spec.origin is None:
        raise LookupError(f"The package {SERVICES[database]} is missing.")
    return Path(spec.origin).parent / "migrations"


def known_revisions(database: str) -> tuple[str, ...]:
    """Return the revisions of a database's schema, oldest first."""
    return revisions.known_revisions(migrations_of(database))


def revision_of(connection: psycopg.Connection) -> str | None:
    """Return the schema revision of a database; None when it was never migrated."""
    found = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    if found is None or found[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def is_up_to_date(url: str, database: str) -> bool:
    """Return whether a database has the newest revision that this version knows."""
    with psycopg.connect(url) as connection:
        return revision_of(connection) == known_revisions(database)[-1]
