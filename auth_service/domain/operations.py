"""Use cases of operators on accounts and keys, and of owners on their own keys."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from auth_service.domain import api_keys
from auth_service.domain import usage as ledger
from auth_service.domain.account_limits import AccountLimits, limits_of, plan_of
from auth_service.domain.account_lookup import account_named
from auth_service.domain.accounts import (
    Account,
    AccountNotFound,
    EmailInUse,
)
from auth_service.domain.addresses import normalised_email
from auth_service.domain.api_keys import ApiKey, KeyNotFound, PlanLacksKeys, TooManyKeys
from auth_service.domain.names import checked_name
from auth_service.domain.organisations.model import ID_PREFIX, no_member
from auth_service.domain.passwords import Passwords
from auth_service.domain.plans import API_KEYS, FREE, Plan
from auth_service.domain.ports import (
    AuditEntry,
    AuditEvent,
    Clock,
    RevocationPublisher,
    Store,
    Transactions,
)
from servicekit.errors import InvalidInput

_ACCOUNT_PREFIX: Final = "acc_"


@dataclass(frozen=True, slots=True)
class AccountReport:
    """An account with its plan, its requests of the current month, and limits of its own that hold.

    The plan has those limits.
    """

    account: Account
    plan: Plan
    requests_this_month: int
    limits: AccountLimits | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """The properties of a key to create. Empty `scopes` means all that the plan allows."""

    name: str
    scopes: tuple[str, ...] = ()
    expires_in_days: int | None = None
    created_by: str | None = None
    """The member who creates a key of an organisation."""


@dataclass(frozen=True, slots=True)
class Operations:
    """Manage accounts, plans and keys. `actor` in each names who acts, for the audit log.

    `reason` is what an operator gives as theirs.
    """

    transactions: Transactions
    feed: RevocationPublisher
    passwords: Passwords
    plans: Mapping[str, Plan]
    clock: Clock
    max_keys: int
    reason: str = ""

    def because(self, reason: str) -> "Operations":
        """Return the use cases for a reason."""
        return replace(self, reason=reason)

    async def create_account(
        self, email: str, password: str | None, plan_id: str, actor: str
    ) -> AccountReport:
        """Create an account; one without a password works with API keys only, until one is set.

        Raises:
            InvalidInput: The address, password or plan is invalid.
            EmailInUse: The address has an account already.
        """
        plan = self._plan(plan_id)
        address = normalised_email(email)
        now = self.clock()
        account = Account(
            account_id=_ACCOUNT_PREFIX + secrets.token_hex(12),
            email=address,
            plan_id=plan.plan_id,
            created_at=now,
            email_confirmed_at=now,
            password_hash=await self.passwords.hash(password, address)
            if password is not None
            else None,
            plan_by_operator=plan.plan_id != FREE,
        )
        async with self.transactions() as store:
            if not await store.add_account(account):
                raise EmailInUse(
                    f"There is an account of {address} already.", details={"field": "email"}
                )
            await self._audit(store, "account_created", account.account_id, actor, plan.plan_id)
        return AccountReport(account, plan, 0)

    async def account(self, email: str) -> AccountReport:
        """Return the account with the address `email`."""
        async with self.transactions() as store:
            return await self._report(store, await self._by_email(store, email))

    async def accounts(self, after: str, limit: int) -> Sequence[AccountReport]:
        """Return up to `limit` accounts ordered by address, from the one after `after`."""
        async with self.transactions() as store:
            found = await store.accounts(after, limit)
            return [await self._report(store, account) for account in found]

    async def find_accounts(self, search: str, after: str, limit: int) -> Sequence[AccountReport]:
        """Return accounts whose address contains `search`, ordered by address."""
        async with self.transactions() as store:
            found = await store.accounts(after, limit, search)
            return [await self._report(store, account) for account in found]

    async def totals(self) -> Mapping[str, int]:
        """Return the number of accounts in all and by plan, and the requests of this month."""
        first, _ = ledger.month_bounds(ledger.month_of(self.clock()))
        async with self.transactions() as store:
            by_plan = await store.accounts_by_plan()
            requests = await store.ledger.total(first)
        named = {plan.name: by_plan.get(plan.plan_id, 0) for plan in self.plans.values()}
        return {"Accounts": sum(by_plan.values()), **named, "Requests this month": requests}

    async def email_of(self, account_id: str) -> str:
        """Return the address of an account.

        Raises:
            AccountNotFound: There is no account with this id.
        """
        async with self.transactions() as store:
            account = await store.account(account_id)
        if account is None:
            raise AccountNotFound("There is no such account.", details={"field": "account_id"})
        return account.email

    async def set_operator(self, email: str, actor: str, *, operator: bool) -> AccountReport:
        """Grant or withdraw an account's access to the operator's page."""
        event = "operator_made" if operator else "operator_unmade"
        async with self.transactions() as store:
            account = await self._by_email(store, email)
            await store.change_operator(account.account_id, operator=operator)
            await self._audit(store, event, account.account_id, actor, "")
            return await self._report(store, replace(account, is_operator=operator))

    async def set_plan(self, email: str, plan_id: str, actor: str) -> AccountReport:
        """Move the account to another plan. Its keys stop or resume working with the plan.

        The plan stays whatever the account buys or ends, until it is set to Free: the account then
        has what it pays for.
        """
        plan = self._plan(plan_id)
        async with self.transactions() as store:
            account = await self._by_email(store, email)
            await store.lock_account(account.account_id)
            is_given = plan.plan_id != FREE
            if not is_given:
                plan = self.plans.get(await store.paid_plan(account.account_id) or FREE, plan)
            await store.change_plan(account.account_id, plan.plan_id, by_operator=is_given)
            change = f"{account.plan_id} to {plan.plan_id}"
            await self._audit(store, "plan_changed", account.account_id, actor, change)
            report = await self._report(store, replace(account, plan_id=plan.plan_id))
        await self.feed.announce(account.account_id, "plan_changed")
        return report

    async def set_disabled(self, email: str, actor: str, *, disabled: bool) -> AccountReport:
        """Disable the account for every credential, or enable it again."""
        at = self.clock() if disabled else None
        event = "account_disabled" if disabled else "account_enabled"
        async with self.transactions() as store:
            account = await self._by_email(store, email)
            await store.change_disabled(account.account_id, at)
            await self._audit(store, event, account.account_id, actor, "")
            report = await self._report(store, replace(account, disabled_at=at))
            member_grants = await store.member_grants(account.account_id, self.clock())
        await self.feed.announce(account.account_id, event)
        for organisation_id, grant_id in member_grants:
            await self.feed.announce(organisation_id, event, credential_id=grant_id)
        return report

    async def create_key(self, email: str, new_key: NewKey, actor: str) -> tuple[str, ApiKey]:
        """Create a key; return its secret, which is not stored, and the key.

        Raises:
            PlanLacksKeys: The account's plan has no API keys.
            TooManyKeys: The account has reached its limit of active keys.
            InvalidInput: The name, a scope or the expiry is invalid.
            OrganisationNotFound: Whoever makes it is no member of the organisation any more.
        """
        secret = api_keys.generate()
        now = self.clock()
        async with self.transactions() as store:
            account = await self._by_email(store, email)
            await store.lock_account(account.account_id)
            # Read under the lock: the membership may just have ended.
            maker = new_key.created_by
            if maker is not None and not await store.is_member(account.account_id, maker):
                raise no_member()
            plan = self.plans[account.plan_id]
            if not plan.has(API_KEYS):
                raise PlanLacksKeys(
                    f"The plan {plan.name} has no API keys. They come with Creator."
                )
            living = [k for k in await store.keys(account.account_id) if k.revoked_at is None]
            if len(living) >= self.max_keys:
                raise TooManyKeys(
                    f"The account has {len(living)} keys; {self.max_keys} are allowed. Revoke one."
                )
            key = ApiKey(
                key_id="key_" + secrets.token_hex(8),
                account_id=account.account_id,
                name=checked_name(new_key.name, "an API key", api_keys.MAX_NAME),
                masked=api_keys.masked(secret),
                scopes=_scopes(new_key.scopes, plan),
                created_at=now,
                expires_at=None
                if new_key.expires_in_days is None
                else now + timedelta(days=_days(new_key.expires_in_days)),
                created_by=new_key.created_by,
            )
            await store.add_key(key, api_keys.digest(secret))
            await self._audit(store, "key_created", account.account_id, actor, key.key_id)
        return secret, key

    async def keys(self, email: str) -> Sequence[ApiKey]:
        """Return the account's keys, newest first, revoked ones included."""
        async with self.transactions() as store:
            account = await self._by_email(store, email)
            return await store.keys(account.account_id)

    async def revoke_key(self, key_id: str, actor: str) -> ApiKey:
        """Revoke a key permanently.

        Raises:
            KeyNotFound: There is no such key.
        """
        async with self.transactions() as store:
            key = await store.revoke_key(key_id, self.clock())
            if key is None:
                raise KeyNotFound(f"There is no key {key_id}.", details={"field": "key_id"})
            await self._audit(store, "key_revoked", key.account_id, actor, key_id)
        await self.feed.announce(key.account_id, "key_revoked", credential_id=key_id)
        return key

    async def audit_log(
        self,
        email: str | None,
        limit: int,
        before: int | None = None,
        since: datetime | None = None,
    ) -> Sequence[AuditEntry]:
        """Return the newest entries of one account or of all: older than entry `before`, not before `since`.

        An account that was deleted is named by its id.
        """
        async with self.transactions() as store:
            account_id = None
            if email:
                is_id = email.startswith((_ACCOUNT_PREFIX, ID_PREFIX)) and "@" not in email
                account_id = email if is_id else (await self._by_email(store, email)).account_id
            return await store.audit_log(account_id, limit, before, since)

    def _plan(self, plan_id: str) -> Plan:
        plan = self.plans.get(plan_id)
        if plan is None:
            raise InvalidInput(
                f"There is no plan {plan_id!r}; the plans are {', '.join(self.plans)}.",
                details={"field": "plan"},
            )
        return plan

    async def _by_email(self, store: Store, email: str) -> Account:
        return await account_named(store, email)

    async def _report(self, store: Store, account: Account) -> AccountReport:
        first, following = ledger.month_bounds(ledger.month_of(self.clock()))
        used = await store.ledger.usage(account.account_id, first, following)
        now = self.clock()
        plan = plan_of(account, self.plans, now)
        return AccountReport(account, plan, used.requests, limits_of(account, now))

    async def _audit(
        self, store: Store, event: str, account_id: str, actor: str, detail: str
    ) -> None:
        await store.record_event(
            AuditEvent(self.clock(), event, account_id, actor, detail, self.reason)
        )


def _scopes(requested: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    unknown = [scope for scope in requested if scope not in plan.scopes]
    if unknown:
        raise InvalidInput(
            f"The plan {plan.name} has no scope {unknown[0]!r}; it has {', '.join(plan.scopes)}.",
            details={"field": "scopes"},
        )
    return requested or plan.scopes


def _days(days: int) -> int:
    if not 1 <= days <= api_keys.MAX_DAYS:
        raise InvalidInput(
            f"A key expires in 1 to {api_keys.MAX_DAYS} days, not {days}.",
            details={"field": "expires_in_days"},
        )
    return days
