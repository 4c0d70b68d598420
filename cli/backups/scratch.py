"""Databases that a backup is restored into only to see that it can be, and that are gone after it."""

import secrets
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from cli.backups.errors import BackupError
from devstack.engines import Postgres
from devstack.ports import free_port

_SETTINGS: Final = {
    # Its data are gone after it: nothing has to outlive a crash.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    # It shares a container of 512 MB with the command.
    "max_connections": "20",
    "shared_buffers": "64MB",
    "maintenance_work_mem": "64MB",
    "max_parallel_maintenance_workers": "0",
    "max_parallel_workers_per_gather": "0",
}


@contextmanager
def scratch_databases(server: str | None, names: Iterable[str]) -> Generator[dict[str, str]]:
    """Give the URL of a new empty database for each name; they are dropped at the end of the block.

    Args:
        server: The URL of a server whose role may create databases; None starts one for this, below the
            folder for temporary files.
        names: What the databases are for.

    Raises:
        BackupError: The server does not respond, or its role may not create databases.
    """
    if server is not None:
        with _databases(server, names) as urls:
            yield urls
        return
    with _own_server() as url, _databases(url, names) as urls:
        yield urls


@contextmanager
def _own_server() -> Generator[str]:
    with tempfile.TemporaryDirectory(prefix=".sponsorgraph-") as temporary:
        folder = Path(temporary)
        password = secrets.token_hex(16)
        postgres = Postgres(folder / "data", free_port(), password, _SETTINGS, folder / "log")
        try:
            postgres.start()
            yield postgres.url()
        finally:
            postgres.stop()


@contextmanager
def _databases(server: str, names: Iterable[str]) -> Generator[dict[str, str]]:
    prefix = f"sponsorgraph_check_{secrets.token_hex(6)}"
    made = {name: f"{prefix}_{name}" for name in names}
    try:
        with psycopg.connect(server, connect_timeout=5, autocommit=True) as connection:
            try:
                for database in made.values():
                    # The other template may have an administrator's tables.
                    create = sql.SQL("CREATE DATABASE {} TEMPLATE template0")
                    connection.execute(create.format(sql.Identifier(database)))
                yield {name: _url(server, database) for name, database in made.items()}
            finally:
                _drop(server, made.values())
    except psycopg.Error as error:
        raise BackupError(f"The server for the check: {error}") from error


def _drop(server: str, databases: Iterable[str]) -> None:
    # By a connection of its own: that of before may have been idle for hours.
    with psycopg.connect(server, connect_timeout=5, autocommit=True) as connection:
        for database in databases:
            drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(database)))


def _url(server: str, database: str) -> str:
    return urlsplit(server)._replace(path=f"/{database}").geturl()
