"""The rule that every organisation has an owner, and the end of a membership."""

from datetime import datetime

from auth_service.domain.organisations.model import LastOwner, Membership
from auth_service.domain.site.access_revocation import RevokedAccess
from auth_service.domain.site.ports import SiteStore


async def check_owner_remains(store: SiteStore, organisation_id: str, account_id: str) -> None:
    """Refuse to take the role of owner from the last one. The organisation has to be locked.

    Raises:
        LastOwner: Nobody else is an owner.
    """
    members = await store.organisations.members(organisation_id)
    if {m.account_id for m in members if m.role == "owner"} == {account_id}:
        raise LastOwner(
            "An organisation has at least one owner. Make somebody else an owner first, or delete the "
            "organisation."
        )


async def check_owns_none_alone(store: SiteStore, account_id: str) -> None:
    """Refuse the deletion of a person who is the last owner of an organisation.

    Raises:
        LastOwner: Nobody else owns one of the organisations.
    """
    membership = await owned_alone(store, account_id)
    if membership is not None:
        raise LastOwner(
            f"You are the only owner of {membership.name}. Make somebody else an owner there, or "
            "delete the organisation, and then delete your account."
        )


async def owned_alone(store: SiteStore, account_id: str) -> Membership | None:
    """Return an organisation that a person alone owns, None if there is none.

    The person is locked, then the organisations: nobody becomes or stops being an owner meanwhile.
    """
    await store.lock_account(account_id)
    memberships = await store.organisations.memberships(account_id)
    for organisation_id in sorted(m.organisation_id for m in memberships):
        await store.lock_account(organisation_id)
    for membership in await store.organisations.memberships(account_id):
        try:
            await check_owner_remains(store, membership.organisation_id, account_id)
        except LastOwner:
            return membership
    return None


async def end_membership(
    store: SiteStore, organisation_id: str, account_id: str, email: str, now: datetime
) -> RevokedAccess:
    """End a membership with all that the member may use of the organisation; its API keys stay."""
    ended = await store.organisations.end_connections(account_id, now, organisation_id)
    await store.organisations.withdraw_invitations(
        organisation_id, invited_by=account_id, email=email
    )
    await store.organisations.end_membership(organisation_id, account_id)
    return RevokedAccess(organisation_id, member_grants=ended)
