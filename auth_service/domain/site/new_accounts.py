"""Open accounts for addresses confirmed by a mailed link or by a login provider."""

from dataclasses import replace
from datetime import datetime

from auth_service.domain.accounts import Account
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.oauth import secrets
from auth_service.domain.plans import FREE
from auth_service.domain.site.ports import SiteStore


async def open_account(
    store: SiteStore,
    deleted_accounts: DeletedAccounts,
    email: str,
    password_hash: str | None,
    now: datetime,
) -> Account | None:
    """Create an account for a confirmed address; return None when the address has one.

    An unconfirmed account of an earlier release is reused: nobody has proved to own it yet, so its
    password is replaced.
    """
    account = Account(
        account_id=secrets.new_id("acc"),
        email=email,
        plan_id=FREE,
        created_at=now,
        email_confirmed_at=now,
        password_hash=password_hash,
    )
    if await store.add_account(account):
        await deleted_accounts.carry_over(store, account, now)
        return account
    existing = await store.account_by_email(email)
    if existing is None or existing.email_confirmed_at is not None:
        return None
    await store.change_password(existing.account_id, password_hash)
    await store.confirm_email(existing.account_id, now)
    return replace(existing, email_confirmed_at=now, password_hash=password_hash)
