"""What the use cases need from outside."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from auth_service.domain.accounts import Account
from auth_service.domain.api_keys import ApiKey
from auth_service.domain.usage import CounterState, Lease, Usage, UsageEntry


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One line of the audit log. `actor` is who did it; never a secret in `detail`."""

    at: datetime
    event: str
    account_id: str | None
    actor: str
    detail: str


class Ledger(Protocol):
    """Usage, in the same transaction as everything else of a store."""

    async def record(self, entries: Sequence[UsageEntry]) -> int:
        """Adds the entries that are new and returns how many were."""
        ...

    async def usage(self, account_id: str, first: date, following: date) -> Usage: ...

    async def total(self, first: date) -> int:
        """Requests of all accounts since `first`."""
        ...


class AdmissionStore(Protocol):
    """What counting by the ledger needs, in the same transaction as the ledger."""

    async def enter(self) -> None:
        """Keeps a new epoch from beginning before this transaction has ended."""
        ...

    async def now(self) -> datetime:
        """The database's clock."""
        ...

    async def locked_usage(
        self, account_ids: Sequence[str], first: date, following: date
    ) -> Mapping[str, int]:
        """Requests of accounts between two days, of which nobody else admits calls meanwhile."""
        ...

    async def known(self, entry_ids: Sequence[str]) -> Mapping[str, datetime]:
        """Those of the entries that the ledger has, and when they were admitted."""
        ...

    async def state(self) -> CounterState: ...

    async def mark_bypassed(self) -> None: ...

    async def enter_alone(self) -> None:
        """Wait for those who have entered and keep others out until this transaction has ended."""
        ...

    async def timeline(self) -> str:
        """The database's timeline; another one after a standby was promoted."""
        ...

    async def change(self, state: CounterState) -> None: ...

    async def leases(self) -> Sequence[Lease]: ...

    async def save_leases(self, leases: Sequence[Lease]) -> None: ...

    async def replace_leases(self, leases: Sequence[Lease]) -> None:
        """Save the leases and delete all others."""
        ...


class Store(Protocol):
    """One transaction on accounts, keys, ledger and audit log."""

    @property
    def ledger(self) -> Ledger: ...

    @property
    def counting(self) -> AdmissionStore: ...

    async def account(self, account_id: str) -> Account | None: ...

    async def account_by_email(self, email: str) -> Account | None: ...

    async def accounts(self, after: str, limit: int, search: str = "") -> Sequence[Account]:
        """Accounts in the order of their e-mail addresses, from the one after `after`.

        With `search`, those alone whose address contains it.
        """
        ...

    async def accounts_by_plan(self) -> Mapping[str, int]: ...

    async def change_operator(self, account_id: str, *, operator: bool) -> None: ...

    async def add_account(self, account: Account) -> bool:
        """False when the e-mail address is taken."""
        ...

    async def change_plan(self, account_id: str, plan_id: str) -> None: ...

    async def change_disabled(self, account_id: str, at: datetime | None) -> None: ...

    async def key_by_digest(self, digest: bytes) -> ApiKey | None: ...

    async def keys(self, account_id: str) -> Sequence[ApiKey]: ...

    async def lock_account(self, account_id: str) -> None:
        """Waits for other changes of the same account to end."""
        ...

    async def add_key(self, key: ApiKey, digest: bytes) -> None: ...

    async def revoke_key(self, key_id: str, at: datetime) -> ApiKey | None: ...

    async def grant_standing(
        self, grant_id: str, now: datetime
    ) -> tuple[str, tuple[str, ...]] | None:
        """Account id and scopes of a living OAuth grant."""
        ...

    async def add_deleted_account(self, digest: bytes, account_id: str, until: datetime) -> None:
        """Remembers which account an address had, in the place of any before."""
        ...

    async def deleted_account_id(self, digest: bytes, now: datetime) -> str | None:
        """The account that an address had this month and that was deleted."""
        ...

    async def record_event(self, event: AuditEvent) -> None: ...

    async def audit_log(self, account_id: str | None, limit: int) -> Sequence[AuditEvent]: ...


class Transactions(Protocol):
    """Opens stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[Store]: ...


class RevocationPublisher(Protocol):
    """Tells the gateways that what they keep of a credential or account no longer holds."""

    async def announce(
        self, account_id: str, reason: str, *, credential_id: str | None = None
    ) -> None:
        """Never fails: the gateways forget within half a minute by themselves."""
        ...


class Throttle(Protocol):
    """Counts attempts over all replicas, or in this one while what they share fails; never fails.

    `throttling.RateLimit` is the way to use it.
    """

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        """None, or the seconds to wait when `key` has been used `limit` times in the window."""
        ...

    async def forget(self, key: str, per_seconds: int) -> None:
        """Begins the count of `key` anew."""
        ...


class Clock(Protocol):
    """The present moment in UTC."""

    def __call__(self) -> datetime: ...
