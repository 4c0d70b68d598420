"""The deletion of an organisation, the same whoever asks for it: an owner or an operator."""

from dataclasses import replace

from auth_service.domain.accounts import Account
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.organisations import mails
from auth_service.domain.ports import AuditEvent
from auth_service.domain.site.access_revocation import RevokedAccess
from auth_service.domain.site.list_erasure import defer_erasure
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteStore


def as_of(account: Account, address: str) -> Account:
    """Return an organisation as the one of an owner's address, by which its usage is carried over."""
    return replace(account, email=f"organisation of {address}")


async def delete_organisation(
    store: SiteStore,
    account: Account,
    event: AuditEvent,
    deleted_accounts: DeletedAccounts,
    mailer: Mailer,
) -> RevokedAccess:
    """Delete a locked organisation with its keys, connections, invitations and subscription.

    Its members are told, and see `event` with its name in their own logs.

    Returns:
        What to announce to the gateways after the commit, and then the deletion itself.
    """
    organisation_id, now = account.account_id, event.at
    name = (await store.organisations.names([organisation_id]))[organisation_id]
    members = await store.organisations.members(organisation_id)
    for member in members:
        if member.role == "owner":
            await deleted_accounts.remember(store, as_of(account, member.email), now)
        await store.record_event(replace(event, account_id=member.account_id, detail=name))
    grant_ids = await store.revoke_all_apps(organisation_id, now)
    key_ids = await store.revoke_keys(organisation_id, now)
    await store.record_event(event)
    await store.delete_account(organisation_id)
    await defer_erasure(store, organisation_id)
    for member in members:
        notice = mails.notice(member.email, f"The organisation {name} was deleted")
        await mailer.post(store, notice)
    return RevokedAccess(organisation_id, grant_ids, key_ids)
