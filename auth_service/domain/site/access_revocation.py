"""Revoke the credentials of an account: its applications and, on request, its API keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from auth_service.domain.ports import AuditEvent, RevocationPublisher
from auth_service.domain.site.ports import SiteStore


@dataclass(frozen=True, slots=True)
class RevokedAccess:
    """Revoked credentials of an account, to be announced to the gateways after the commit."""

    account_id: str
    grant_ids: Sequence[str] = ()
    key_ids: Sequence[str] = ()
    member_grants: Sequence[tuple[str, str]] = ()
    """Organisation and grant of each connection that the person made for an organisation."""

    async def announce(self, feed: RevocationPublisher) -> None:
        """Publish the revocations to the gateways."""
        for grant_id in self.grant_ids:
            await feed.announce(self.account_id, "grant_revoked", credential_id=grant_id)
        for organisation_id, grant_id in self.member_grants:
            await feed.announce(organisation_id, "grant_revoked", credential_id=grant_id)
        for key_id in self.key_ids:
            await feed.announce(self.account_id, "key_revoked", credential_id=key_id)


async def end_access(
    store: SiteStore,
    account_id: str,
    now: datetime,
    *,
    apps: bool = True,
    keys: bool = False,
    actor: str = "owner",
) -> RevokedAccess:
    """Revoke all applications of a person with their consents, all API keys, or both.

    Applications that the person connected to organisations are among them; keys of organisations stay.
    """
    grant_ids = await store.revoke_all_apps(account_id, now) if apps else ()
    member_grants = await store.organisations.end_connections(account_id, now) if apps else ()
    key_ids = await store.revoke_keys(account_id, now) if keys else ()
    for key_id in key_ids:
        await store.record_event(AuditEvent(now, "key_revoked", account_id, actor, key_id))
    return RevokedAccess(account_id, grant_ids, key_ids, member_grants)
