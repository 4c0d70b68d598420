"""The deletion of an account, by its owner or by an operator."""

from dataclasses import dataclass

from auth_service.domain.accounts import Account
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.ports import AuditEvent
from auth_service.domain.site import mails
from auth_service.domain.site.access_revocation import RevokedAccess, end_access
from auth_service.domain.site.list_erasure import defer_erasure
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteStore


@dataclass(frozen=True, slots=True)
class AccountDeletion:
    """Delete accounts of persons, in the caller's transaction."""

    deleted_accounts: DeletedAccounts
    mailer: Mailer

    async def delete(self, store: SiteStore, account: Account, event: AuditEvent) -> RevokedAccess:
        """Delete an account with all that belongs to it; the audit log keeps the event.

        No organisation may be left without an owner: check that before, in the same transaction.

        Returns:
            What to announce to the gateways after the commit, and then the deletion itself.
        """
        ended = await end_access(store, account.account_id, event.at, keys=True, actor=event.actor)
        await store.record_event(event)
        await self.deleted_accounts.remember(store, account, event.at)
        await store.delete_account(account.account_id)
        await defer_erasure(store, account.account_id)
        await self.mailer.post(store, mails.notice(account.email, "Your account was deleted"))
        return ended
