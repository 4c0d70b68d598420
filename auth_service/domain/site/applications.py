"""Consents of visitors to applications and devices.

The consent page carries a nonce, valid once and bound to the session that was shown the page, so
that an attacker cannot make another person's browser approve a request (GHSA-rww4-4w9c-7733).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from auth_service.domain.oauth import secrets
from auth_service.domain.organisations.locking import locked
from auth_service.domain.ports import AuditEvent, Clock
from auth_service.domain.site.consents import LIFETIME
from auth_service.domain.site.login_service import Visitor
from auth_service.domain.site.ports import (
    ClientReport,
    PendingConsent,
    SiteTransactions,
    WaitingDevice,
)

Parameters = Sequence[tuple[str, str]]
_CLIENTS = 200


@dataclass(frozen=True, slots=True)
class Applications:
    """Decisions of consent to applications and devices: pending, given and remembered ones."""

    transactions: SiteTransactions
    clock: Clock

    async def add_pending_consent(self, visitor: Visitor, consent: PendingConsent) -> str:
        """Store a request until the visitor decides; return the nonce for the page."""
        nonce = secrets.new_secret()
        async with self.transactions() as store:
            await store.add_pending_consent(
                secrets.sha256(nonce), visitor.session, consent, self.clock() + LIFETIME
            )
        return nonce

    async def redeem_pending_consent(self, visitor: Visitor, nonce: str) -> PendingConsent | None:
        """Return the request of the nonce, once, for the session that was shown it; else None."""
        async with self.transactions() as store:
            return await store.redeem_pending_consent(
                secrets.sha256(nonce), visitor.session, self.clock()
            )

    async def record_decision(
        self, visitor: Visitor, client_id: str, fingerprint: str | None, *, approved: bool
    ) -> None:
        """Record the decision in the audit log; remember an approval that has a fingerprint.

        Raises:
            OrganisationNotFound: The visitor approves for an organisation that they have just left.
        """
        account_id, now = visitor.subject.account_id, self.clock()
        event = "consent_given" if approved else "consent_denied"
        async with self.transactions() as store:
            if approved and visitor.organisation is not None:
                await locked(store, visitor)
            if approved and fingerprint:
                await store.remember_consent(
                    visitor.account.account_id, _of_subject(visitor, fingerprint), now
                )
            await store.record_event(AuditEvent(now, event, account_id, visitor.actor, client_id))

    async def is_remembered(self, visitor: Visitor, fingerprint: str | None) -> bool:
        """Return whether the visitor has given this very consent before and not withdrawn it."""
        if fingerprint is None:
            return False
        async with self.transactions() as store:
            return await store.consent_is_remembered(
                visitor.account.account_id, _of_subject(visitor, fingerprint)
            )

    async def is_connected(self, visitor: Visitor, client_id: str) -> bool:
        """Return whether the visitor has an active grant of the client."""
        async with self.transactions() as store:
            return await store.is_connected(visitor.subject.account_id, client_id, self.clock())

    async def waiting_device(self, user_code: str) -> WaitingDevice | None:
        """Return the device that waits with this code, or None."""
        async with self.transactions() as store:
            return await store.waiting_device(normalised_code(user_code), self.clock())

    async def decide_device(
        self, visitor: Visitor, user_code: str, *, approved: bool, scopes: Sequence[str] = ()
    ) -> bool:
        """Approve the device for these scopes, or deny it; False when it no longer waits.

        Raises:
            OrganisationNotFound: The visitor decides for an organisation that they have just left.
        """
        code, now = normalised_code(user_code), self.clock()
        account_id = visitor.subject.account_id
        event = "device_approved" if approved else "device_denied"
        async with self.transactions() as store:
            if visitor.organisation is not None:
                await locked(store, visitor)
            if not await store.decide_device(
                code,
                account_id,
                now,
                approved=approved,
                scopes=scopes,
                member_id=visitor.member_id,
            ):
                return False
            await store.record_event(AuditEvent(now, event, account_id, visitor.actor, ""))
            return True

    async def clients(self) -> Sequence[ClientReport]:
        """Return the clients, most recently used first, for operators."""
        async with self.transactions() as store:
            return await store.client_reports(_CLIENTS)


def _of_subject(visitor: Visitor, fingerprint: str) -> str:
    """Return the fingerprint of a consent for the account that the visitor acts for.

    Consents are a person's own: no member consents for another.
    """
    organisation = visitor.organisation
    return fingerprint if organisation is None else f"{fingerprint}:{organisation.account_id}"


def normalised_code(user_code: str) -> str:
    """Return a user code as it is stored, however it was entered (RFC 8628 section 6.1)."""
    characters = [c for c in user_code.upper() if c.isalpha() and c.isascii()]
    return "".join(characters[:4]) + "-" + "".join(characters[4:8])
