"""The parameters of a service's role in its database, where a pooler does not pass on those of a connection's start.

Roles may set their own parameters, so the service's role needs no further right where it migrates by itself.
"""

from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from servicekit.database_parameters import missing_from_role, role_parameters
from servicekit.settings import DatabaseSettings

CHANGED: Final = (
    "The role {role} has other parameters in the database {database} now: {parameters}. Connections that the pooler has open "
    "keep the old ones: RECONNECT on PgBouncer's console closes them once they are free."
)
_FORBIDDEN: Final = (
    "The role of the migrations may not set parameters of {role}, whose connections come from a pooler. "
    "Run as one who may: {statements}"
)
_KEY: Final = "hashtext('sponsorgraph role parameters')"


class RoleParametersError(Exception):
    """The role's parameters could not be set."""


def write(settings: DatabaseSettings) -> str | None:
    """Give the service's role its parameters in its database; return a sentence that says what has changed.

    Where no pooler stands before the database nothing is done.

    Raises:
        RoleParametersError: The role of the migrations may not do this.
    """
    if not settings.is_pooled:
        return None
    with psycopg.connect(settings.session_url, connect_timeout=5) as connection:
        role = str(conninfo_to_dict(settings.database_url).get("user") or connection.info.user)
        # Who sets a parameter while another does gets "tuple concurrently updated".
        connection.execute(f"SELECT pg_advisory_xact_lock({_KEY})")
        return _write(connection, role, role_parameters(settings))


def _write(connection: psycopg.Connection[Any], role: str, wanted: dict[str, str]) -> str | None:
    names = missing_from_role(connection, role, wanted)
    if not names:
        return None
    database = connection.info.dbname
    statements = [
        sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(
            # Postgres finds parameters whatever their case, so that quoted names are theirs as well.
            *(sql.Identifier(part) for part in (role, database, name)),
            sql.Literal(wanted[name]),
        )
        for name in names
    ]
    try:
        for statement in statements:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        text = " ".join(f"{statement.as_string(None)};" for statement in statements)
        raise RoleParametersError(_FORBIDDEN.format(role=role, statements=text)) from error
    changed = ", ".join(f"{name} = {wanted[name]}" for name in names)
    return CHANGED.format(role=role, database=database, parameters=changed)
