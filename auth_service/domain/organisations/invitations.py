"""Invitations to organisations, by mail.

The link in the mail is good once, for seven days, and only for the person whose confirmed address it was
sent to: whoever else gets hold of it can do nothing with it. They may sign up first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.addresses import normalised_email
from auth_service.domain.oauth import secrets
from auth_service.domain.organisations import mails
from auth_service.domain.organisations.access import check_owner
from auth_service.domain.organisations.locking import locked_by_owner
from auth_service.domain.organisations.model import (
    INVITATION_LIFETIME,
    MAX_INVITATIONS,
    MAX_MEMBERS,
    Invitation,
    InvitationDead,
    InvitationForAnother,
    OrganisationFull,
    checked_role,
)
from auth_service.domain.organisations.ownership import check_may_own
from auth_service.domain.ports import AuditEvent, Clock, Throttle
from auth_service.domain.rate_limits import RateLimit
from auth_service.domain.site.limited_mailer import LimitedMailer
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import SiteStore, SiteTransactions
from auth_service.domain.site.request_origin import RequestOrigin
from servicekit.errors import Conflict

PATH: Final = "/invitation"
_INVITED: Final = RateLimit("invite", 50, 86_400)
_INVITED_BY_PERSON: Final = RateLimit("invite-by", 50, 86_400)


@dataclass(frozen=True, slots=True)
class Invitations:
    """Invite people, and accept or revoke invitations. An owner invites on behalf of the organisation that they act for."""

    transactions: SiteTransactions
    limited_mailer: LimitedMailer
    throttle: Throttle
    clock: Clock

    async def invite(self, visitor: Visitor, email: str, role: str, origin: RequestOrigin) -> None:
        """Mail a link by which the owner of an address becomes a member; an earlier one ends.

        Raises:
            OwnersOnly: The visitor is no owner.
            InvalidInput: The address or the role is not possible.
            Conflict: The address is a member's.
            OrganisationFull: There are very many members or invitations.
            TooManyAttempts: Too many were invited today.
        """
        check_owner(visitor)
        address, new_role = normalised_email(email), checked_role(role)
        await self.limited_mailer.check(address, origin.network)
        await _INVITED.check(self.throttle, visitor.subject.account_id)
        await _INVITED_BY_PERSON.check(self.throttle, visitor.account.account_id)
        token, now = secrets.new_secret(), self.clock()
        async with self.transactions() as store:
            organisation = await locked_by_owner(store, visitor)
            invitation = Invitation(
                invitation_id=secrets.new_id("inv"),
                organisation_id=organisation.organisation_id,
                email=address,
                role=new_role,
                invited_by=visitor.account.account_id,
                created_at=now,
                expires_at=now + INVITATION_LIFETIME,
            )
            await self._check_number(store, invitation)
            await store.organisations.add_invitation(invitation, secrets.sha256(token))
            event = AuditEvent(
                now, "member_invited", organisation.organisation_id, visitor.actor, address
            )
            await store.record_event(event)
            link = self.limited_mailer.links.to(PATH, token=token)
            mail = mails.invitation(address, visitor.account.email, organisation.name, link)
            await self.limited_mailer.send(store, mail)

    async def pending(self, visitor: Visitor) -> Sequence[Invitation]:
        """Return the invitations that can be accepted; for owners alone, others see none."""
        if visitor.organisation is None or not visitor.is_owner:
            return ()
        async with self.transactions() as store:
            return await store.organisations.invitations(
                visitor.organisation.account_id, self.clock()
            )

    async def revoke(self, visitor: Visitor, invitation_id: str) -> None:
        """End an invitation of the visitor's organisation.

        Raises:
            OwnersOnly: The visitor is no owner.
            InvitationDead: The organisation has no such invitation.
        """
        async with self.transactions() as store:
            organisation = await locked_by_owner(store, visitor)
            organisation_id = organisation.organisation_id
            if not await store.organisations.delete_invitation(organisation_id, invitation_id):
                raise InvitationDead("There is no such invitation.")
            event = AuditEvent(
                self.clock(), "invitation_revoked", organisation_id, visitor.actor, ""
            )
            await store.record_event(event)

    async def organisation_of(self, token: str) -> str:
        """Return the name of the organisation that a link invites to.

        Raises:
            InvitationDead: It was accepted, revoked, or is too old.
        """
        async with self.transactions() as store:
            invitation = await store.organisations.invitation(secrets.sha256(token), self.clock())
            if invitation is None:
                raise _dead()
            names = await store.organisations.names([invitation.organisation_id])
        return names[invitation.organisation_id]

    async def accept(self, visitor: Visitor, token: str) -> str:
        """Make the visitor a member; return the organisation's id. The link ends.

        Raises:
            InvitationDead: It was accepted, revoked, or is too old.
            InvitationForAnother: It was sent to another address than the visitor's; it goes on working.
            OrganisationFull: There are very many members.
            TooManyOrganisations: They would own two on Free; the link goes on working.
        """
        digest, now, person_id = secrets.sha256(token), self.clock(), visitor.account.account_id
        async with self.transactions() as store:
            # In the order of `check_owns_none_alone`: the person, then the organisation.
            await store.lock_account(person_id)
            invitation = await store.organisations.invitation(digest, now)
            if invitation is None:
                raise _dead()
            # Read under the lock: the address may just have changed.
            person = await store.account(person_id)
            if person is None or not _is_for(person, invitation):
                raise InvitationForAnother(
                    "This invitation was sent to another address. Log in with the account of that "
                    "address, or ask for an invitation of yours."
                )
            organisation_id = invitation.organisation_id
            await store.lock_account(organisation_id)
            if not await store.organisations.delete_invitation(
                organisation_id, invitation.invitation_id
            ):
                raise _dead()
            if await store.organisations.membership(organisation_id, person_id) is None:
                await self._add_member(store, visitor, invitation)
        return organisation_id

    async def _add_member(self, store: SiteStore, visitor: Visitor, invitation: Invitation) -> None:
        organisation_id, now = invitation.organisation_id, self.clock()
        if len(await store.organisations.members(organisation_id)) >= MAX_MEMBERS:
            raise OrganisationFull(f"The organisation has {MAX_MEMBERS} members; that is the most.")
        person_id = visitor.account.account_id
        if invitation.role == "owner":
            await check_may_own(store, organisation_id, person_id)
        await store.organisations.add_member(organisation_id, person_id, invitation.role, now)
        names = await store.organisations.names([organisation_id])
        for account_id, actor, detail in (
            (organisation_id, f"member {person_id}", f"{person_id} as {invitation.role}"),
            (person_id, "owner", names[organisation_id]),
        ):
            await store.record_event(AuditEvent(now, "member_joined", account_id, actor, detail))

    async def _check_number(self, store: SiteStore, invitation: Invitation) -> None:
        organisation_id = invitation.organisation_id
        members = await store.organisations.members(organisation_id)
        if invitation.email in {member.email for member in members}:
            raise Conflict(f"{invitation.email} is a member already.", details={"field": "email"})
        pending = await store.organisations.invitations(organisation_id, self.clock())
        others = [other for other in pending if other.email != invitation.email]
        if len(members) >= MAX_MEMBERS or len(others) >= MAX_INVITATIONS:
            raise OrganisationFull(
                f"An organisation has at most {MAX_MEMBERS} members and {MAX_INVITATIONS} open "
                "invitations."
            )


def _is_for(person: Account, invitation: Invitation) -> bool:
    """Return whether an invitation was sent to the confirmed address of a person."""
    return person.email_confirmed_at is not None and person.email == invitation.email


def _dead() -> InvitationDead:
    return InvitationDead(
        "It was accepted or revoked before, or is older than seven days. Ask an owner of the organisation "
        "for another."
    )
