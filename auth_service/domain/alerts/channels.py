"""The use cases of channels: set up, confirm, rotate, turn on again, unsubscribe and delete."""

from dataclasses import dataclass, replace
from hmac import compare_digest
from typing import Final
from urllib.parse import urlsplit

from auth_service.domain.addresses import normalised_email
from auth_service.domain.alerts import messages
from auth_service.domain.alerts.model import (
    CHANNEL_KINDS,
    CONFIRM_WITHIN,
    DIGESTS,
    DISCORD,
    EMAIL,
    FEED,
    MAX_CHANNELS,
    POSTED,
    SECRET_OVERLAP,
    SLACK,
    TEST,
    WEBHOOK,
    AlertNotFound,
    Channel,
    Delivery,
    Event,
    Secret,
    TooManyWatches,
)
from auth_service.domain.alerts.ports import AlertStore, AlertTransactions, Receiver
from auth_service.domain.alerts.secrets import SignedLinks, new_feed_secret, new_webhook_secret
from auth_service.domain.names import checked_name
from auth_service.domain.oauth import secrets
from auth_service.domain.ports import Clock, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.mails import Mailer
from servicekit.errors import InvalidInput

_MAX_NAME: Final = 60
_FEED_ENTRIES: Final = 100
_CONFIRMATIONS: Final = RateLimit("alert-confirmations", 10, 86_400)
_TESTS: Final = RateLimit("alert-tests", 10, 3_600)
_CONFIRMATIONS_TO: Final = RateLimit("alert-confirmations-to", 3, 86_400)
_HOSTS: Final = {
    SLACK: ("hooks.slack.com",),
    DISCORD: ("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"),
}


@dataclass(frozen=True, slots=True)
class NewChannel:
    """A channel to set up, as it was entered."""

    kind: str
    name: str
    target: str = ""
    digest: str = DIGESTS[0]


