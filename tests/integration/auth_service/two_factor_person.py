"""A person with an authenticator app, at a service whose clock the test moves."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
from pyotp.totp import TOTP

from devstack.ports import free_port
from tests.clients.person import PASSWORD, Person
from tests.integration.auth_service.conftest import Service, running, settings_of

_SECRET = re.compile(r'id="totp-secret">([A-Z2-7 ]+)<')
_CODES = re.compile(r"\b(?:[0-9a-z]{4}-){3}[0-9a-z]{4}\b")


class MovedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@dataclass(frozen=True, slots=True)
class App:
    """An authenticator app with one account."""

    secret: str
    clock: MovedClock

    def code(self) -> str:
        """Return the code of this time step."""
        return TOTP(self.secret).at(self.clock())

    def next_code(self) -> str:
        """Return a code that was not shown before."""
        self.clock.move(seconds=30)
        return self.code()


@dataclass(frozen=True, slots=True)
class Phone:
    """An app and the recovery codes of the account."""

    app: App
    recovery_codes: tuple[str, ...]


async def set_up(person: Person, clock: MovedClock) -> App:
    """Go to the page of the QR code."""
    await person.visit("/account/two-factor")
    page = await person.submit("/account/two-factor/setup", password=PASSWORD)
    found = _SECRET.search(page.text)
    assert found, page.text
    return App(found.group(1).replace(" ", ""), clock)


async def enable(person: Person, clock: MovedClock) -> Phone:
    """Turn two-factor authentication on."""
    app = await set_up(person, clock)
    page = await person.submit("/account/two-factor/confirm", code=app.code())
    assert page.status_code == 200, page.text
    return Phone(app, codes_in(page))


def codes_in(page: httpx2.Response) -> tuple[str, ...]:
    """Return the recovery codes that a page shows."""
    return tuple(_CODES.findall(page.text))


@dataclass(frozen=True, slots=True)
class Timed:
    """A service, its clock, and the URL of another replica of it."""

    service: Service
    clock: MovedClock
    replica_url: str


@asynccontextmanager
async def timed_service(
    database_url: str, valkey_url: str, mails: Path, **changes: object
) -> AsyncGenerator[Timed]:
    """Run two replicas whose clock the test moves."""
    settings, clock = settings_of(database_url, valkey_url, mails), MovedClock()
    settings = settings.model_copy(update=changes)
    other = settings.model_copy(update={"http_port": free_port()})
    async with running(settings, clock) as service, running(other, clock):
        yield Timed(service, clock, f"http://127.0.0.1:{other.http_port}")
