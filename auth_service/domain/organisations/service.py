"""Organisations: creating, switching, roles, leaving and deleting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain import usage as ledger
from auth_service.domain.accounts import Account
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.oauth import secrets
from auth_service.domain.organisations import mails
from auth_service.domain.organisations.deletion import as_of, delete_organisation
from auth_service.domain.organisations.locking import locked, locked_by_owner
from auth_service.domain.organisations.membership_end import check_owner_remains, end_membership
from auth_service.domain.organisations.model import (
    MAX_OWNED,
    Member,
    MemberNotFound,
    OrganisationNotFound,
    TooManyOrganisations,
    checked_organisation_name,
    checked_role,
    no_member,
)
from auth_service.domain.organisations.ownership import check_may_own, owned_on_free
from auth_service.domain.plans import FREE
from auth_service.domain.ports import AuditEvent, Clock, RevocationPublisher, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.access_revocation import RevokedAccess
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from servicekit.errors import InvalidInput
from shapes.auth.auth import CredentialUsage

_CREATED: Final = RateLimit("organisation", 5, 30 * 86_400)


@dataclass(frozen=True, slots=True)
class OrganisationService:
    """Create, read, change, leave and delete organisations. What names no organisation is about the one that the visitor acts for."""

    transactions: SiteTransactions
    mailer: Mailer
    feed: RevocationPublisher
    deleted_accounts: DeletedAccounts
    throttle: Throttle
    clock: Clock

    async def create(self, visitor: Visitor, name: str) -> str:
        """Create an organisation on the plan Free, owned by the visitor; return its id.

        This month's requests of organisations on Free that the visitor owned and deleted are carried
        over, and nobody owns two on Free: otherwise each would be a further free quota.

        Raises:
            InvalidInput: The name is not possible.
            TooManyOrganisations: The visitor owns one on Free, or very many.
            TooManyAttempts: The visitor has created many of late.
        """
        name, now, person = checked_organisation_name(name), self.clock(), visitor.account
        organisation_id = secrets.new_id("org")
        account = Account(
            organisation_id, organisation_id, FREE, created_at=now, email_confirmed_at=now
        )
        async with self.transactions() as store:
            await store.lock_account(person.account_id)
            await self._check_number(store, person)
            await _CREATED.check(self.throttle, person.account_id)
            await store.add_account(account)
            await store.organisations.add(organisation_id, name)
            await store.organisations.add_member(organisation_id, person.account_id, "owner", now)
            await self.deleted_accounts.carry_over(store, as_of(account, person.email), now)
            await self._audit(store, "organisation_created", organisation_id, visitor, name)
            await self._audit(store, "organisation_created", person.account_id, visitor, name)
        return organisation_id

    async def switch(self, visitor: Visitor, organisation_id: str) -> None:
        """Let the visitor's session act for an organisation, or for themselves when the id is empty.

        Raises:
            OrganisationNotFound: The visitor is no member of it.
        """
        if organisation_id and organisation_id not in {
            m.organisation_id for m in visitor.memberships
        }:
            raise no_member()
        async with self.transactions() as store:
            await store.organisations.act_for(visitor.session.session_id, organisation_id or None)

    async def members(self, visitor: Visitor) -> Sequence[Member]:
        """Return the members of the organisation; none when the visitor acts for themselves."""
        if visitor.organisation is None:
            return ()
        async with self.transactions() as store:
            return await store.organisations.members(visitor.organisation.account_id)

    async def usage(self, visitor: Visitor, month: str) -> Sequence[CredentialUsage]:
        """Return the organisation's requests of a month by key and connection."""
        if visitor.organisation is None:
            return ()
        first, following = ledger.month_bounds(month)
        async with self.transactions() as store:
            return await store.organisations.usage_by_credential(
                visitor.organisation.account_id, first, following
            )

    async def change_role(self, visitor: Visitor, account_id: str, role: str) -> None:
        """Make a member an owner, or an owner a member.

        Raises:
            OwnersOnly: The visitor is no owner.
            MemberNotFound: There is no such member.
            LastOwner: Nobody else is an owner.
            TooManyOrganisations: The new owner has one on Free, as this is.
        """
        new_role = checked_role(role)
        async with self.transactions() as store:
            if new_role == "owner":
                # In the order of `check_owns_none_alone`: the person, then the organisation.
                await store.lock_account(account_id)
            organisation = await locked_by_owner(store, visitor)
            member = await _member(store, organisation.organisation_id, account_id)
            if member.role == new_role:
                return
            if new_role == "owner":
                await check_may_own(store, organisation.organisation_id, account_id)
            else:
                await check_owner_remains(store, organisation.organisation_id, account_id)
                await store.organisations.withdraw_invitations(
                    organisation.organisation_id, invited_by=account_id
                )
            await store.organisations.change_role(
                organisation.organisation_id, account_id, new_role
            )
            detail = f"{account_id} is {new_role}"
            await self._audit(store, "role_changed", organisation.organisation_id, visitor, detail)
            detail = f"{new_role} of {organisation.name}"
            await self._audit(store, "role_changed", account_id, visitor, detail)

    async def rename(self, visitor: Visitor, name: str) -> None:
        """Give the organisation another name.

        Raises:
            OwnersOnly: The visitor is no owner.
            InvalidInput: The name is not possible.
        """
        name = checked_organisation_name(name)
        async with self.transactions() as store:
            organisation = await locked_by_owner(store, visitor)
            await store.organisations.rename(organisation.organisation_id, name)
            detail = f"{organisation.name} is {name}"
            event = "organisation_renamed"
            await self._audit(store, event, organisation.organisation_id, visitor, detail)

    async def remove(self, visitor: Visitor, account_id: str) -> None:
        """End somebody's membership, and at once the connections that they made.

        Raises:
            OwnersOnly: The visitor is no owner.
            MemberNotFound: There is no such member.
            LastOwner: It is the visitor, and nobody else is an owner.
        """
        async with self.transactions() as store:
            organisation = await locked_by_owner(store, visitor)
            member = await _member(store, organisation.organisation_id, account_id)
            ended = await self._end(store, visitor, member, "member_removed")
            if account_id != visitor.account.account_id:
                event = f"You are no longer a member of {organisation.name}"
                await self.mailer.post(store, mails.notice(member.email, event))
        await ended.announce(self.feed)

    async def leave(self, visitor: Visitor) -> None:
        """End the visitor's own membership.

        Raises:
            LastOwner: Nobody else is an owner.
        """
        async with self.transactions() as store:
            organisation = await locked(store, visitor)
            person_id = visitor.account.account_id
            member = await _member(store, organisation.organisation_id, person_id)
            ended = await self._end(store, visitor, member, "member_left")
        await ended.announce(self.feed)

    async def delete(self, visitor: Visitor, typed_name: str) -> None:
        """Delete the organisation with its keys, connections, invitations and subscription.

        Raises:
            OwnersOnly: The visitor is no owner.
            InvalidInput: The name typed to confirm is another.
        """
        now = self.clock()
        async with self.transactions() as store:
            organisation = await locked_by_owner(store, visitor)
            organisation_id = organisation.organisation_id
            if " ".join(typed_name.split()) != organisation.name:
                raise InvalidInput(
                    f"Type {organisation.name} to delete the organisation.",
                    details={"field": "confirm_name"},
                )
            account = await store.account(organisation_id)
            if account is None:
                raise no_member()
            event = AuditEvent(now, "organisation_deleted", organisation_id, visitor.actor, "")
            ended = await delete_organisation(
                store, account, event, self.deleted_accounts, self.mailer
            )
        await ended.announce(self.feed)
        await self.feed.announce(organisation_id, "account_deleted")

    async def _check_number(self, store: SiteStore, person: Account) -> None:
        owned = [m for m in await store.organisations.memberships(person.account_id) if m.is_owner]
        on_free = await owned_on_free(store, person.account_id)
        if on_free is not None:
            raise TooManyOrganisations(
                f"You own {on_free.name}, which is on the plan Free, and nobody owns two on Free. Delete it, or get it "
                "another plan (the page Plans says how), before you create another organisation."
            )
        if len(owned) >= MAX_OWNED:
            raise TooManyOrganisations(f"You own {len(owned)} organisations; that is the most.")

    async def _end(
        self, store: SiteStore, visitor: Visitor, member: Member, event: str
    ) -> RevokedAccess:
        membership = visitor.membership
        if membership is None:
            raise OrganisationNotFound("You act for no organisation.")
        organisation_id = membership.organisation_id
        await check_owner_remains(store, organisation_id, member.account_id)
        ended = await end_membership(
            store, organisation_id, member.account_id, member.email, self.clock()
        )
        await self._audit(store, event, organisation_id, visitor, member.account_id)
        await self._audit(store, event, member.account_id, visitor, membership.name)
        return ended

    async def _audit(
        self, store: SiteStore, event: str, account_id: str, visitor: Visitor, detail: str
    ) -> None:
        person_id = visitor.account.account_id
        actor = "owner" if account_id == person_id else f"member {person_id}"
        await store.record_event(AuditEvent(self.clock(), event, account_id, actor, detail))


async def _member(store: SiteStore, organisation_id: str, account_id: str) -> Member:
    for member in await store.organisations.members(organisation_id):
        if member.account_id == account_id:
            return member
    raise MemberNotFound("There is no such member.", details={"field": "account_id"})