@dataclass(frozen=True, slots=True)
class Channels:
    """The use cases. Who may have channels is checked by `Watches.require_plan`."""

    transactions: AlertTransactions
    receiver: Receiver
    mailer: Mailer
    links: SignedLinks
    throttle: Throttle
    clock: Clock

    async def create(self, account_id: str, wanted: NewChannel) -> Channel:
        """Set up a channel. Its secret is shown only now; an address other than the account's has to be confirmed.

        Raises:
            InvalidInput: A field is not what it may be, or the URL leads to no public address.
            TooManyWatches: The account has as many channels as it may have.
            ResourceExhausted: Too many confirmations were sent.
        """
        channel = await self._checked(account_id, wanted)
        async with self.transactions() as store:
            await store.lock_account(account_id)
            if len(await store.channels(account_id)) >= MAX_CHANNELS:
                raise TooManyWatches(
                    f"An account has at most {MAX_CHANNELS} destinations. Delete one."
                )
            account = await store.account(account_id)
            if account is None:
                raise AlertNotFound("This account does not exist any more.")
            if channel.kind == EMAIL and channel.target != account.email:
                channel = replace(channel, confirmed_at=None)
                await self._request_confirmation(store, channel, account.email)
            await store.add_channel(channel)
        return channel

    async def _request_confirmation(self, store: AlertStore, channel: Channel, sender: str) -> None:
        """Send a mail that asks another person whether they want the alerts."""
        await _CONFIRMATIONS.check(self.throttle, channel.account_id)
        await _CONFIRMATIONS_TO.check(self.throttle, channel.target)
        link = self.links.url("confirm", channel.channel_id)
        await self.mailer.post(store, messages.confirmation_mail(channel, sender, link))

    async def own_address(self, store: AlertStore, account_id: str) -> Channel:
        """Return the account's channel of mails to its own address at once; it is made at the first use."""
        account = await store.account(account_id)
        if account is None:
            raise AlertNotFound("This account does not exist any more.")
        found = [
            channel
            for channel in await store.channels(account_id)
            if channel.mails_at_once(account.email)
        ]
        if found:  # one that is off stays so: whoever unsubscribed turns it on themselves
            return min(found, key=lambda channel: channel.disabled_at is not None)
        if "@" not in account.email:  # an organisation's
            raise InvalidInput(
                f"An organisation has no address of its own. Add a destination at {self.links.site_url}/account/alerts.",
                details={"field": "channel"},
            )
        channel = self._new(account_id, NewChannel(EMAIL, "My address", account.email))
        await store.add_channel(channel)
        return channel

    async def rotate(self, account_id: str, channel_id: str) -> Channel:
        """Give a webhook or a feed another secret; a webhook's former one signs, too, for a day."""
        async with self.transactions() as store:
            channel = await self._own(store, account_id, channel_id)
            if channel.kind == WEBHOOK:
                until = self.clock() + SECRET_OVERLAP
                former = tuple(Secret(old.value, until) for old in channel.secrets[:1])
                renewed = (Secret(new_webhook_secret()), *former)
            elif channel.kind == FEED:
                renewed = (Secret(new_feed_secret()),)
            else:
                raise InvalidInput("This destination has no secret.")
            channel = replace(channel, secrets=renewed)
            await store.change_channel(channel)
        return channel

    async def enable(self, account_id: str, channel_id: str) -> None:
        """Turn a channel on again. Whoever has unsubscribed gets a mail that asks whether they want the alerts.

        Raises:
            ResourceExhausted: Too many confirmations were sent.
        """
        async with self.transactions() as store:
            channel = await self._own(store, account_id, channel_id)
            if channel.confirmed_at is None:
                account = await store.account(account_id)
                await self._request_confirmation(
                    store, channel, account.email if account else "Somebody"
                )
            await store.change_channel(replace(channel, disabled_at=None, failing_since=None))

    async def send_test(self, account_id: str, channel_id: str) -> None:
        """Deliver a test to a channel as its alerts are, at once.

        Raises:
            InvalidInput: The channel is not on.
            TooManyAttempts: Too many tests were sent.
        """
        async with self.transactions() as store:
            channel = await self._own(store, account_id, channel_id)
            if not channel.is_open:
                raise InvalidInput("This destination is not on: nothing is sent to it.")
            await _TESTS.check(self.throttle, account_id)
            now = self.clock()
            event = Event(secrets.new_id("evt"), TEST, now, frozenset(), {"channel": channel.name})
            await store.add_test(channel_id, event, None if channel.kind == FEED else now)

    async def delete(self, account_id: str, channel_id: str) -> None:
        """Delete a channel with its watches and deliveries."""
        async with self.transactions() as store:
            if not await store.delete_channel(account_id, channel_id):
                raise _unknown()

    async def pending(self, channel_id: str, token: str) -> Channel:
        """Return the channel that a link of a mail confirms.

        Raises:
            AlertNotFound: The link is not genuine, too old, or the channel is gone.
        """
        async with self.transactions() as store:
            return await self._to_confirm(store, channel_id, token)

    async def confirm(self, channel_id: str, token: str) -> Channel:
        """Confirm an address, by whoever reads its mails."""
        async with self.transactions() as store:
            channel = await self._to_confirm(store, channel_id, token)
            channel = replace(channel, confirmed_at=channel.confirmed_at or self.clock())
            await store.change_channel(channel)
        return channel

    def check_unsubscribe(self, channel_id: str, token: str) -> None:
        """Refuse a link that is not genuine, without saying whether there is such a channel.

        Raises:
            AlertNotFound: The link is not genuine.
        """
        if not self.links.is_genuine("unsubscribe", channel_id, token):
            raise AlertNotFound(
                "This link is not valid. Open the one at the end of a mail of alerts as a whole."
            )

    async def unsubscribe(self, channel_id: str, token: str) -> None:
        """Turn a channel of mails off by the link in each of its mails; without effect if it was deleted.

        Its watches stay. An address that is not the account's own counts as not confirmed from then on, so that nobody
        but its reader can have mails sent to it again.

        Raises:
            AlertNotFound: The link is not genuine.
        """
        self.check_unsubscribe(channel_id, token)
        async with self.transactions() as store:
            channel = await store.locked_channel(channel_id)
            if channel is None or channel.disabled_at is not None:
                return
            account = await store.account(channel.account_id)
            is_own = account is not None and account.email == channel.target
            confirmed_at = channel.confirmed_at if is_own else None
            await store.change_channel(
                replace(channel, disabled_at=self.clock(), confirmed_at=confirmed_at)
            )
            await store.end_pending(channel_id)

    async def feed(self, channel_id: str, secret: str) -> tuple[Channel, list[Delivery]]:
        """Return a feed with its newest entries, to whoever has its secret.

        Raises:
            AlertNotFound: There is no such feed, or the secret is another.
        """
        async with self.transactions() as store:
            for channel in await store.channels_by_id([channel_id]):
                valid = channel.valid_secrets(self.clock()) if channel.kind == FEED else []
                if any(compare_digest(known.encode(), secret.encode()) for known in valid):
                    return channel, list(await store.feed(channel_id, _FEED_ENTRIES))
        raise _unknown()

    async def redeliver(self, account_id: str, delivery_id: str) -> None:
        """Deliver an ended delivery again, with the same id.

        Raises:
            AlertNotFound: The account has no such delivery that has ended.
        """
        async with self.transactions() as store:
            if not await store.redeliver(account_id, delivery_id):
                raise AlertNotFound("You have no such delivery that has ended.")

    async def _checked(self, account_id: str, wanted: NewChannel) -> Channel:
        if wanted.kind not in CHANNEL_KINDS:
            raise InvalidInput(f"A destination is one of {', '.join(CHANNEL_KINDS)}.")
        name = checked_name(wanted.name.strip() or wanted.kind.title(), "a destination", _MAX_NAME)
        if wanted.digest not in DIGESTS:
            raise InvalidInput(f"Mails are sent {', '.join(DIGESTS)}.")
        target = wanted.target.strip()
        if wanted.kind == EMAIL:
            target = normalised_email(target)
        elif wanted.kind in POSTED:
            await self.receiver.check(target)
            hosts = _HOSTS.get(wanted.kind)
            parts = urlsplit(target)
            if hosts and parts.scheme == "https" and parts.hostname not in hosts:
                raise InvalidInput(f"A webhook of {wanted.kind.title()} is at {hosts[0]}.")
        elif target:
            raise InvalidInput(
                "A feed has an address of its own: leave “URL or email” empty.",
                details={"field": "target"},
            )
        return self._new(account_id, NewChannel(wanted.kind, name, target, wanted.digest))

    def _new(self, account_id: str, wanted: NewChannel) -> Channel:
        made = {WEBHOOK: new_webhook_secret, FEED: new_feed_secret}.get(wanted.kind)
        now = self.clock()
        return Channel(
            secrets.new_id("chan"),
            account_id,
            wanted.kind,
            wanted.name,
            wanted.target,
            (Secret(made()),) if made else (),
            wanted.digest,
            created_at=now,
            confirmed_at=now,
        )

    async def _own(self, store: AlertStore, account_id: str, channel_id: str) -> Channel:
        channel = await store.locked_channel(channel_id)
        if channel is None or channel.account_id != account_id:
            raise _unknown()
        return channel

    async def _to_confirm(self, store: AlertStore, channel_id: str, token: str) -> Channel:
        if self.links.is_genuine("confirm", channel_id, token):
            channel = await store.locked_channel(channel_id)
            if channel is not None and self._may_be_confirmed(channel):
                return channel
        raise AlertNotFound("This link does not work, or not any more.")

    def _may_be_confirmed(self, channel: Channel) -> bool:
        is_in_time = self.clock() < channel.created_at + CONFIRM_WITHIN
        return channel.confirmed_at is not None or is_in_time


def _unknown() -> AlertNotFound:
    return AlertNotFound("There is no such destination.")
