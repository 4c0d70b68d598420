"""Who has locks on the tables that a migration's statement needs."""

from typing import Final

import psycopg

from servicekit.migration.effects import effects_of

_QUERY: Final = """
    SELECT l.pid, l.relation::regclass::text, a.application_name,
           extract(epoch FROM now() - a.xact_start)::bigint
    FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
    WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.relation IN (
        SELECT oid FROM pg_class
        WHERE relkind IN ('r', 'p') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
          AND (%(tables)s::text[] IS NULL OR relname = ANY (%(tables)s))
      )
    ORDER BY a.xact_start NULLS LAST, l.pid LIMIT 1
"""


def lock_holders(url: str, statement: str) -> str:
    """Return the oldest transaction that has a lock there, as the end of a sentence; "" where none is found any more."""
    tables = [effect.table for effect in effects_of(statement).tables] or None
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            row = connection.execute(_QUERY, {"tables": tables}).fetchone()
    except psycopg.Error:
        return ""
    if row is None:
        return ""
    pid, table, application, seconds = row
    name = f", {application}" if application else ""
    age = f", for {seconds} s" if seconds is not None else ""
    return f": process {pid} of the server{name} uses the table {table}{age}"
