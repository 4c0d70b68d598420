"""The rule that nobody owns two organisations on Free: each would be a further free quota."""

from auth_service.domain.organisations.model import Membership, TooManyOrganisations
from auth_service.domain.plans import FREE
from auth_service.domain.site.ports import SiteStore


async def owned_on_free(store: SiteStore, account_id: str) -> Membership | None:
    """Return an organisation on Free that a person owns, None if there is none."""
    for membership in await store.organisations.memberships(account_id):
        if membership.is_owner and await _is_on_free(store, membership.organisation_id):
            return membership
    return None


async def check_may_own(store: SiteStore, organisation_id: str, account_id: str) -> None:
    """Refuse a new owner, whose account has to be locked.

    Raises:
        TooManyOrganisations: The organisation is on Free, and they own another that is.
    """
    if (
        await _is_on_free(store, organisation_id)
        and await owned_on_free(store, account_id) is not None
    ):
        raise TooManyOrganisations(
            "Nobody owns two organisations on the plan Free: the new owner has one already, and this is on "
            "Free, too. Get one of them another plan first (the page Plans says how)."
        )


async def _is_on_free(store: SiteStore, organisation_id: str) -> bool:
    account = await store.account(organisation_id)
    return account is not None and account.plan_id == FREE
