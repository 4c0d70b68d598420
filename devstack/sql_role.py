"""The role of callers' SQL: it may connect to the catalogue's database and has no rights of its own there."""

from typing import Final

import psycopg
from psycopg import sql

_EXISTS: Final = "SELECT 1 FROM pg_roles WHERE rolname = %s"
_CREATE: Final = "CREATE ROLE {role} LOGIN NOINHERIT"
_RIGHTS: Final = (
    "ALTER ROLE {role} PASSWORD {password}",
    # A session cannot change this limit; all others come with each connection.
    "ALTER ROLE {role} SET temp_file_limit = '256MB'",
    "REVOKE CONNECT, TEMPORARY ON DATABASE {database} FROM PUBLIC",
    "GRANT CONNECT ON DATABASE {database} TO {role}",
)


def ensure(connection: psycopg.Connection, database: str, password: str, role: str) -> None:
    """Make the role unless it is there, and give it its password and limits; `connection` is a superuser's."""
    is_there = connection.execute(_EXISTS, (role,)).fetchone() is not None
    for statement in _RIGHTS if is_there else (_CREATE, *_RIGHTS):
        connection.execute(
            sql.SQL(statement).format(
                role=sql.Identifier(role),
                password=sql.Literal(password),
                database=sql.Identifier(database),
            )
        )
