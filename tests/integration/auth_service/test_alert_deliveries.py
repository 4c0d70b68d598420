"""Deliveries against a plain model of them, over random histories of events, receivers, crashes and time.

Several senders share the database. A sender that crashes has posted, and stores nothing of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import MIGRATIONS
from auth_service.clients.mailers import NoMailer
from auth_service.domain.alerts.model import (
    QUOTA_REACHED,
    Attempt,
    Channel,
    Event,
    NewDelivery,
    Secret,
    Watch,
)
from auth_service.domain.alerts.schedule import RetryPolicy
from auth_service.domain.alerts.secrets import SignedLinks, new_webhook_secret
from auth_service.domain.alerts.sender import Sender
from auth_service.domain.site.mails import Mail
from auth_service.storage.alerts.store import PostgresAlertStore
from auth_service.storage.store import transactions
from tests.databases import Databases

WATCHES = 3
POLICY = RetryPolicy(pauses=(100.0, 200.0), lease=timedelta(seconds=60))


class CrashError(Exception):
    """The process of a sender ends here."""


@dataclass(slots=True)
class Receiver:
    """Receives what is posted; refuses or crashes the sender as the test says."""

    received: list[str] = field(default_factory=list[str])
    statuses: list[int] = field(default_factory=list[int])
    crashes: bool = False

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Attempt:
        del url, body
        self.received.append(headers["webhook-id"])
        if self.crashes:
            raise CrashError
        status = self.statuses.pop(0) if self.statuses else 204
        return Attempt(datetime.now(UTC), status, "", "", 1)

    async def check(self, url: str) -> None:
        del url


class World:
    """A database with an account, a channel and watches."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.engine = create_async_engine(url)
        cipher = Fernet(Fernet.generate_key())
        self.opened = transactions(
            self.engine, lambda connection: PostgresAlertStore(connection, cipher)
        )
        self.receiver = Receiver()
        links = SignedLinks(b"k" * 32, "https://site.example")
        self.sender = Sender(
            self.opened,
            self.receiver,
            NoMailer(),
            links,
            lambda: datetime.now(UTC),
            POLICY,
            lambda _: None,
        )
        self.do(self._add())

    def do(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def execute(self, statement: str, **values: Any) -> list[Any]:
        async def run() -> list[Any]:
            async with self.engine.begin() as connection:
                result = await connection.execute(text(statement), values)
                return list(result.all()) if result.returns_rows else []

        return self.do(run())

    async def _add(self) -> None:
        now = datetime.now(UTC)
        async with self.engine.begin() as connection:
            await connection.execute(
                text(
                    "INSERT INTO accounts (id, email, plan_id, created_at) "
                    "VALUES ('acc_1', 'a@example.com', 'creator', now()) ON CONFLICT DO NOTHING"
                )
            )
        secrets = (Secret(new_webhook_secret()),)
        channel = Channel(
            "chan_1", "acc_1", "webhook", "W", "https://r/", secrets, "at_once", now, now
        )
        self.watches = [
            Watch(f"watch_{n}", "acc_1", "sponsor", f"sp_{n}", f"B{n}", ("x",), "chan_1", now)
            for n in range(WATCHES)
        ]
        async with self.opened() as store:
            await store.add_channel(channel)
            for watch in self.watches:
                await store.add_watch(watch)

    def close(self) -> None:
        self.execute("DELETE FROM accounts")
        self.do(self.engine.dispose())
        self.loop.close()


class Deliveries(RuleBasedStateMachine):
    """What the model says of each watch: its messages in order, and how each ended."""

    url: str

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.url)
        self.numbers = [0] * WATCHES
        self.expected: list[list[str]] = [[] for _ in range(WATCHES)]

    def teardown(self) -> None:
        self.world.close()

    @rule(watches=st.lists(st.integers(0, WATCHES - 1), min_size=1, max_size=4))
    def events_happen(self, watches: Sequence[int]) -> None:
        new: list[NewDelivery] = []
        now = datetime.now(UTC) - timedelta(seconds=1)
        for number in watches:
            event_id = f"evt_{number}_{self.numbers[number]}"
            self.numbers[number] += 1
            self.expected[number].append(event_id)
            event = Event(event_id, "x", now, frozenset(), {})
            new.append(NewDelivery(self.world.watches[number], event, now))
        self._add(new)
        self._add(new)  # found again: nothing is added twice

    def _add(self, new: list[NewDelivery]) -> None:
        async def add() -> None:
            async with self.world.opened() as store:
                await store.add_deliveries(new)

        self.world.do(add())

    @rule(statuses=st.lists(st.sampled_from([204, 500, 302]), max_size=4))
    def a_sender_works(self, statuses: list[int]) -> None:
        self.world.receiver.statuses = list(statuses)
        self.world.do(self.world.sender.step())
        self.world.receiver.statuses = []

    @rule()
    def two_senders_work_at_once(self) -> None:
        async def both() -> None:
            await asyncio.gather(self.world.sender.step(), self.world.sender.step())

        before = len(self.world.receiver.received)
        self.world.do(both())
        posted = self.world.receiver.received[before:]
        assert len(posted) == len(set(posted)), "one delivery was claimed by both"

    @rule()
    def a_sender_crashes_after_it_has_posted(self) -> None:
        self.world.receiver.crashes = True
        try:
            self.world.do(self.world.sender.step())
        except CrashError:
            pass
        finally:
            self.world.receiver.crashes = False

    @rule(seconds=st.sampled_from([30, 61, 101, 201]))
    def time_passes(self, seconds: int) -> None:
        self.world.execute(
            "UPDATE alert_deliveries SET due_at = due_at - make_interval(secs => :seconds)",
            seconds=seconds,
        )

    @rule(number=st.integers(0, WATCHES - 1))
    def somebody_delivers_a_dead_letter_again(self, number: int) -> None:
        dead = self.world.execute(
            "SELECT id FROM alert_deliveries WHERE state = 'dead' AND watch_id = :watch ORDER BY number",
            watch=f"watch_{number}",
        )
        if dead:
            self.world.do(self._redeliver(dead[0].id))

    async def _redeliver(self, delivery_id: str) -> None:
        async with self.world.opened() as store:
            assert await store.redeliver("acc_1", delivery_id)

    @invariant()
    def each_event_is_one_delivery_in_order(self) -> None:
        for number in range(WATCHES):
            rows = self._rows(number)
            assert [row.event_id for row in rows] == self.expected[number]
            assert len({row.id for row in rows}) == len(rows)

    @invariant()
    def nothing_is_posted_before_what_comes_before_it_has_ended(self) -> None:
        first = {delivery_id: n for n, delivery_id in reversed(list(enumerate(self._posted())))}
        for number in range(WATCHES):
            ids = [row.id for row in self._rows(number)]
            at = [first[delivery_id] for delivery_id in ids if delivery_id in first]
            assert at == sorted(at)
            assert [i for i in ids if i in first] == ids[: len(at)], "one was left out"

    @invariant()
    def what_was_taken_is_delivered_and_what_is_dead_had_all_its_attempts(self) -> None:
        for number in range(WATCHES):
            for row in self._rows(number):
                assert row.attempts <= len(POLICY.pauses) + 1 or row.state == "pending"
                if row.state == "dead":
                    assert row.attempts > len(POLICY.pauses)
                if row.state == "delivered":
                    assert row.id in self._posted()

    def _posted(self) -> list[str]:
        return self.world.receiver.received

    def _rows(self, number: int) -> list[Any]:
        return self.world.execute(
            "SELECT id, event_id, state, attempts FROM alert_deliveries WHERE watch_id = :watch ORDER BY number",
            watch=f"watch_{number}",
        )


