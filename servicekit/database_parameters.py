"""Postgres' parameters that each statement of a service runs with.

They come with the start of a connection. PgBouncer does not pass that on, so behind it the service's role has them in its
database (`servicekit.migration.role_parameters`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import psycopg

from servicekit.settings import DatabaseSettings

VALUES: Final = "SELECT lower(name), setting FROM pg_settings WHERE lower(name) = ANY(%s)"
"""Asks for the values of parameters by a list of their names."""

_HAS: Final = """
    SELECT unnest(setconfig) FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND setrole = (SELECT oid FROM pg_roles WHERE rolname = %s)
"""


def base_parameters(settings: DatabaseSettings) -> dict[str, str]:
    """Return the parameters of every connection."""
    timeout_ms = round(settings.database_statement_timeout_seconds * 1000)
    return {"statement_timeout": str(timeout_ms), "timezone": "UTC"}


def parameters(settings: DatabaseSettings, plan_cache_mode: str) -> dict[str, str]:
    """Return the parameters of connections for requests."""
    # Pages are cheap to reach on SSDs and in memory, and short statements do not earn a compilation.
    return {
        **base_parameters(settings),
        "random_page_cost": "1.1",
        "jit": "off",
        "plan_cache_mode": plan_cache_mode,
    }


def role_parameters(settings: DatabaseSettings) -> dict[str, str]:
    """Return the parameters that the service's role has in its database where a pooler stands before it."""
    return parameters(settings, settings.plan_cache_mode)


def startup_options(settings: DatabaseSettings, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the argument of a new connection that sets parameters; none where a pooler would not pass them on."""
    if settings.is_pooled:
        return {}
    return {"options": " ".join(f"-c {name}={value}" for name, value in values.items())}


def differing(connection: psycopg.Connection[Any], wanted: Mapping[str, str]) -> Sequence[str]:
    """Return the names of the parameters that have another value on a connection."""
    rows = connection.execute(VALUES, [list(wanted)], prepare=False).fetchall()
    return differences(rows, wanted)


def differences(rows: Iterable[Sequence[Any]], wanted: Mapping[str, str]) -> Sequence[str]:
    """Return the names of the parameters that have another value in the rows of `VALUES`."""
    found = {row[0]: row[1] for row in rows}
    return [name for name, value in wanted.items() if found.get(name) != value]


def missing_from_role(
    connection: psycopg.Connection[Any], role: str, wanted: Mapping[str, str]
) -> Sequence[str]:
    """Return the names of the parameters that a role does not have in the database of a connection."""
    rows = connection.execute(_HAS, [role]).fetchall()
    has = {name.lower(): value for name, _, value in (row[0].partition("=") for row in rows)}
    return [name for name, value in wanted.items() if has.get(name) != value]
