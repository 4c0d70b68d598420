"""The folder in which a stack on one machine lives: data, secrets, logs, and how to reach it."""

import fcntl
import json
import os
import secrets
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from devstack.files import private, write_atomically
from servicekit.peer_credentials import PeerCredentials

DEFAULT: Final = ".sponsorgraph"
DEMO_EMAIL: Final = "demo@sponsorgraph.local"


_LOST_SECRETS: Final = (
    "The home's data cannot be opened without the secrets that they were made with: put the saved copy of the file back. "
    "Without one, move the whole home away and restore a backup by `sponsorgraph restore`, which makes a new one."
)


class HomeError(Exception):
    """The home cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made once for a home."""

    postgres_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    valkey_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    session_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cursor_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    operator_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    token_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    grpc_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    sql_password: str = field(default_factory=lambda: secrets.token_urlsafe(24))


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a running stack as `host:port`, and the process that runs it.

    `certificates` is the folder of `devstack.certificates`, empty where nothing is encrypted.
    """

    gateway: str
    catalog_grpc: str
    auth_grpc: str
    imports_grpc: str
    postgres: str
    valkey: str
    supervisor_pid: int
    certificates: str = ""

    def database_urls(self, keys: Secrets, names: Iterable[str]) -> Mapping[str, str]:
        """Return the URLs of databases, by their names, as Postgres' superuser."""
        server = f"postgresql://postgres:{keys.postgres_password}@{self.postgres}"
        return {name: f"{server}/{name}" for name in names}

    def tls_folder(self, process: str) -> str:
        """Return the folder of the certificate of `process`, or an empty text."""
        return f"{self.certificates}/{process}" if self.certificates else ""

    def credentials(self, process: str, keys: Secrets) -> PeerCredentials:
        """Return the credentials that `process` presents to the services."""
        return PeerCredentials((keys.grpc_token,), self.tls_folder(process))


@dataclass(frozen=True, slots=True)
class Connection:
    """The data that a newcomer needs to use the stack; the content of `connection.json`."""

    mcp_url: str
    site_url: str
    api_key: str
    email: str
    password: str
    pids: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder. Only its owner can read what is in it."""

    path: Path

    def open(self) -> None:
        """Make the folder when it is missing.

        Raises:
            HomeError: It cannot be made or written to.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Postgres' own user, where there is one, has to pass through to its data.
            self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
            self.logs.mkdir(exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=self.path) as probe:
                probe.write(b"writable")
        except OSError as error:
            raise HomeError(
                f"The home {self.path} cannot be written to ({error.strerror}). Choose another "
                "with SPONSORGRAPH_HOME, or mend its permissions."
            ) from error

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the home for this process.

        Raises:
            HomeError: Another process holds it.
        """
        with open(self.path / "lock", "a+", opener=private) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "unknown"
                raise HomeError(
                    f"The home {self.path} is in use by process {holder}: a stack that runs on it, or a command that works "
                    "on its databases. It is left as it is; see `sponsorgraph status`, wait for the command's end, or choose "
                    "another home with SPONSORGRAPH_HOME."
                ) from None
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def certificates(self) -> Path:
        return self.path / "certificates"

    @property
    def mails(self) -> Path:
        return self.path / "mails"

    @property
    def _demo_account_file(self) -> Path:
        return self.path / "demo_account.json"

    @property
    def secrets_file(self) -> Path:
        return self.path / "secrets.json"

    @property
    def connection_file(self) -> Path:
        return self.path / "connection.json"

    def secrets(self) -> Secrets:
        """Return the home's secrets, made at the first call; those that a newer version adds too.

        Raises:
            HomeError: They are damaged or gone, and the home has data that cannot be opened without them.
        """
        stored = self._stored_secrets()
        known = {k: v for k, v in stored.items() if k in Secrets.__dataclass_fields__}
        complete = Secrets(**known)
        if asdict(complete) != stored:
            _write(self.secrets_file, asdict(complete))
        return complete

    def check_secrets(self) -> None:
        """Raise `HomeError` as `secrets` does, and make none."""
        self._stored_secrets()

    def _stored_secrets(self) -> dict[str, Any]:
        file = self.secrets_file
        try:
            stored = _read(file)
        except HomeError:
            if not self.has_data:
                raise
            raise HomeError(f"{file} is damaged. {_LOST_SECRETS}") from None
        if self.has_data:
            if stored is None:
                raise HomeError(f"{file} is missing. {_LOST_SECRETS}")
            if not _has_passwords(stored):
                raise HomeError(f"{file} is damaged. {_LOST_SECRETS}")
        return stored if isinstance(stored, dict) else {}

    @property
    def has_data(self) -> bool:
        """Whether the home has databases."""
        return (self.path / "postgres" / "PG_VERSION").exists()

    def addresses(self) -> Addresses | None:
        """Read the addresses of the running stack; those of an ended one may be left over."""
        stored = _read(self.path / "stack.json")
        return Addresses(**stored) if stored else None

    def write_addresses(self, addresses: Addresses) -> None:
        _write(self.path / "stack.json", asdict(addresses))

    def connection(self) -> Connection | None:
        stored = _read(self.connection_file)
        return Connection(**stored) if stored else None

    def write_connection(self, connection: Connection) -> None:
        _write(self.connection_file, asdict(connection))
        self._demo_account_file.unlink(missing_ok=True)

    def demo_account(self) -> tuple[str, str]:
        """Return the API key and the password of a demo account that was made, until the connection has them; else empty texts."""
        stored = _read(self._demo_account_file) or {}
        return stored.get("api_key", ""), stored.get("password", "")

    def write_demo_account(self, api_key: str, password: str) -> None:
        _write(self._demo_account_file, {"api_key": api_key, "password": password})

    def state(self) -> dict[str, Any]:
        """Read the state that earlier starts recorded: ports chosen, sample loaded, demo account."""
        return _read(self.path / "state.json") or {}

    def write_state(self, state: Mapping[str, Any]) -> None:
        _write(self.path / "state.json", state)


def _has_passwords(stored: object) -> bool:
    """Return whether secrets have those that the data of a home are opened with."""
    content = cast("dict[str, object]", stored) if isinstance(stored, dict) else {}
    return all(
        isinstance(content.get(name), str) and content[name]
        for name in ("postgres_password", "valkey_password")
    )


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise HomeError(f"{path} is damaged ({error}). Move it away and start again.") from error


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Replace the file at once, readable by its owner alone."""
    write_atomically(path, f"{json.dumps(content, indent=2)}\n".encode())
