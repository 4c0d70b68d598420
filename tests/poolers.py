"""PgBouncer before a test's Postgres, as `deploy/engines/pgbouncer.ini` has it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import psycopg
import pytest

from devstack.engines import Postgres
from devstack.ports import HOST, free_port
from servicekit.migration import role_parameters
from servicekit.settings import DatabaseSettings

REFERENCE: Final = Path(__file__).parents[1] / "deploy" / "engines" / "pgbouncer.ini"
BUILT: Final = Path(__file__).parents[1] / ".venv-pgbouncer" / "pgbouncer"
"""What `make pgbouncer` builds."""

UNPACKED: Final = BUILT.parent / "distribution" / "usr" / "sbin" / "pgbouncer"
"""That of the machine's own distribution."""

NEEDED: Final = (1, 21)
THROUGH: Final = "SPONSORGRAPH_TEST_PGBOUNCER"
"""The variable by which tests of services run through PgBouncer."""

_START_SECONDS: Final = 20.0
S = TypeVar("S", bound=DatabaseSettings)


def _version(program: str) -> tuple[int, int]:
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"PgBouncer (\d+)\.(\d+)", text.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _programs() -> list[tuple[tuple[int, int], str]]:
    """Return each PgBouncer of this machine with its version, the newest first."""
    paths = [str(BUILT), str(UNPACKED), shutil.which("pgbouncer")]
    there = {path for path in paths if path and Path(path).exists()}
    return sorted(((_version(path), path) for path in there), reverse=True)


_FOUND: Final = _programs()
NEW: Final = next((path for version, path in _FOUND if version >= NEEDED), "")
OLD: Final = next((path for version, path in _FOUND if (0, 0) < version < NEEDED), "")

needs_new = pytest.mark.skipif(
    not NEW,
    reason=f"needs PgBouncer 1.21 or newer, and there is {_FOUND[0][0] if _FOUND else 'none'}: make pgbouncer",
)
needs_old = pytest.mark.skipif(
    not OLD, reason="needs a PgBouncer before 1.21, which Debian 12 has: make pgbouncer"
)


@dataclass(frozen=True, slots=True)
class PgBouncer:
    """A pooler that runs."""

    server: Postgres
    port: int

    def url(self, url: str) -> str:
        """Return the URL of the server with the pooler in its place."""
        return url.replace(f"@{HOST}:{self.server.port}/", f"@{HOST}:{self.port}/")

    def console(self, command: str) -> list[tuple[Any, ...]]:
        """Run a command of the administrators' console."""
        url = self.url(self.server.url("pgbouncer"))
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = psycopg.ClientCursor(connection)
            cursor.execute(command.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def pgbouncer(server: Postgres, program: str = NEW, **changes: str) -> Generator[PgBouncer]:
    """PgBouncer with the reference file before a server, with some settings changed."""
    port = free_port()
    # Not in pytest's folder, which another user cannot read; PgBouncer does not run as root.
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-pgbouncer-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        users = folder / "userlist.txt"
        users.write_text(f'"postgres" "{server.password}"\n', encoding="utf-8")
        path = folder / "pgbouncer.ini"
        path.write_text(_configuration(program, server, port, users, changes), encoding="utf-8")
        command = [program, *(["-u", "nobody"] if os.geteuid() == 0 else []), str(path)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait(process, port, folder / "log")
            yield PgBouncer(server, port)
        finally:
            process.kill()
            process.wait()


def _configuration(
    program: str, server: Postgres, port: int, users: Path, changes: dict[str, str]
) -> str:
    text = REFERENCE.read_text(encoding="utf-8")
    changed = {
        "listen_addr": HOST,
        "listen_port": str(port),
        "auth_file": str(users),
        "admin_users": "postgres",
        **changes,
    }
    for key, value in changed.items():
        text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
        if not count:
            text += f"{key} = {value}\n"
    address = "host=POSTGRES_HOST port=5432"
    assert address in text
    # The roles of tests come and go: the server itself is asked for their secrets.
    text = text.replace(address, f"host={HOST} port={server.port} auth_user=postgres")
    if _version(program) < NEEDED:
        text = re.sub(r"^max_prepared_statements = .*$", "", text, flags=re.MULTILINE)
    return f"{text}unix_socket_dir =\n"


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError(f"PgBouncer did not start:\n{log.read_text(encoding='utf-8')}")


def behind(pooler: PgBouncer, settings: S) -> S:
    """Return a service's settings with the pooler before its database, whose role gets its parameters."""
    direct = settings.database_url
    pooled = settings.model_copy(
        update={"database_url": pooler.url(direct), "database_direct_url": direct}
    )
    role_parameters.write(pooled)
    return pooled


_running: list[PgBouncer] = []


@contextmanager
def before_tests(server: Postgres) -> Generator[None]:
    """PgBouncer before the databases of the tests of services, where the variable wants it."""
    if not os.environ.get(THROUGH):
        yield
        return
    assert NEW, "PgBouncer 1.21 or newer is missing: make pgbouncer"
    with pgbouncer(server) as running:
        _running.append(running)
        try:
            yield
        finally:
            _running.clear()


def through(settings: S) -> S:
    """Return a service's settings as they are, or with the pooler of `before_tests`."""
    return behind(_running[0], settings) if _running else settings
