"""No response time before login reveals whether an address has an account.

The same comparison detects a planted delay of five milliseconds in the same run.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest
from argon2 import PasswordHasher

from auth_service import app
from auth_service.domain.passwords import Passwords
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site import limited_mailer, login_attempts
from auth_service.domain.site.sessions import form_token
from auth_service.settings import AuthSettings
from auth_service.wiring import resources
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from tests.attack.timing import Stopwatch, is_distinguishable, sampled
from tests.integration.auth_service.conftest import (
    Service,
    auth_settings,
    running,
    somewhere_else,
)

__all__ = ["auth_settings"]

PLANTED: Final = 0.005
_RUNS: Final = 3
"""A difference shows in each run; what a busy machine feigns, in hardly two of them."""
BROWSER: Final = secrets.token_urlsafe(32)


class QuickPasswords(Passwords):
    """Hash passwords in no more time than the planted delay, as longer hashes add noise."""

    def __init__(self) -> None:
        super().__init__()
        self._hasher = PasswordHasher(time_cost=1, memory_cost=8_192, parallelism=1)
        self._dummy_hash = self._hasher.hash("no account has this password")


@dataclass(frozen=True, slots=True)
class Measured:
    """A service whose site is called in process and timed."""

    service: Service
    stopwatch: Stopwatch

    def sending(self, path: str, email: Callable[[], str], planted: float) -> Any:
        """Return a function that submits a form from a new network and returns the seconds taken."""

        async def send() -> float:
            transport = httpx2.ASGITransport(self.stopwatch, client=(somewhere_else(), 1))
            fields = {
                "csrf": form_token(BROWSER),
                "email": email(),
                "password": "a bad guess of it",
            }
            self.stopwatch.seconds_planted = planted
            http = httpx2.AsyncClient(
                transport=transport, base_url=self.service.url, cookies={"form": BROWSER}
            )
            async with http:
                response = await http.post(path, data=fields)
            assert response.status_code in (200, 401), response.text
            return self.stopwatch.took

        return send


@pytest.fixture
async def measured(
    auth_settings: AuthSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Measured]:
    made: list[Stopwatch] = []
    http_app = app.http_app

    def under_a_stopwatch(*arguments: Any) -> Any:
        made.append(Stopwatch(http_app(*arguments)))
        return made[0]

    monkeypatch.setattr(app, "http_app", under_a_stopwatch)
    monkeypatch.setattr(resources, "Passwords", QuickPasswords)
    # Or mails to the known address, and logins there, would end before enough of them were measured.
    for mails in ("_MAX_RESETS", "_MAX_CONFIRMATIONS"):
        monkeypatch.setattr(limited_mailer, mails, 1_000_000)
    words = RateLimit("measured-words", 1_000_000, 3_600)
    monkeypatch.setattr(limited_mailer, "_WORD_OF_AN_ACCOUNT", words)
    guesses = RateLimit("guess-all", 1_000_000, 3_600)
    monkeypatch.setattr(login_attempts, "_GUESSES_OF_ALL", guesses)
    port = free_port()
    changes = {"http_port": port, "site_url": f"http://127.0.0.1:{port}"}
    async with running(auth_settings.model_copy(update=changes)) as service:
        yield Measured(service, made[0])


def unknown() -> str:
    return f"{secrets.token_hex(6)}@example.com"


async def compared(measured: Measured, path: str, known: str) -> None:
    """Compare the times for a known address with those for unknown ones."""
    work: dict[str, Callable[[], Awaitable[float]]] = {
        "unknown": measured.sending(path, unknown, 0),
        "known": measured.sending(path, lambda: known, 0),
        "unknown and planted": measured.sending(path, unknown, PLANTED),
        "known and planted": measured.sending(path, lambda: known, PLANTED),
    }
    await work["unknown"]()
    for _ in range(_RUNS):
        times = await sampled(work)
        base, planted = times["unknown"], times["unknown and planted"]
        sees = is_distinguishable(times["known and planted"], base, planted)
        if sees and not is_distinguishable(times["known"], base, planted):
            return
    pytest.fail("the answers can be told apart, or the comparison is blind")


@pytest.mark.parametrize("path", ["/login", "/signup", "/forgot"])
@pytest.mark.timeout(300)
async def test_the_time_of_a_response_reveals_no_account(measured: Measured, path: str) -> None:
    await compared(measured, path, await measured.service.account())


@pytest.mark.timeout(300)
async def test_the_time_of_a_login_reveals_no_disabled_account(measured: Measured) -> None:
    service = measured.service
    email = await service.account()
    await service.operate(
        service.operations.SetDisabled, pb.SetDisabledRequest(email=email, disabled=True)
    )
    await compared(measured, "/login", email)
