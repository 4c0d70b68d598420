"""The role of callers' SQL: it may read the dataset, and is used only if it may nothing else."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql as composed

from catalog_service.domain.sql import dataset
from catalog_service.storage.connections import Database
from servicekit.observability import logs

log = logs.get(__name__)

_GRANTING: Final = 0x5B0_6A47
"""Advisory lock of the process that grants; of two at once Postgres refuses one."""

_POWERS: Final = """
SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
    OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid)
FROM pg_roles WHERE rolname = current_user"""
_OWNED: Final = """
SELECT min(kind) FROM (
  SELECT 'a relation' AS kind FROM pg_class WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
  UNION ALL SELECT 'a function' FROM pg_proc WHERE proowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
  UNION ALL SELECT 'a schema' FROM pg_namespace WHERE nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
  UNION ALL SELECT 'a database' FROM pg_database WHERE datdba = (SELECT oid FROM pg_roles WHERE rolname = current_user)) owned"""
_RELATIONS: Final = """
SELECT min(oid::regclass::text) FROM pg_class
WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
  AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)
  AND (has_any_column_privilege(oid, 'INSERT, UPDATE, REFERENCES')
    OR has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
    OR has_any_column_privilege(oid, 'SELECT')
      AND NOT (relnamespace::regnamespace::text = %s AND relkind = 'v' AND relname = ANY(%s)))"""
_SEQUENCES: Final = """
SELECT min(oid::regclass::text) FROM pg_class
WHERE CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE, SELECT, UPDATE') END"""
_SCHEMAS: Final = "SELECT min(nspname) FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE')"
_DATABASE: Final = "SELECT has_database_privilege(current_database(), 'CREATE, TEMPORARY')"
_FUNCTIONS: Final = """
SELECT min(oid::regprocedure::text) FROM pg_proc
WHERE prosecdef AND pronamespace <> 'pg_catalog'::regnamespace AND has_function_privilege(oid, 'EXECUTE')
  AND has_schema_privilege(pronamespace, 'USAGE')"""
_DISK: Final = "SELECT setting::bigint FROM pg_settings WHERE name = 'temp_file_limit'"

_CHECKS: Final[Sequence[tuple[LiteralString, Sequence[object], str]]] = (
    (_OWNED, (), "owns {}"),
    (
        _RELATIONS,
        (dataset.SCHEMA, [table.name for table in dataset.TABLES]),
        "reaches the table {}",
    ),
    (_SEQUENCES, (), "reaches the sequence {}"),
    (_SCHEMAS, (), "may create in the schema {}"),
    (_FUNCTIONS, (), "may call {} with its owner's rights"),
)


async def readable_url(database: Database, url: str) -> str:
    """Let the role of `url` read the dataset; return the URL, or "" if it may not be used, which is logged."""
    if not url:
        return ""
    try:
        problem = await _prepare(database, url)
    except psycopg.Error as error:
        # Not a reason to refuse all other work; calls say so until the next start.
        problem = str(error).strip()
    if problem is None:
        return url
    log.error("sql_not_offered", reason=problem)
    return ""


async def _prepare(database: Database, url: str) -> str | None:
    """Grant what the role needs; return why it may not be used, or None.

    It must reach nothing else, or a statement that deceives the checks would.
    """
    async with await psycopg.AsyncConnection.connect(
        url, connect_timeout=3, autocommit=True
    ) as connection:
        role = str(await _value(connection, "SELECT current_user"))
        problem = await _problem(connection)
        if problem is not None:
            return f"the role {role} {problem}"
    grants = composed.SQL(
        "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}"
    ).format(schema=composed.Identifier(dataset.SCHEMA), role=composed.Identifier(role))
    async with database.report_transaction() as owner:
        await owner.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_GRANTING})")
        await owner.exec_driver_sql(grants.as_string())
    return None


async def _problem(connection: psycopg.AsyncConnection[Any]) -> str | None:
    """Return what the role has beyond the dataset; None if it has nothing."""
    if await _value(connection, _POWERS):
        return "has rights of its own or is a member of another role"
    for query, values, words in _CHECKS:
        found = await _value(connection, query, values)
        if found:
            return words.format(found)
    if await _value(connection, _DATABASE):
        return "may create schemas or temporary tables: REVOKE CREATE, TEMPORARY ON DATABASE … FROM PUBLIC"
    if await _value(connection, _DISK) == -1:
        return "has no limit of temporary files: ALTER ROLE … SET temp_file_limit = '256MB'"
    return None


async def _value(
    connection: psycopg.AsyncConnection[Any], query: LiteralString, values: Sequence[object] = ()
) -> Any:
    cursor = await connection.execute(query, values or None)
    row = await cursor.fetchone()
    return row[0] if row else None
