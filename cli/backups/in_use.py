"""Databases that others are connected to."""

from typing import Final

import psycopg

from cli.backups.errors import BackupError

_OTHERS: Final = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def check_not_in_use(name: str, url: str) -> None:
    """Refuse a database that anybody else is connected to.

    Raises:
        BackupError: Somebody is, or the database does not respond.
    """
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            others = connection.execute(_OTHERS).fetchone() or (0,)
    except psycopg.OperationalError as error:
        raise BackupError(f"The database {name} does not answer: {error}") from error
    if others[0]:
        raise BackupError(f"The database {name} is in use: stop the services first.")
