"""Databases that others are connected to."""

from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final, LiteralString

import psycopg

from cli.backups.errors import BackupError

WAIT_SECONDS: Final = 15.0
"""Longer than the statement of a service goes on that was killed in the middle of it."""

_PAUSE_SECONDS: Final = 0.2

_OTHERS: Final[LiteralString] = """
    SELECT format('%s from %s (%s, %s)', name, address, state, count(*)) FROM (
        SELECT coalesce(nullif(application_name, ''), 'a program without a name') AS name,
            coalesce(host(client_addr), 'a local socket') AS address,
            coalesce(state, 'starting') AS state
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    ) AS others GROUP BY name, address, state ORDER BY 1
"""


def check_not_in_use(name: str, url: str) -> None:
    """Wait until nobody else is connected to a database.

    Connections of services that were just stopped, and those that this process has just closed, are still there for a moment.

    Raises:
        BackupError: Somebody still is after 15 s, or the database does not respond.
    """
    deadline = monotonic() + WAIT_SECONDS
    try:
        # Each statement in a transaction of its own: in a longer one Postgres shows the same connections again.
        with psycopg.connect(url, connect_timeout=5, autocommit=True) as connection:
            while (others := _others(connection)) and monotonic() < deadline:
                sleep(_PAUSE_SECONDS)
    except psycopg.OperationalError as error:
        raise BackupError(f"The database {name} does not answer: {error}") from error
    if others:
        raise BackupError(
            f"The database {name} is in use: stop the services first. Connected: {', '.join(others)}."
        )


def _others(connection: psycopg.Connection) -> Sequence[str]:
    """Return by name, address and state how many others are connected."""
    return [row[0] for row in connection.execute(_OTHERS)]
