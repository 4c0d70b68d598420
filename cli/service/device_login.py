"""Login of a terminal by a code that a person enters in a browser (RFC 8628)."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from cli.service.address import checked
from cli.service.discovery import AuthorizationServer
from cli.service.errors import CallError, LoginError
from cli.service.http import Http
from cli.service.logins import Login

GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
CLIENT_NAME: Final = "Sponsorgraph command line"
_SLOWER: Final = 5
"""Seconds by which the interval grows at `slow_down` (RFC 8628 section 3.5)."""

_LONGEST: Final = 3600
_REFUSALS: Final = {
    "access_denied": "The login was refused in the browser.",
    "expired_token": "Nobody entered the code in time. Run `sponsorgraph login` again.",
}


@dataclass(frozen=True, slots=True)
class Code:
    """A code that waits for its person.

    Attributes:
        entered_at: The page on which it is entered.
        complete: The page with the code filled in.
    """

    user_code: str
    entered_at: str
    complete: str
    device_code: str = field(repr=False)
    interval: float
    expires_in: float


@dataclass(frozen=True, slots=True)
class DeviceLogin:
    """The steps of a login at one authorization server.

    Attributes:
        wait: Sleeps for so many seconds.
        clock: Seconds since the epoch.
    """

    http: Http
    server: AuthorizationServer
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time

    def registered(self) -> str:
        """Return the id of this command as a client (RFC 7591); again, it is the same.

        Raises:
            LoginError: The server refuses it.
        """
        status, body = self.http.post_json(
            self.server.registration,
            {
                "client_name": CLIENT_NAME,
                "grant_types": [GRANT, "refresh_token"],
                "token_endpoint_auth_method": "none",
                "application_type": "native",
            },
        )
        return _text(_fields(status, body, (200, 201)), "client_id")

    def code(self, client_id: str, scope: str) -> Code:
        """Return a new code (section 3.2).

        Raises:
            LoginError: The server refuses it, or names no safe page.
        """
        status, body = self.http.post_form(
            self.server.device_authorization, {"client_id": client_id, "scope": scope}
        )
        fields = _fields(status, body, (200,))
        page = checked(fields.get("verification_uri"), "page for the code")
        return Code(
            user_code=_text(fields, "user_code"),
            entered_at=page,
            complete=checked(fields.get("verification_uri_complete", page), "page for the code"),
            device_code=_text(fields, "device_code"),
            interval=min(_number(fields, "interval", 5), _LONGEST),
            expires_in=min(_number(fields, "expires_in", 600), _LONGEST),
        )

    def tokens(self, client_id: str, code: Code) -> Login:
        """Wait until the person has decided, and return the login.

        Raises:
            LoginError: They refused, or the code expired.
        """
        interval = code.interval
        ends_at = self.clock() + code.expires_in
        while self.clock() < ends_at:
            self.wait(interval)
            try:
                status, body = self.http.post_form(
                    self.server.token,
                    {
                        "grant_type": GRANT,
                        "device_code": code.device_code,
                        "client_id": client_id,
                    },
                )
            except CallError:
                interval += _SLOWER  # a connection that timed out is to poll less often
                continue
            error = _error(body)
            if status == 200:
                return login_of(body, self.server, client_id, self.clock())
            if error == "slow_down":
                interval += _SLOWER
            elif error != "authorization_pending" and status < 500 and status != 429:
                raise LoginError(_REFUSALS.get(error, _refusal(status, body)))
        raise LoginError(_REFUSALS["expired_token"])


def login_of(body: object, server: AuthorizationServer, client_id: str, now: float) -> Login:
    """Return the login of a token response (RFC 6749 section 5.1).

    Raises:
        LoginError: It has no bearer token.
    """
    fields = _fields(200, body, (200,))
    if _text(fields, "token_type").lower() != "bearer":
        raise LoginError("The service gave a token that this command cannot use.")
    refresh = fields.get("refresh_token")
    return Login(
        client_id=client_id,
        access_token=_text(fields, "access_token"),
        refresh_token=refresh if isinstance(refresh, str) else "",
        expires_at=now + _number(fields, "expires_in", 3600),
        scope=str(fields.get("scope", "")),
        token_endpoint=server.token,
        revocation_endpoint=server.revocation,
    )


def _fields(status: int, body: object, expected: tuple[int, ...]) -> Mapping[str, Any]:
    if status not in expected or not isinstance(body, dict):
        raise LoginError(_refusal(status, body))
    return cast("dict[str, Any]", body)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value or not value.isprintable():
        raise LoginError(f"The service's answer has no {name}.")
    return value


def _number(fields: Mapping[str, Any], name: str, default: float) -> float:
    value = fields.get(name, default)
    return float(value) if isinstance(value, int | float) and value > 0 else default


def _error(body: object) -> str:
    error = cast("dict[str, Any]", body).get("error") if isinstance(body, dict) else None
    return error if isinstance(error, str) else ""


def _refusal(status: int, body: object) -> str:
    described = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    reason = str(described.get("error_description") or described.get("error") or status)
    return f"The service refuses the login: {''.join(filter(str.isprintable, reason))}"
