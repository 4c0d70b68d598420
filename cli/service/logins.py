"""The logins of a person, by the address of the service; in a file that its owner alone can read."""

import fcntl
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, cast

from cli.service.errors import LoginError
from devstack.files import write_atomically

_PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True)
class Login:
    """Tokens of one login, and where they are renewed and ended."""

    client_id: str
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: float
    scope: str
    token_endpoint: str
    revocation_endpoint: str


@dataclass(frozen=True, slots=True)
class Logins:
    """The file of logins."""

    path: Path

    def addresses(self) -> tuple[str, ...]:
        """Return the services that there is a login for.

        Raises:
            LoginError: The file is damaged.
        """
        return tuple(self._read())

    def of(self, url: str) -> Login | None:
        """Return the login for a service.

        Raises:
            LoginError: The file is damaged.
        """
        stored: Any = self._read().get(url)
        if stored is None:
            return None
        try:
            return Login(**{item.name: stored[item.name] for item in fields(Login)})
        except (KeyError, TypeError):
            raise self._damaged() from None

    def put(self, url: str, login: Login) -> None:
        """Store the login for a service, in the place of the one before."""
        self._write({**self._read(), url: asdict(login)})

    def remove(self, url: str) -> None:
        """Forget the login for a service."""
        self._write({other: login for other, login in self._read().items() if other != url})

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the file for this process, so that two do not renew one login."""
        self._make_folder()
        with (self.path.parent / f"{self.path.name}.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _read(self) -> dict[str, Any]:
        try:
            stored = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            raise self._damaged() from None
        if not isinstance(stored, dict):
            raise self._damaged()
        return cast("dict[str, Any]", stored)

    def _write(self, logins: Mapping[str, Any]) -> None:
        self._make_folder()
        write_atomically(self.path, f"{json.dumps(logins, indent=2)}\n".encode())

    def _make_folder(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)

    def _damaged(self) -> LoginError:
        return LoginError(f"{self.path} is damaged: remove it, and run `sponsorgraph login`.")