def test_deliveries_keep_to_their_model(databases: Databases) -> None:
    machine: Any = type("Machine", (Deliveries,), {"url": databases.migrated(MIGRATIONS)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            phases=[Phase.generate, Phase.shrink],
        ),
    )


@dataclass(frozen=True, slots=True)
class KeepingMailer:
    """A mailer that keeps what it gets."""

    sent: list[Mail]

    async def post(self, store: object, mail: Mail) -> None:
        del store
        self.sent.append(mail)

    def check(self) -> None:
        """Do nothing: it accepts every mail."""


class BrokenMailer:
    """A mailer that fails."""

    async def post(self, store: object, mail: object) -> None:
        del store, mail
        raise CrashError


def test_a_mail_that_cannot_be_made_leaves_webhooks_alone(databases: Databases) -> None:
    world = World(databases.migrated(MIGRATIONS))
    now = datetime.now(UTC) - timedelta(seconds=1)
    mail = Channel("chan_2", "acc_1", "email", "M", "a@example.com", (), "at_once", now, now)
    watch = Watch("watch_m", "acc_1", "sponsor", "sp_0", "B0", ("x",), "chan_2", now)
    event = Event("evt_1", "x", now, frozenset(), {})

    async def add() -> None:
        async with world.opened() as store:
            await store.add_channel(mail)
            await store.add_watch(watch)
            await store.add_deliveries(
                [NewDelivery(of, event, now) for of in (watch, world.watches[0])]
            )

    world.do(add())
    reported: list[str] = []
    sender = replace(world.sender, mailer=BrokenMailer(), report=reported.append)
    assert world.do(sender.step())
    assert len(world.receiver.received) == 1
    assert reported == ["CrashError()"]
    world.close()


@pytest.mark.parametrize("channels", [("chan_m1", "chan_m2"), ("chan_m1", "chan_m1")])
def test_what_makes_no_mail_waits_while_other_alerts_are_mailed(
    databases: Databases, channels: tuple[str, str]
) -> None:
    world = World(databases.migrated(MIGRATIONS))
    now = datetime.now(UTC) - timedelta(seconds=1)
    figures = {"used": 1, "limit": 2, "month": "no month"}
    events = (
        Event("evt_1", QUOTA_REACHED, now, frozenset(), figures),
        Event("evt_2", "test", now, frozenset(), {"channel": "M"}),
    )
    sent: list[Mail] = []

    async def add() -> None:
        async with world.opened() as store:
            for channel_id in sorted(set(channels)):
                target = f"{channel_id}@example.com"
                await store.add_channel(
                    Channel(channel_id, "acc_1", "email", "M", target, (), "at_once", now, now)
                )
            for number, (channel_id, event) in enumerate(zip(channels, events, strict=True)):
                watch = Watch(
                    f"watch_m{number}",
                    "acc_1",
                    "sponsor",
                    f"sp_m{number}",
                    "",
                    ("x",),
                    channel_id,
                    now,
                )
                await store.add_watch(watch)
                await store.add_deliveries([NewDelivery(watch, event, now)])

    world.do(add())
    reported: list[str] = []
    sender = replace(world.sender, mailer=KeepingMailer(sent), report=reported.append)
    while world.do(sender.step()):
        pass
    assert [mail.to for mail in sent] == [f"{channels[1]}@example.com"]
    assert "This is a test" in sent[0].text
    assert len(reported) == 1
    waiting = world.execute(
        "SELECT event_id, attempts, due_at > now() FROM alert_deliveries WHERE state = 'pending'"
    )
    assert [tuple(row) for row in waiting] == [("evt_1", 1, True)]
    (attempt,) = world.execute("SELECT error FROM alert_attempts")
    assert attempt.error == "No mail could be made of it"
    world.close()
