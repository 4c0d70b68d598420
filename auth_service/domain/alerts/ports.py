"""Ports of alerts: storage, the services that events come from, and receivers."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from auth_service.domain.alerts.model import (
    AlertId,
    Attempt,
    Channel,
    Delivery,
    Event,
    NewDelivery,
    Watch,
)
from auth_service.domain.site.ports import SiteStore


@dataclass(frozen=True, slots=True)
class LoggedDelivery:
    """A delivery with its last attempts, the newest first."""

    delivery: Delivery
    attempts: Sequence[Attempt]


class AlertStore(SiteStore, Protocol):
    """A transaction on watches, channels and deliveries, and on what the site's store has."""

    async def channels(self, account_id: str) -> Sequence[Channel]:
        """Return an account's channels, oldest first."""
        ...

    async def channels_by_id(self, channel_ids: Collection[str]) -> Sequence[Channel]: ...

    async def locked_channel(self, channel_id: str) -> Channel | None:
        """Return a channel that nobody else changes until the transaction ends."""
        ...

    async def add_channel(self, channel: Channel) -> None: ...

    async def change_channel(self, channel: Channel) -> None:
        """Store name, secrets, digest, and the times of a channel anew."""
        ...

    async def delete_channel(self, account_id: str, channel_id: str) -> bool: ...

    async def watches(self, account_id: str) -> Sequence[Watch]:
        """Return an account's watches, oldest first; they stay until the transaction ends."""
        ...

    async def add_watch(self, watch: Watch) -> Watch:
        """Add a watch and return it. One of the same subject and channel gets the kinds too, and is returned instead."""
        ...

    async def delete_watch(self, account_id: str, watch_id: str) -> bool: ...

    async def watches_of(self, subjects: Collection[tuple[str, str]]) -> Sequence[Watch]:
        """Return all accounts' watches of these subjects, oldest first; they stay until the transaction ends."""
        ...

    async def accounts_watching(self, about: str) -> Sequence[str]:
        """Return the accounts that have a watch about this."""
        ...

    async def position(self, source: str) -> int | None:
        """Return how far a source of events was read; None before the first time."""
        ...

    async def advance(self, source: str, before: int | None, after: int) -> bool:
        """Store how far a source was read, and lock it; False if another process has moved on from `before`."""
        ...

    async def add_deliveries(self, deliveries: Sequence[NewDelivery]) -> None:
        """Add deliveries in their order; a watch gets an event once."""
        ...

    async def add_test(self, channel_id: str, event: Event, due_at: datetime | None) -> None:
        """Add a delivery that is of no watch: a test of the channel."""
        ...

    async def claim_deliveries(self, limit: int, lease: timedelta) -> Sequence[Delivery]:
        """Count an attempt of deliveries that are to be posted and due, and return them; due again after the lease.

        Of a watch it is the first that is pending, so that order is kept.
        """
        ...

    async def has_due(self) -> bool:
        """Return whether any delivery is due, whatever its channel."""
        ...

    async def due_mail_channel(self) -> Channel | None:
        """Lock and return a channel of mails with deliveries that are due, or None."""
        ...

    async def claim_mailed(self, channel_id: str, limit: int) -> Sequence[Delivery]:
        """Count an attempt of the channel's deliveries that are due, and return them in their order."""
        ...

    async def mark_mailed(self, deliveries: Sequence[Delivery]) -> None:
        """Mark deliveries as delivered."""
        ...

    async def record_attempt(
        self, delivery: Delivery, attempt: Attempt, due_at: datetime | None
    ) -> None:
        """Log an attempt. With `due_at` the delivery stays pending until then.

        Without it, the delivery is delivered after a success and dead after a failure.
        """
        ...

    async def end_pending(self, channel_id: str) -> None:
        """Give up what is pending for a channel."""
        ...

    async def deliveries(
        self, account_id: str, limit: int, offset: int
    ) -> Sequence[LoggedDelivery]:
        """Return an account's deliveries with their attempts, newest first, behind so many."""
        ...

    async def alerts(self, account_id: str, watch_id: str | None, limit: int) -> Sequence[Delivery]:
        """Return the alerts of an account's watches, in any state; newest first."""
        ...

    async def alert_ids(self, account_id: str, limit: int) -> Sequence[AlertId]:
        """Return the ids of the same."""
        ...

    async def feed(self, channel_id: str, limit: int) -> Sequence[Delivery]:
        """Return what was delivered to a channel, newest first."""
        ...

    async def redeliver(self, account_id: str, delivery_id: str) -> bool:
        """Have a delivery that has ended tried again from its first attempt; False if there is none."""
        ...


class AlertTransactions(Protocol):
    """Open stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[AlertStore]: ...


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events after a position, and the position after them."""

    events: Sequence[Event]
    position: int


class EventSource(Protocol):
    """A service that has events in their order."""

    async def read(self, position: int | None) -> EventBatch:
        """Return the events after a position; without one none, and the position to begin at.

        Raises:
            ServiceError: The service does not respond.
        """
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """What a watch is about, as its service knows it."""

    subject_id: str
    name: str


class Subjects(Protocol):
    """Find what a person names."""

    async def find(self, account_id: str, about: str, reference: str) -> Subject:
        """Return the brand, creator, category or import of the account that is meant.

        Raises:
            NotFound, Conflict, InvalidInput: It means nothing, or several.
            Unavailable: The service that knows it does not respond.
        """
        ...


class Receiver(Protocol):
    """Post a message to a receiver's URL."""

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Attempt:
        """Return what came of it; never fails."""
        ...

    async def check(self, url: str) -> None:
        """Refuse a URL that no message may be posted to.

        Raises:
            InvalidInput: It is not https, or leads to no public address.
        """
        ...
