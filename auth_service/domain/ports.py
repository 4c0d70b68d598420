"""Ports of the use cases: storage, revocation feed, throttle and clock."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from auth_service.domain.account_limits import AccountLimits
from auth_service.domain.accounts import Account
from auth_service.domain.api_keys import ApiKey
from auth_service.domain.calls import CallStore
from auth_service.domain.usage import CounterState, Lease, Usage, UsageEntry

UNKNOWN: Final = "unknown"
"""The actor of an event that happened before anybody had logged in."""


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """An event for the audit log. `actor` names who acted; `detail` never holds a secret.

    `reason` is what an operator gave as theirs.
    """

    at: datetime
    event: str
    account_id: str | None
    actor: str
    detail: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An event as the audit log holds it. Ids grow with time."""

    id: int
    event: AuditEvent


class Ledger(Protocol):
    """The usage ledger, in the transaction of its store."""

    async def record(self, entries: Sequence[UsageEntry]) -> int:
        """Add the entries that are new and return their number."""
        ...

    async def usage(self, account_id: str, first: date, following: date) -> Usage: ...

    async def total(self, first: date) -> int:
        """Return the requests of all accounts since `first`."""
        ...


class AdmissionStore(Protocol):
    """Storage for admissions counted by the ledger, in the ledger's transaction."""

    async def enter(self) -> None:
        """Keep a new epoch from beginning before this transaction has ended."""
        ...

    async def now(self) -> datetime:
        """Return the database's time."""
        ...

    async def locked_usage(
        self, account_ids: Sequence[str], first: date, following: date
    ) -> Mapping[str, int]:
        """Return requests per account between two days; lock the accounts against other admissions."""
        ...

    async def known(self, entry_ids: Sequence[str]) -> Mapping[str, datetime]:
        """Return the time of admission of those entries that the ledger has, by entry id."""
        ...

    async def state(self) -> CounterState: ...

    async def mark_bypassed(self) -> None: ...

    async def enter_alone(self) -> None:
        """Wait for those who have entered and keep others out until this transaction has ended."""
        ...

    async def timeline(self) -> str:
        """Return the database's timeline; another one after a standby was promoted."""
        ...

    async def change(self, state: CounterState) -> None: ...

    async def leases(self) -> Sequence[Lease]: ...

    async def save_leases(self, leases: Sequence[Lease]) -> None: ...

    async def replace_leases(self, leases: Sequence[Lease]) -> None:
        """Save the leases and delete all others."""
        ...


class Store(Protocol):
    """A transaction on accounts, keys, ledger and audit log."""

    @property
    def ledger(self) -> Ledger: ...

    @property
    def calls(self) -> CallStore: ...

    @property
    def counting(self) -> AdmissionStore: ...

    async def account(self, account_id: str) -> Account | None: ...

    async def account_by_email(self, email: str) -> Account | None: ...

    async def accounts_of(self, account_ids: Sequence[str]) -> Sequence[Account]:
        """Return those accounts that exist, in no order."""
        ...

    async def accounts(self, after: str, limit: int, search: str = "") -> Sequence[Account]:
        """Return accounts ordered by e-mail address, from the one after `after`.

        With `search`, only those whose address contains it.
        """
        ...

    async def accounts_by_plan(self) -> Mapping[str, int]: ...

    async def change_operator(self, account_id: str, *, operator: bool) -> None: ...

    async def add_account(self, account: Account) -> bool:
        """Add an account; False when its e-mail address is in use."""
        ...

    async def change_plan(self, account_id: str, plan_id: str, *, by_operator: bool) -> None: ...

    async def paid_plan(self, account_id: str) -> str | None:
        """Return the plan that the account's subscription entitles to, None without one."""
        ...

    async def change_limits(self, account_id: str, limits: AccountLimits | None) -> None:
        """Replace the account's own limits; None leaves it those of its plan."""
        ...

    async def change_disabled(self, account_id: str, at: datetime | None) -> None: ...

    async def key_by_digest(self, digest: bytes) -> ApiKey | None: ...

    async def keys(self, account_id: str) -> Sequence[ApiKey]: ...

    async def lock_account(self, account_id: str) -> None:
        """Lock the account against concurrent changes until the transaction ends."""
        ...

    async def add_key(self, key: ApiKey, digest: bytes) -> None: ...

    async def revoke_key(self, key_id: str, at: datetime) -> ApiKey | None: ...

    async def active_grant(
        self, grant_id: str, now: datetime
    ) -> tuple[str, tuple[str, ...]] | None:
        """Return the account id and scopes of an active OAuth grant, or None."""
        ...

    async def member_grants(self, member_id: str, now: datetime) -> Sequence[tuple[str, str]]:
        """Return organisation and id of each active grant that a person made for an organisation."""
        ...

    async def is_member(self, organisation_id: str, account_id: str) -> bool: ...

    async def require_consent(self, grant_id: str, now: datetime) -> None:
        """Have the grant's next refresh answered by the need of a new authorization."""
        ...

    async def add_deleted_account(self, digest: bytes, account_id: str, until: datetime) -> None:
        """Store which account an address had, replacing an earlier one."""
        ...

    async def deleted_account_id(self, digest: bytes, now: datetime) -> str | None:
        """Return the id of the account that this address had and that was deleted this month."""
        ...

    async def record_event(self, event: AuditEvent) -> None: ...

    async def audit_log(
        self,
        account_id: str | None,
        limit: int,
        before: int | None = None,
        since: datetime | None = None,
    ) -> Sequence[AuditEntry]:
        """Return the newest entries: of one account, older than entry `before`, not before `since`, if given."""
        ...


class Transactions(Protocol):
    """Open stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[Store]: ...


class RevocationPublisher(Protocol):
    """Publish that the gateways' cached data of a credential or account is no longer valid."""

    async def announce(
        self, account_id: str, reason: str, *, credential_id: str | None = None
    ) -> None:
        """Publish a revocation. Never fails: the gateways' caches expire within half a minute."""
        ...


class Throttle(Protocol):
    """Count attempts over all replicas, or in this process while Valkey fails; never raises.

    Use it through `rate_limits.RateLimit`.
    """

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        """Count an attempt; return None, or the seconds to wait when the window's limit is reached."""
        ...

    async def forget(self, key: str, per_seconds: int) -> None:
        """Reset the count of `key`."""
        ...


class Clock(Protocol):
    """Returns the current time in UTC."""

    def __call__(self) -> datetime: ...
