"""A primary of Postgres and standbys that follow it without confirming, each of which can be made to lag."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from devstack.engines import Postgres, program
from devstack.ports import HOST, free_port

PASSWORD: Final = "replicated"
_FAST: Final = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB"}


@dataclass(frozen=True, slots=True)
class Replicated:
    """The servers."""

    primary: Postgres
    standbys: tuple[Postgres, ...]

    def read_url(self, database: str) -> str:
        """All standbys."""
        hosts = ",".join(HOST for _ in self.standbys)
        ports = ",".join(str(standby.port) for standby in self.standbys)
        return f"postgresql://postgres:{PASSWORD}@/{database}?host={hosts}&port={ports}"


def pause(standby: Postgres) -> None:
    """Make it replay nothing; what it has got already it goes on to answer."""
    _execute(standby, "SELECT pg_wal_replay_pause()")


def resume(standby: Postgres) -> None:
    _execute(standby, "SELECT pg_wal_replay_resume()")


@contextmanager
def replicated(folder: Path, standbys: int = 1) -> Generator[Replicated]:
    """Start a primary and so many standbys."""
    primary = Postgres(folder / "primary", free_port(), PASSWORD, _FAST, folder / "primary.log")
    with ExitStack() as stack:
        primary.start()
        stack.callback(primary.stop)
        found: list[Postgres] = []
        for number in range(standbys):
            name = f"standby-{number}"
            standby = Postgres(folder / name, free_port(), PASSWORD, _FAST, folder / f"{name}.log")
            _copy(primary, standby)
            standby.start()
            stack.callback(standby.stop)
            found.append(standby)
        yield Replicated(primary, tuple(found))


def _copy(primary: Postgres, standby: Postgres) -> None:
    command = [program("pg_basebackup"), "-D", str(standby.data), "-d", primary.url(), "-R", "-c", "fast"]  # fmt: skip
    copied = subprocess.run(command, capture_output=True, check=False)
    assert copied.returncode == 0, copied.stderr
    owner = primary.data.stat()
    for path in (standby.data, *standby.data.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)


def _execute(server: Postgres, statement: str) -> None:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(statement.encode())
