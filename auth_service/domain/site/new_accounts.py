"""Accounts are opened, with a password or by a provider's word, for a confirmed address."""

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

    An account from when they were made before they were confirmed is taken over: nobody has shown
    yet that it is theirs, so that nothing of its password survives.
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
    known = await store.account_by_email(email)
    if known is None or known.email_confirmed_at is not None:
        return None
    await store.change_password(known.account_id, password_hash)
    await store.confirm_email(known.account_id, now)
    return replace(known, email_confirmed_at=now, password_hash=password_hash)
