"""Open sessions of people who have shown who they are."""

from datetime import datetime
from typing import Final

from auth_service.domain.accounts import Account
from auth_service.domain.oauth import secrets
from auth_service.domain.ports import AuditEvent
from auth_service.domain.site.ports import SiteStore
from auth_service.domain.site.request_origin import RequestOrigin
from auth_service.domain.site.sessions import ABSOLUTE, WebSession

_MAX_USER_AGENT: Final = 200


async def open_session(
    store: SiteStore, account: Account, origin: RequestOrigin, by: str, now: datetime
) -> str:
    """Store a new session of the account, and return its secret."""
    secret = secrets.new_secret()
    session = WebSession(
        session_id=secrets.new_id("ses"),
        account_id=account.account_id,
        user_agent=origin.user_agent[:_MAX_USER_AGENT],
        created_at=now,
        last_seen_at=now,
        expires_at=now + ABSOLUTE,
        address=origin.address,
    )
    await store.add_session(session, secrets.sha256(secret))
    detail = f"by {by} from {origin.address}"
    await store.record_event(AuditEvent(now, "logged_in", account.account_id, "owner", detail))
    return secret
