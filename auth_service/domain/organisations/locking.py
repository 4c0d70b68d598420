"""The organisation that a visitor acts for, locked, with the role that they have now.

The role that a page was opened with may be gone: two owners who remove each other at once both had it.
"""

from auth_service.domain.organisations.model import Membership, no_member, owners_only
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import SiteStore


async def locked(store: SiteStore, visitor: Visitor) -> Membership:
    """Lock the organisation until the transaction ends; return the visitor's membership.

    Raises:
        OrganisationNotFound: The visitor acts for none, or is no member any more.
    """
    organisation, membership = visitor.organisation, None
    if organisation is not None:
        await store.lock_account(organisation.account_id)
        membership = await store.organisations.membership(
            organisation.account_id, visitor.account.account_id
        )
    if membership is None:
        raise no_member()
    return membership


async def locked_by_owner(store: SiteStore, visitor: Visitor) -> Membership:
    """Lock the organisation of an owner, as `locked` does.

    Raises:
        OrganisationNotFound: The visitor acts for none, or is no member any more.
        OwnersOnly: The visitor is no owner.
    """
    membership = await locked(store, visitor)
    if not membership.is_owner:
        raise owners_only()
    return membership
