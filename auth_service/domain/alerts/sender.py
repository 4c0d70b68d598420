"""Delivers what is due: posts it to receivers, and puts it into mails.

A delivery is claimed for some time before it is posted, and its attempt is counted then. Whenever the
process ends, either what came of the attempt is stored, or the delivery is tried again: with the same
id, by which receivers know it. What is mailed is marked by the transaction that stores the mail; what no mail
can be made of waits as what a receiver refused.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from auth_service.domain.alerts import messages
from auth_service.domain.alerts.model import Attempt, Channel, Delivery
from auth_service.domain.alerts.ports import AlertStore, AlertTransactions, Receiver
from auth_service.domain.alerts.schedule import RetryPolicy
from auth_service.domain.alerts.secrets import SignedLinks
from auth_service.domain.ports import Clock
from auth_service.domain.site.mails import Mailer

_BATCH: Final = 16
_MAX_IN_MAIL: Final = 100


@dataclass(frozen=True, slots=True)
class Sender:
    """Delivers what is due. `run` has to be running."""

    transactions: AlertTransactions
    receiver: Receiver
    mailer: Mailer
    links: SignedLinks
    clock: Clock
    policy: RetryPolicy
    report: Callable[[str], None]

    async def run(self, seconds: float) -> None:
        """Deliver until cancelled; wait so long where nothing is due. Attempts under way are completed first."""
        while True:
            step = asyncio.ensure_future(self.step())
            try:
                has_sent = await asyncio.shield(step)
            except asyncio.CancelledError:
                await asyncio.gather(step, return_exceptions=True)  # else they would be repeated
                raise
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one, others are sent
                self.report(repr(error))
                has_sent = False
            if not has_sent:
                await asyncio.sleep(seconds)

    async def step(self) -> bool:
        """Deliver some of what is due; return whether there was any."""
        async with self.transactions() as store:
            if not await store.has_due():  # nearly always, and the statements below lock rows
                return False
        has_mailed = False
        try:
            has_mailed = await self._mail()
        except Exception as error:  # noqa: BLE001 - what is wrong with a mail leaves the posts alone
            self.report(repr(error))
        async with self.transactions() as store:
            claimed = await store.claim_deliveries(_BATCH, self.policy.lease)
            ids = {delivery.channel_id for delivery in claimed}
            channels = {found.channel_id: found for found in await store.channels_by_id(ids)}
        posts = (self._post(channels[item.channel_id], item) for item in claimed)
        outcomes = await asyncio.gather(*posts, return_exceptions=True)
        failures = [outcome for outcome in outcomes if outcome is not None]
        for further in failures[1:]:
            self.report(repr(further))
        if failures:
            raise failures[0]
        return bool(claimed) or has_mailed

    async def _mail(self) -> bool:
        """Put what is due for one address into a mail."""
        async with self.transactions() as store:
            channel = await store.due_mail_channel()
            if channel is None:
                return False
            due = await store.claim_mailed(channel.channel_id, _MAX_IN_MAIL)
            url = self.links.url("unsubscribe", channel.channel_id)
            writable = [delivery for delivery in due if self._is_writable(delivery)]
            if writable:
                mail = messages.mail_of(channel, writable, url, self.links.site_url)
                await self.mailer.post(store, mail)
                await store.mark_mailed(writable)
            await self._postpone(store, [item for item in due if item not in writable])
        return True

    def _is_writable(self, delivery: Delivery) -> bool:
        """Return whether there are words for what a mail is to say; report it where there are none."""
        try:
            messages.sentence(delivery)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, others are mailed
            self.report(repr(error))
            return False
        return True

    async def _postpone(self, store: AlertStore, unwritable: Sequence[Delivery]) -> None:
        """Have deliveries that no mail can be made of tried again by the policy."""
        attempt = Attempt(self.clock(), None, "", "No mail could be made of it", 0)
        for delivery in unwritable:
            pause = self.policy.pause_after(delivery.attempts)
            due_at = None if pause is None else attempt.at + pause
            await store.record_attempt(delivery, attempt, due_at)

    async def _post(self, channel: Channel, delivery: Delivery) -> None:
        now = self.clock()
        request = messages.request_to(channel, delivery, now)
        attempt = await self.receiver.post(channel.target, request.headers, request.body)
        async with self.transactions() as store:
            if attempt.is_success:
                await store.record_attempt(delivery, attempt, None)
                if channel.failing_since is not None:
                    await self._mark(store, channel.channel_id, attempt)
                return
            pause = self.policy.pause_after(delivery.attempts)
            due_at = None if pause is None else attempt.at + pause
            await store.record_attempt(delivery, attempt, due_at)
            await self._mark(store, channel.channel_id, attempt)

    async def _mark(self, store: AlertStore, channel_id: str, attempt: Attempt) -> None:
        """Store since when a channel fails; disable one that does for days, or wants no more."""
        channel = await store.locked_channel(channel_id)
        if channel is None:
            return
        if attempt.is_success:
            await store.change_channel(replace(channel, failing_since=None))
            return
        since = channel.failing_since or attempt.at
        is_over = self.policy.is_given_up(since, attempt.at) or attempt.ends_channel
        disabled_at = attempt.at if is_over else channel.disabled_at
        await store.change_channel(replace(channel, failing_since=since, disabled_at=disabled_at))
        if is_over and channel.disabled_at is None:
            await store.end_pending(channel_id)
            await self._notify(store, channel)

    async def _notify(self, store: AlertStore, channel: Channel) -> None:
        account = await store.account(channel.account_id)
        if account is not None:
            mail = messages.disabled_mail(account.email, channel, self.links.site_url)
            await self.mailer.post(store, mail)
