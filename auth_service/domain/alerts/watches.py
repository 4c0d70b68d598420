"""The use cases of watches: they are created, listed and deleted, by tools and on the site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain.account_limits import plan_of
from auth_service.domain.accounts import Account
from auth_service.domain.alerts.channels import Channels
from auth_service.domain.alerts.model import (
    SUBJECTS,
    AlertNotFound,
    AlertsNotInPlan,
    Channel,
    TooManyWatches,
    Watch,
    WatchNotFound,
)
from auth_service.domain.alerts.ports import AlertStore, AlertTransactions, Subject, Subjects
from auth_service.domain.oauth import secrets
from auth_service.domain.plans import ALERTS, Plan
from auth_service.domain.ports import Clock
from servicekit.errors import InvalidInput, NotFound

OWN_ADDRESS = "email"
"""The channel that every account has: mails to its own address."""


@dataclass(frozen=True, slots=True)
class NewWatch:
    """What a watch is wanted for.

    Attributes:
        about: One of `SUBJECTS`.
        subject: Name or id of the brand, creator, category or import; empty for every import, and the quota.
        kinds: Kinds of events; all that there are of the subject if empty.
        channel: Id of a channel, or "email".
    """

    about: str
    subject: str
    kinds: tuple[str, ...]
    channel: str


@dataclass(frozen=True, slots=True)
class CreatedWatch:
    """A watch with its channel; `is_new` is False if the account had it already."""

    watch: Watch
    channel: Channel
    is_new: bool


@dataclass(frozen=True, slots=True)
class AccountAlerts:
    """An account's watches and channels, and how many watches it may have."""

    watches: Sequence[Watch]
    channels: Sequence[Channel]
    max_watches: int


@dataclass(frozen=True, slots=True)
class Watches:
    """The use cases."""

    transactions: AlertTransactions
    subjects: Subjects
    channels: Channels
    plans: Mapping[str, Plan]
    clock: Clock
    site_url: str

    async def create(self, account_id: str, wanted: NewWatch) -> CreatedWatch:
        """Create a watch; the one that is there already if the account watches the subject by that channel.

        A channel that was turned off stays so.

        Raises:
            AlertsNotInPlan: The account's plan has no alerts.
            TooManyWatches: It has as many as its plan allows.
            InvalidInput: A field is not what it may be.
            NotFound, Conflict: The subject or the channel means nothing, or several.
            Unavailable: The service that knows the subject does not respond.
        """
        kinds = _kinds_of(wanted)
        async with self.transactions() as store:
            await self.require_plan(store, account_id)
        subject = await self._subject(account_id, wanted)
        async with self.transactions() as store:
            await store.lock_account(account_id)
            plan = await self.require_plan(store, account_id)
            channel = await self._channel(store, account_id, wanted.channel)
            watch = Watch(
                secrets.new_id("watch"),
                account_id,
                wanted.about,
                subject.subject_id,
                subject.name,
                kinds,
                channel.channel_id,
                self.clock(),
            )
            present = await store.watches(account_id)
            if len(present) >= plan.watches and not any(
                _is_same(watch, other) for other in present
            ):
                raise TooManyWatches(
                    f"The plan {plan.name} has {plan.watches} watches. Delete one, or choose another "
                    f"plan at {self.site_url}/plans."
                )
            stored = await store.add_watch(watch)
            return CreatedWatch(stored, channel, is_new=stored.watch_id == watch.watch_id)

    async def list_all(self, account_id: str) -> AccountAlerts:
        """Return what the account has; on every plan."""
        async with self.transactions() as store:
            account = await self._account(store, account_id)
            return AccountAlerts(
                await store.watches(account_id),
                await store.channels(account_id),
                self._plan(account).watches,
            )

    async def delete(self, account_id: str, watch_id: str) -> None:
        """Delete a watch with what is pending of it.

        Raises:
            WatchNotFound: The account has no such watch.
        """
        async with self.transactions() as store:
            if not await store.delete_watch(account_id, watch_id):
                raise WatchNotFound

    async def require_plan(self, store: AlertStore, account_id: str) -> Plan:
        """Return the account's plan.

        Raises:
            AlertsNotInPlan: It has no alerts.
        """
        plan = self._plan(await self._account(store, account_id))
        if not (plan.has(ALERTS) and plan.watches):
            raise AlertsNotInPlan(
                f"The plan {plan.name} has no alerts. The plan Creator has: {self.site_url}/plans."
            )
        return plan

    def _plan(self, account: Account) -> Plan:
        return plan_of(account, self.plans, self.clock())

    async def _account(self, store: AlertStore, account_id: str) -> Account:
        account = await store.account(account_id)
        if account is None:
            raise NotFound("This account does not exist any more.")
        return account

    async def _subject(self, account_id: str, wanted: NewWatch) -> Subject:
        if wanted.subject and wanted.about in _WITHOUT_SUBJECT:
            raise InvalidInput(
                f"A watch on {_WITHOUT_SUBJECT[wanted.about]} takes no `subject`: leave it empty.",
                details={"field": "subject"},
            )
        if wanted.about == "quota":
            return Subject("", "Requests of the month")
        if wanted.about == "import" and not wanted.subject:
            return Subject("", "All imports")
        if wanted.about == "report":
            return Subject("", "Own reports")
        if not wanted.subject:
            raise InvalidInput(
                f"`subject` is empty: give the {_WORDS.get(wanted.about, wanted.about)} to watch.",
                details={"field": "subject"},
            )
        return await self.subjects.find(account_id, wanted.about, wanted.subject)

    async def _channel(self, store: AlertStore, account_id: str, channel_id: str) -> Channel:
        if channel_id == OWN_ADDRESS:
            return await self.channels.own_address(store, account_id)
        for channel in await store.channels(account_id):
            if channel.channel_id == channel_id:
                return channel
        raise AlertNotFound(
            f'You have no such channel. Give "{OWN_ADDRESS}" for mails to your own address, or add a '
            f"destination at {self.site_url}/account/alerts.",
            details={"field": "channel"},
        )


_WITHOUT_SUBJECT: Final = {"quota": "the requests of the month", "report": "your reports"}
_WORDS: Final = {"sponsor": "brand", "youtuber": "creator"}
"""What people call the subjects that have another name in tools."""


def _kinds_of(wanted: NewWatch) -> tuple[str, ...]:
    if wanted.about not in SUBJECTS:
        raise InvalidInput(f"`about` is one of {', '.join(SUBJECTS)}.", details={"field": "about"})
    possible = SUBJECTS[wanted.about]
    unknown = sorted(set(wanted.kinds) - set(possible))
    if unknown:
        raise InvalidInput(
            f"A watch about {wanted.about} has no event {unknown[0][:50]}. It has {', '.join(possible)}.",
            details={"field": "kinds"},
        )
    return tuple(kind for kind in possible if not wanted.kinds or kind in wanted.kinds)


def _is_same(watch: Watch, other: Watch) -> bool:
    return (watch.about, watch.subject_id, watch.channel_id) == (
        other.about,
        other.subject_id,
        other.channel_id,
    )
