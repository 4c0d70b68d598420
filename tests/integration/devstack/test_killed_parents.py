"""Engines whose parent was killed: they end, and none of them ever runs without its settings."""

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from typer.testing import CliRunner

from cli.app import cli
from devstack import engines
from devstack.engines import EngineError, Postgres, Valkey
from devstack.home import Home
from devstack.ports import HOST, free_port, listens
from devstack.postmaster import running_server
from tests.integration.devstack.processes import ended, wait_until

_SECONDS = 60.0
_PASSWORD = "of-the-engine"

_STARTS_POSTGRES = """
import sys
from pathlib import Path
from devstack.engines import Postgres
folder = Path(sys.argv[1])
Postgres(folder / "postgres", int(sys.argv[2]), sys.argv[3], {"fsync": "off"}, folder / "log").start()
print("started", flush=True)
sys.stdin.read()
"""

_DIES_AS_VALKEY_STARTS = """
import os, signal, subprocess, sys
from pathlib import Path
from devstack import engines

class Killed(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        print(self.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

subprocess.Popen = Killed
# As on a system whose processes do not end with their parents.
engines.launch_command = lambda command, *_: list(command)
folder = Path(sys.argv[1])
engines.Valkey(int(sys.argv[2]), sys.argv[3], folder / "log", folder / "valkey").launch()
"""


@contextmanager
def ended_at_last(pid: int) -> Generator[None]:
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(pid).kill()
        wait_until(lambda: ended(pid))


@pytest.fixture
def server(tmp_path: Path) -> Postgres:
    """A server that is not started; its user, which is not root, can enter its folder."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o711)
    return Postgres(
        tmp_path / "postgres", free_port(), _PASSWORD, {"fsync": "off"}, tmp_path / "log"
    )


@contextmanager
def parent_of(server: Postgres) -> Generator[tuple[subprocess.Popen[str], int]]:
    """A process that has started the server, and the server's id."""
    arguments = (str(server.data.parent), str(server.port), server.password)
    process = subprocess.Popen(
        [sys.executable, "-c", _STARTS_POSTGRES, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        pid = running_server(server.data)
        assert pid is not None
        with ended_at_last(pid):
            yield process, pid
    finally:
        process.kill()
        process.communicate()


def test_postgres_ends_with_its_parent_though_somebody_is_connected(server: Postgres) -> None:
    with parent_of(server) as (parent, pid), closing(psycopg.connect(server.url())):
        parent.kill()
        wait_until(lambda: ended(pid))
    assert not (server.data / "postmaster.pid").exists()


def test_a_start_waits_for_the_end_of_an_earlier_server(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[int | None]()

    def find(data: Path) -> int | None:
        if len(found) == 2:
            client.close()
        found.append(running_server(data))
        return found[-1]

    monkeypatch.setattr(engines, "running_server", find)
    with parent_of(server) as (_, pid), closing(psycopg.connect(server.url())) as client:
        psutil.Process(pid).send_signal(signal.SIGTERM)
        try:
            server.start()
            assert ended(pid)
            assert found[:2] == [pid, pid]
            assert server.accepts_connections()
        finally:
            server.stop()


def test_an_earlier_server_that_does_not_end_is_named_and_left_alone(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_EARLIER_SECONDS", 0.2)
    with parent_of(server) as (_, pid), closing(psycopg.connect(server.url())) as client:
        with pytest.raises(EngineError, match=rf"process {pid}\).* `kill -INT {pid}`"):
            server.start()
        assert server.process is None
        assert client.execute("SELECT 1").fetchone() == (1,)


def test_doctor_names_a_server_that_runs_without_its_stack(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(server.data.parent)
    for name, value in (("HOME", str(home.path)), ("PORT", "0"), ("SITE_PORT", "0")):
        monkeypatch.setenv(f"SPONSORGRAPH_{name}", value)
    with parent_of(server) as (_, pid):
        result = CliRunner().invoke(cli, ["doctor"])
    assert result.exit_code == 1
    assert f"Postgres runs without its stack (process {pid})" in result.output
    assert f"`kill -INT {pid}`" in result.output
    assert "Postgres" not in CliRunner().invoke(cli, ["doctor"]).output


def test_valkey_has_all_of_its_settings_though_its_parent_is_killed_as_it_starts(
    tmp_path: Path,
) -> None:
    valkey = Valkey(free_port(), _PASSWORD, tmp_path / "log", tmp_path / "valkey")
    arguments = (str(tmp_path), str(valkey.port), valkey.password)
    killed = subprocess.run(
        [sys.executable, "-c", _DIES_AS_VALKEY_STARTS, *arguments],
        stdout=subprocess.PIPE,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    pid = int(killed.stdout)
    with ended_at_last(pid):
        wait_until(lambda: listens(valkey.port))
        wait_until(valkey.accepts_connections)
        addresses = {item.laddr for item in psutil.Process(pid).net_connections()}
        assert {(address.ip, address.port) for address in addresses if address} == {
            (HOST, valkey.port)
        }
        assert _PASSWORD not in " ".join(psutil.Process(pid).cmdline())
        assert Path(psutil.Process(pid).cwd()) == tmp_path / "valkey"
