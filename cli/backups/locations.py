"""The locations of an installation's databases."""

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg


@dataclass(frozen=True, slots=True)
class DatabaseLocations:
    """URLs by database, and that of Valkey; without one its part is left out."""

    databases: Mapping[str, str]
    valkey: str | None


def server_major(connection: psycopg.Connection) -> int:
    return connection.info.server_version // 10_000
