"""Mails of installations with a mail server: none is lost, whatever ends the process, and none is sent for ever."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from auth_service import MIGRATIONS
from auth_service.domain.encryption import fernet
from auth_service.domain.site.mail_outbox import DeliveryError, MailOutbox, OutboxPolicy
from auth_service.domain.site.mails import Mail
from auth_service.domain.site.ports import SiteTransactions
from auth_service.settings import AuthSettings
from auth_service.storage.site.store import PostgresSiteStore
from auth_service.storage.store import transactions
from devstack.ports import free_port
from servicekit import database
from servicekit.migration.command import migrate
from tests.clients.person import PASSWORD, Person
from tests.fakes.mail_server import mail_server
from tests.fakes.peers import TOKEN
from tests.integration.auth_service.conftest import RESOURCE, settings_of

SECRET = "a secret of tests, long enough to be taken"
LINK = "https://site.example/confirm?token=a-token-of-tests"
MAIL = Mail("ada@example.com", "Confirm your address", f"Confirm it:\n{LINK}\n")
NOW = timedelta()
QUICK = OutboxPolicy(poll=timedelta(milliseconds=10), first_pause=NOW, max_attempts=3)


@dataclass(slots=True)
class FakeServer:
    """`Delivery` that fails as often as told, and waits in each delivery for `goes_on`."""

    failures: int = 0
    is_final: bool = False
    delivered: list[Mail] = field(default_factory=list[Mail])
    attempts: list[str] = field(default_factory=list[str])
    began: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.goes_on.set()

    async def deliver(self, mail: Mail, mail_id: str) -> None:
        self.began.set()
        await self.goes_on.wait()
        self.attempts.append(mail_id)
        if len(self.attempts) <= self.failures:
            raise DeliveryError("try later", is_final=self.is_final)
        self.delivered.append(mail)


@dataclass(slots=True)
class Reports:
    """Events that operators are told."""

    events: list[str] = field(default_factory=list[str])

    def __call__(self, event: str, subject: str, error: str) -> None:
        del subject, error
        self.events.append(event)


@pytest.fixture(scope="module")
def url(fresh_database: Callable[[], str]) -> str:
    created = fresh_database()
    migrate(created, MIGRATIONS)
    return created


@pytest.fixture
async def opened(url: str) -> AsyncGenerator[SiteTransactions]:
    """Transactions on a database in which no mail waits."""
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM mail_outbox")
    engine = database.open_engine(AuthSettings.model_construct(database_url=url), "test")
    yield transactions(engine, PostgresSiteStore)
    await engine.dispose()


def rows(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT content, attempts FROM mail_outbox").fetchall()


def outbox_of(
    opened: SiteTransactions, server: FakeServer, policy: OutboxPolicy = QUICK
) -> MailOutbox:
    return MailOutbox(opened, server, fernet("mail-outbox", SECRET), Reports(), policy)


async def post(opened: SiteTransactions, outbox: MailOutbox, mail: Mail = MAIL) -> None:
    async with opened() as store:
        await outbox.post(store, mail)


async def until(condition: Callable[[], object], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - of a database, or another process
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(outbox: MailOutbox) -> AsyncGenerator[None]:
    task = asyncio.create_task(outbox.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_mail_is_deleted_once_it_was_delivered(opened: SiteTransactions, url: str) -> None:
    server = FakeServer()
    outbox = outbox_of(opened, server)
    await post(opened, outbox)
    assert len(rows(url)) == 1
    async with running(outbox):
        await until(lambda: not rows(url))
    assert server.delivered == [MAIL]


async def test_what_failed_mails_nothing(opened: SiteTransactions, url: str) -> None:
    outbox = outbox_of(opened, FakeServer())

    async def fail() -> None:
        async with opened() as store:
            await outbox.post(store, MAIL)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert not rows(url)


async def test_a_mailed_link_rests_encrypted(opened: SiteTransactions, url: str) -> None:
    await post(opened, outbox_of(opened, FakeServer()))
    ((content, _),) = rows(url)
    assert b"a-token-of-tests" not in content
    assert b"ada@example.com" not in content


async def test_a_mail_that_is_not_accepted_is_tried_again_under_the_same_id(
    opened: SiteTransactions, url: str
) -> None:
    server = FakeServer(failures=2)
    outbox = outbox_of(opened, server)
    await post(opened, outbox)
    async with running(outbox):
        await until(lambda: not rows(url))
    assert len(server.attempts) == 3
    assert len(set(server.attempts)) == len(server.delivered) == 1


async def test_a_mail_is_given_up_after_its_attempts(opened: SiteTransactions, url: str) -> None:
    server = FakeServer(failures=100)
    outbox = outbox_of(opened, server)
    await post(opened, outbox)
    async with running(outbox):
        await until(lambda: not rows(url))
    assert len(server.attempts) == QUICK.max_attempts
    assert isinstance(outbox.report, Reports)
    assert outbox.report.events == ["mail_not_sent"] * 3 + ["mail_given_up"]


async def test_a_mail_that_is_refused_for_good_is_tried_once(
    opened: SiteTransactions, url: str
) -> None:
    server = FakeServer(failures=1, is_final=True)
    outbox = outbox_of(opened, server)
    await post(opened, outbox)
    async with running(outbox):
        await until(lambda: not rows(url))
    assert (len(server.attempts), server.delivered) == (1, [])


async def test_a_mail_that_cannot_be_read_delays_no_other(
    opened: SiteTransactions, url: str
) -> None:
    server = FakeServer()
    foreign = replace(outbox_of(opened, server), cipher=fernet("mail-outbox", "of before"))
    outbox = outbox_of(opened, server)
    await post(opened, foreign)
    await post(opened, outbox)
    async with running(outbox):
        await until(lambda: not rows(url))
    assert server.delivered == [MAIL]


async def test_a_mail_whose_link_is_dead_is_not_sent(opened: SiteTransactions, url: str) -> None:
    server = FakeServer()
    outbox = outbox_of(opened, server)
    await post(opened, outbox, replace(MAIL, lifetime=timedelta(seconds=-1)))
    await post(opened, outbox, replace(MAIL, to="bob@example.com"))
    async with running(outbox):
        await until(lambda: len(rows(url)) == 1)
    assert [mail.to for mail in server.delivered] == ["bob@example.com"]


async def test_replicas_send_each_mail_once(opened: SiteTransactions, url: str) -> None:
    server = FakeServer()
    first, second = outbox_of(opened, server), outbox_of(opened, server)
    addresses = {f"p{number}@example.com" for number in range(60)}
    for address in addresses:
        await post(opened, first, replace(MAIL, to=address))
    async with running(first), running(second):
        await until(lambda: not rows(url))
    assert sorted(mail.to for mail in server.delivered) == sorted(addresses)


async def test_a_mail_that_a_process_was_sending_is_sent_by_another_after_the_lease(
    opened: SiteTransactions, url: str
) -> None:
    server = FakeServer()
    outbox = outbox_of(opened, server, replace(QUICK, lease=timedelta(seconds=1)))
    await post(opened, outbox)
    async with opened() as store:
        claimed = await store.claim_mails(8, 3, timedelta(seconds=1))  # and the process is gone
    assert len(claimed) == 1
    async with opened() as store:
        assert not await store.claim_mails(8, 3, timedelta(seconds=1))
    async with running(outbox):
        await until(lambda: not rows(url))
    assert len(server.delivered) == 1


async def test_attempts_that_ended_their_process_count(opened: SiteTransactions, url: str) -> None:
    outbox = outbox_of(opened, FakeServer())
    await post(opened, outbox)
    for attempt in range(1, 4):
        async with opened() as store:
            (claimed,) = await store.claim_mails(8, 3, NOW)
        assert claimed.attempts == attempt
    async with opened() as store:
        assert not await store.claim_mails(8, 3, NOW)
    assert len(rows(url)) == 1


async def test_a_process_that_stops_completes_what_it_is_sending(
    opened: SiteTransactions, url: str
) -> None:
    server = FakeServer()
    server.goes_on.clear()
    outbox = outbox_of(opened, server)
    await post(opened, outbox)
    task = asyncio.create_task(outbox.run())
    await asyncio.wait_for(server.began.wait(), 20)
    task.cancel()
    await asyncio.sleep(0)
    server.goes_on.set()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert len(server.delivered) == 1
    assert not rows(url)


@contextmanager
def process(settings: AuthSettings, port: int, log: Path) -> Generator[subprocess.Popen[bytes]]:
    """The service as a process, with its mail server at `port`; killed at the end when it still runs."""
    own = {
        "AUTH_DATABASE_URL": settings.database_url,
        "AUTH_VALKEY_URL": settings.valkey_url,
        "AUTH_OPERATOR_TOKEN": "operators-only",
        "AUTH_GRPC_TOKEN": TOKEN,
        "AUTH_GRPC_PORT": "0",
        "AUTH_HTTP_PORT": str(settings.http_port),
        "AUTH_TOKEN_SECRET": SECRET,
        "AUTH_SITE_URL": settings.site_url,
        "AUTH_RESOURCE_URL": RESOURCE,
        "AUTH_CLIENT_DOCUMENTS": "pinned",
        "AUTH_SMTP_HOST": "127.0.0.1",
        "AUTH_SMTP_PORT": str(port),
        "AUTH_SMTP_SECURITY": "none",
    }
    command = [sys.executable, "-m", "auth_service", "serve"]
    with log.open("ab") as output:
        started = subprocess.Popen(command, env={**os.environ, **own}, stdout=output, stderr=output)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def is_up(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/login").status_code == 200
    except httpx2.TransportError:
        return False


def waiting(url: str) -> tuple[int, int]:
    """Return how much work is deferred, and how many mails wait for another attempt."""
    with psycopg.connect(url) as connection:
        counted = connection.execute(
            "SELECT (SELECT count(*) FROM deferred_work),"
            " (SELECT count(*) FROM mail_outbox WHERE attempts > 0 AND due_at < now() + interval '30 s')"
        ).fetchone()
    assert counted is not None
    return counted


async def test_a_mail_comes_though_the_service_was_killed_before_its_delivery(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path: Path
) -> None:
    settings = settings_of(fresh_database(), valkey_url, tmp_path)
    port, log = free_port(), tmp_path / "log"
    address = f"{secrets.token_hex(6)}@example.com"
    with process(settings, port, log) as first:
        await until(lambda: is_up(settings.site_url), 120)
        async with Person(settings.site_url) as person:
            await person.visit("/signup")
            response = await person.submit("/signup", email=address, password=PASSWORD)
            assert response.status_code == 200, response.text
        await until(lambda: waiting(settings.database_url) == (0, 1))
        first.send_signal(signal.SIGKILL)
        first.wait()
    async with mail_server("none", None, port) as server:
        with process(settings, port, log):
            await until(lambda: server.mails, 120)
            await until(lambda: not rows(settings.database_url))
    (mail,) = server.mails
    assert f"{settings.site_url}/confirm?token=".encode() in mail
    assert address.encode() in mail
