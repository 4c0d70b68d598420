"""How many channels accounts follow at the import worker, which knows no plans.

An account whose plan has no imports, or that is disabled, follows none: its channels are paused there until it comes back. A
deleted account's are removed. The worker is told when an account changes; a comparison of all of them repairs what was missed.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from auth_service.domain.account_limits import plan_of
from auth_service.domain.accounts import Account
from auth_service.domain.plans import CHANNEL_IMPORT, Plan
from auth_service.domain.ports import Clock, RevocationPublisher, Transactions
from servicekit.errors import ServiceError
from shapes.imports import Follower

OPERATOR: Final = "operator"
"""Account of the imports that operators start at a terminal; it has no plan."""

_CHANGES: Final = frozenset(
    {"plan_changed", "account_disabled", "account_enabled", "account_deleted"}
)
_BATCH: Final = 500


class FollowLimitWorker(Protocol):
    """The port of the import worker; errors are those of its service."""

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        """Return accounts that follow channels, by id, from the one behind `after`."""
        ...

    async def set_limit(self, account_id: str, max_followed: int) -> None:
        """Pause what the account follows beyond a limit, and resume what is within it."""
        ...

    async def remove(self, account_id: str) -> None:
        """Remove all that the account follows."""
        ...


@dataclass(frozen=True, slots=True)
class ChangedAccounts:
    """Accounts that have changed, until the worker knows of it."""

    _account_ids: set[str] = field(default_factory=set[str])
    _added: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, *account_ids: str) -> None:
        """Add accounts; wakes up whoever waits."""
        self.put_back(account_ids)
        self._added.set()

    def put_back(self, account_ids: Sequence[str]) -> None:
        """Add accounts, for the next time that anybody looks."""
        self._account_ids.update(account_ids)

    def take(self) -> Sequence[str]:
        """Remove all of them and return them."""
        account_ids = sorted(self._account_ids)
        self._account_ids.clear()
        return account_ids

    async def wait(self, seconds: float) -> None:
        """Wait until an account is added, for at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._added.wait()
        except TimeoutError:
            return
        self._added.clear()


@dataclass(frozen=True, slots=True)
class ChangePublisher:
    """A `RevocationPublisher` that also adds the accounts whose plan or state has changed."""

    publisher: RevocationPublisher
    changed: ChangedAccounts

    async def announce(
        self, account_id: str, reason: str, *, credential_id: str | None = None
    ) -> None:
        await self.publisher.announce(account_id, reason, credential_id=credential_id)
        if credential_id is None and reason in _CHANGES:
            self.changed.add(account_id)


@dataclass(frozen=True, slots=True)
class FollowLimits:
    """Tell the worker how many channels accounts may follow.

    `report` takes why it could not be told twice in a row: services start together, and this one may be the first.
    """

    transactions: Transactions
    worker: FollowLimitWorker
    plans: Mapping[str, Plan]
    clock: Clock
    changed: ChangedAccounts
    report: Callable[[str], None]
    retry_seconds: float = 15.0

    async def run(self, seconds: float) -> None:
        """Send the limits of accounts that change, and compare all of them every so many seconds, until cancelled."""
        compared_at = -seconds
        failures = 0
        while True:
            wait = seconds
            try:
                await self.send_changed()
                if time.monotonic() - compared_at >= seconds:
                    await self.reconcile()
                    compared_at = time.monotonic()
                failures = 0
            except Exception as error:  # noqa: BLE001 - the next round tries again
                failures += 1
                if failures > 1:
                    self.report(repr(error))
                wait = self.retry_seconds
            await self.changed.wait(wait)

    async def send_changed(self) -> None:
        """Send the limits of the accounts that have changed.

        Raises:
            Unavailable: The worker does not respond; the accounts stay changed.
        """
        account_ids = self.changed.take()
        try:
            for start in range(0, len(account_ids), _BATCH):
                batch = account_ids[start : start + _BATCH]
                accounts = await self._accounts(batch)
                for account_id in batch:
                    await self._send(account_id, accounts.get(account_id))
        except ServiceError:
            self.changed.put_back(account_ids)
            raise

    async def reconcile(self) -> int:
        """Compare all accounts that follow channels with their plans, in batches; return how many were repaired."""
        repaired, after = 0, ""
        while followers := await self.worker.followers(after, _BATCH):
            after = followers[-1].account_id
            accounts = await self._accounts([follower.account_id for follower in followers])
            for follower in followers:
                account = accounts.get(follower.account_id)
                if not self._is_right(follower, account):
                    await self._send(follower.account_id, account)
                    repaired += 1
        return repaired

    def limit_of(self, account: Account) -> int:
        """Return how many channels an account may follow now."""
        plan = plan_of(account, self.plans, self.clock())
        allowed = account.disabled_at is None and plan.has(CHANNEL_IMPORT)
        return plan.followed_channels if allowed else 0

    def _is_right(self, follower: Follower, account: Account | None) -> bool:
        if follower.account_id == OPERATOR:
            return True
        if account is None:
            return False
        return follower.total - follower.paused == min(follower.total, self.limit_of(account))

    async def _send(self, account_id: str, account: Account | None) -> None:
        if account is None:
            await self.worker.remove(account_id)
        else:
            await self.worker.set_limit(account_id, self.limit_of(account))

    async def _accounts(self, account_ids: Sequence[str]) -> Mapping[str, Account]:
        async with self.transactions() as store:
            found = await store.accounts_of(account_ids)
        return {account.account_id: account for account in found}
