"""Waiting for databases and Valkey that do not respond yet, as in the first seconds of a pod."""

import time
from typing import Final

import redis

from cli.backups.errors import BackupError
from cli.backups.locations import DatabaseLocations
from servicekit.database_wait import DatabaseUnreachableError, Report, wait_for_database
from servicekit.valkey import open_sync_client

_PAUSE_SECONDS: Final = 0.5


def wait_for(locations: DatabaseLocations, seconds: float, report: Report) -> None:
    """Return once each database and Valkey respond.

    Raises:
        BackupError: One of them did not within `seconds`.
    """

    def waiting(name: str) -> Report:
        return lambda problem: report(f"{name} does not respond yet: {problem}")

    for name, url in locations.databases.items():
        try:
            wait_for_database(url, seconds, waiting(f"The database {name}"))
        except DatabaseUnreachableError as error:
            raise BackupError(
                f"The database {name} did not respond within {seconds:g} s: {error}"
            ) from error
    if locations.valkey is not None:
        _wait_for_valkey(locations.valkey, seconds, waiting("Valkey"))


def _wait_for_valkey(url: str, seconds: float, report: Report) -> None:
    deadline = time.monotonic() + seconds
    reported = False
    while True:
        try:
            with open_sync_client(url, socket_timeout=3, socket_connect_timeout=3) as valkey:
                valkey.ping()
        except redis.RedisError as error:
            if time.monotonic() >= deadline:
                raise BackupError(
                    f"Valkey did not respond within {seconds:g} s: {error}"
                ) from error
            if not reported:
                report(str(error))
                reported = True
            time.sleep(_PAUSE_SECONDS)
        else:
            return
