"""The organisation that a session acts for."""

from collections.abc import Sequence

from auth_service.domain.accounts import Account
from auth_service.domain.organisations.model import Membership
from auth_service.domain.site.ports import SiteStore
from auth_service.domain.site.sessions import WebSession


async def acting_for(
    store: SiteStore, session: WebSession
) -> tuple[Sequence[Membership], Account | None]:
    """Return the memberships of a session's person, and the organisation that it acts for, if any.

    A session never acts for an organisation that its person has left, or that is disabled.
    """
    memberships = await store.organisations.memberships(session.account_id)
    if session.acting_for not in {m.organisation_id for m in memberships}:
        return memberships, None
    organisation = await store.account(session.acting_for or "")
    is_active = organisation is not None and organisation.disabled_at is None
    return memberships, organisation if is_active else None
