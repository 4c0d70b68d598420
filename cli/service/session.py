"""The credential of calls from a terminal: an API key, else the login, renewed when it is due."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from cli.service.address import identity
from cli.service.errors import CallError, LoginError
from cli.service.http import Http
from cli.service.logins import Login, Logins

_EARLY: Final = 30
"""Seconds before its end at which a token is renewed."""

_NONE: Final = "You are not logged in to {url}: run `sponsorgraph login --url {url}`, or set SPONSORGRAPH_API_KEY."


@dataclass(frozen=True, slots=True)
class Session:
    """A person's access to one service.

    Attributes:
        url: Of the endpoint.
        api_key: Used instead of the login where it is not empty.
    """

    http: Http
    logins: Logins
    url: str
    api_key: str = ""
    clock: Callable[[], float] = time.time

    def token(self, *, refused: str = "") -> str:
        """Return the credential; `refused` is one that the service no longer takes.

        Raises:
            LoginError: There is none.
            CallError: It cannot be renewed now.
        """
        if self.api_key:
            return self.api_key
        login = self._login()
        if self._is_good(login, refused):
            return login.access_token
        with self.logins.locked():
            login = self._login()  # another process may have renewed it
            if not self._is_good(login, refused):
                login = self._renewed(login)
                self.logins.put(self._key, login)
        return login.access_token

    def end(self) -> bool:
        """Forget the login, and end it at the service (RFC 7009); return whether there was one.

        Raises:
            CallError: It is forgotten here, but the service could not be told.
        """
        login = self.logins.of(self._key)
        if login is None:
            return False
        self.logins.remove(self._key)
        token = login.refresh_token or login.access_token
        fields = {"token": token, "client_id": login.client_id}
        try:
            status, _ = self.http.post_form(login.revocation_endpoint, fields)
        except CallError as error:
            raise CallError(f"{_STILL_OPEN} {error}") from None
        if status != 200:
            raise CallError(f"{_STILL_OPEN} It answered with {status}.")
        return True

    @property
    def _key(self) -> str:
        return identity(self.url)

    def _login(self) -> Login:
        login = self.logins.of(self._key)
        if login is None:
            raise LoginError(_NONE.format(url=self.url))
        return login

    def _is_good(self, login: Login, refused: str) -> bool:
        return login.access_token != refused and self.clock() < login.expires_at - _EARLY

    def _renewed(self, login: Login) -> Login:
        status, body = self.http.post_form(
            login.token_endpoint,
            {
                "grant_type": "refresh_token",
                "refresh_token": login.refresh_token,
                "client_id": login.client_id,
            },
        )
        fields = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
        if status >= 500 or status == 429:
            raise CallError(f"The login cannot be renewed now ({status}). Try again in a minute.")
        if status != 200 or not isinstance(fields.get("access_token"), str):
            self.logins.remove(self._key)
            raise LoginError(f"Your login has ended. {_NONE.format(url=self.url)}")
        return replace(
            login,
            access_token=fields["access_token"],
            refresh_token=str(fields.get("refresh_token") or login.refresh_token),
            expires_at=self.clock() + float(fields.get("expires_in", 3600)),
        )


_STILL_OPEN: Final = "The login is forgotten here, but the service could not be told: disconnect it on the account page."
