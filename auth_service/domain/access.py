"""Resolve credentials and record usage for the gateway."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auth_service.domain import site_credentials
from auth_service.domain import usage as ledger
from auth_service.domain.account_limits import limits_of, plan_of
from auth_service.domain.accounts import Account, AccountNotFound, Entitlements
from auth_service.domain.api_keys import ApiKey
from auth_service.domain.calls import CallBatch
from auth_service.domain.plans import API_KEYS, FREE, Plan
from auth_service.domain.ports import Clock, Store, Transactions
from auth_service.domain.usage import Usage, UsageEntry
from servicekit import timestamps
from servicekit.errors import InvalidInput, Unauthenticated


@dataclass(frozen=True, slots=True)
class Credential:
    """A valid key or grant, with the entitlements of its account."""

    credential_id: str
    scopes: tuple[str, ...]
    entitlements: Entitlements
    expires_at: str | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """What the gateway needs of accounts: credentials, consent and usage. Messages for people name pages of the site at `site_url`."""

    transactions: Transactions
    plans: Mapping[str, Plan]
    clock: Clock
    site_url: str

    async def resolve_key(self, digest: bytes) -> Credential:
        """Return the credential of the API key with this SHA-256.

        Raises:
            Unauthenticated: KEY_UNKNOWN, KEY_REVOKED, KEY_EXPIRED, KEY_PLAN_LACKS_KEYS or
                ACCOUNT_DISABLED.
        """
        async with self.transactions() as store:
            key = await store.key_by_digest(digest)
            if key is None:
                raise Unauthenticated(
                    f"This API key is not known. Your keys are at {self.site_url}/account/keys.",
                    "KEY_UNKNOWN",
                )
            account = await _account(store, key.account_id)
        self._check_validity(key)
        entitlements = self._entitlements_of(account)
        if entitlements.disabled:
            raise _account_disabled()
        if not entitlements.plan.has(API_KEYS):
            raise Unauthenticated(
                f"API keys do not work on the plan {entitlements.plan.name}. This key works again when "
                f"the account is back on Creator: {self.site_url}/plans. AI clients can connect by "
                "OAuth on every plan.",
                "KEY_PLAN_LACKS_KEYS",
            )
        scopes = tuple(scope for scope in key.scopes if scope in entitlements.plan.scopes)
        expires_at = timestamps.to_optional_text(key.expires_at)
        return Credential(key.key_id, scopes, entitlements, expires_at)

    async def resolve_grant(self, grant_id: str) -> Credential:
        """Return the credential of the OAuth grant that an access token names, or of the site for an account.

        Raises:
            Unauthenticated: GRANT_REVOKED or ACCOUNT_DISABLED.
        """
        site_account = site_credentials.account_of(grant_id)
        if site_account is not None:
            return await self._site_credential(grant_id, site_account)
        async with self.transactions() as store:
            grant = await store.active_grant(grant_id, self.clock())
            if grant is None:
                raise Unauthenticated(
                    "This connection was ended. Connect again to go on.", "GRANT_REVOKED"
                )
            account_id, scopes = grant
            account = await _account(store, account_id)
        entitlements = self._entitlements_of(account)
        if entitlements.disabled:
            raise _account_disabled()
        return Credential(grant_id, scopes, entitlements)

    async def _site_credential(self, credential_id: str, account_id: str) -> Credential:
        if not account_id:
            plan = self.plans[FREE]
            return Credential(credential_id, plan.scopes, Entitlements("", plan, disabled=False))
        async with self.transactions() as store:
            account = await _account(store, account_id)
        entitlements = self._entitlements_of(account)
        if entitlements.disabled:
            raise _account_disabled()
        return Credential(credential_id, entitlements.plan.scopes, entitlements)

    async def require_consent(self, grant_id: str, needed: Sequence[str]) -> None:
        """Have the next refresh of a grant that lacks a scope send its client to the user.

        Common clients refresh before anything else when they are refused for a scope, and give up
        when that has changed nothing. A narrowed token gets its scopes back by that refresh.
        """
        async with self.transactions() as store:
            now = self.clock()
            grant = await store.active_grant(grant_id, now)
            if grant is not None and not (needed and set(needed) <= set(grant[1])):
                await store.require_consent(grant_id, now)

    async def record_usage(self, entries: Sequence[UsageEntry]) -> int:
        """Add entries to the ledger; return the number of new ones.

        Raises:
            InvalidInput: More than 1,000 entries.
        """
        if len(entries) > ledger.MAX_ENTRIES:
            raise InvalidInput(f"At most {ledger.MAX_ENTRIES} entries go into one call.")
        async with self.transactions() as store:
            return await store.ledger.record(entries)

    async def record_calls(self, batch: CallBatch) -> bool:
        """Add calls that ended to the sums of their days; false if the batch was added before."""
        async with self.transactions() as store:
            return await store.calls.record(batch)

    async def usage(self, account_id: str, month: str) -> Usage:
        """Return the account's recorded usage of `month` (`YYYY-MM`)."""
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            return await store.ledger.usage(account_id, first, following)

    def _check_validity(self, key: ApiKey) -> None:
        if key.revoked_at is not None:
            raise Unauthenticated(
                f"This API key was revoked on {key.revoked_at:%Y-%m-%d}. Create another at "
                f"{self.site_url}/account/keys.",
                "KEY_REVOKED",
            )
        if key.expires_at is not None and key.expires_at <= self.clock():
            raise Unauthenticated(
                f"This API key expired on {key.expires_at:%Y-%m-%d}. Create another at "
                f"{self.site_url}/account/keys.",
                "KEY_EXPIRED",
            )

    def _entitlements_of(self, account: Account) -> Entitlements:
        now = self.clock()
        own = limits_of(account, now)
        return Entitlements(
            account.account_id,
            plan_of(account, self.plans, now),
            disabled=account.disabled_at is not None,
            own_monthly_requests=own is not None and own.monthly_requests is not None,
        )


def _account_disabled() -> Unauthenticated:
    return Unauthenticated(
        "This account is disabled. Write to the operator of this service.", "ACCOUNT_DISABLED"
    )


async def _account(store: Store, account_id: str) -> Account:
    account = await store.account(account_id)
    if account is None:
        raise AccountNotFound("This account does not exist any more.")
    return account
