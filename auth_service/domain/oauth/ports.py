"""Storage ports of the authorization server.

A store is one transaction: its changes are committed together when the transaction ends, or rolled
back when it fails. It is synchronous because Authlib is.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Protocol

from auth_service.domain.oauth.machines import Machine
from auth_service.domain.oauth.model import (
    AuthorizationCode,
    Client,
    DeviceAuthorization,
    Grant,
    PushedRequest,
    StoredRefreshToken,
)
from auth_service.domain.ports import AuditEvent


class OAuthStore(Protocol):
    """A transaction on clients, codes, grants and tokens. Secrets are passed as SHA-256."""

    def client(self, client_id: str) -> Client | None: ...

    def registered_client(self, fingerprint: str) -> Client | None:
        """Return the public client that registered with the same metadata, or None."""
        ...

    def add_client(self, client: Client, fingerprint: str, now: datetime) -> None: ...

    def machines(self, account_id: str) -> Sequence[Machine]:
        """Return the machines that act for an account, oldest first."""
        ...

    def is_machine(self, client_id: str) -> bool:
        """Return whether a client is a machine, which stays one until the transaction ends."""
        ...

    def remove_machine(self, client_id: str, now: datetime) -> Machine | None:
        """Delete a machine and revoke its grants; return what it was, None if there is no such machine."""
        ...

    def save_code(self, code_sha256: bytes, code: AuthorizationCode) -> None: ...

    def claim_code(self, code_sha256: bytes, now: datetime) -> AuthorizationCode | None:
        """Mark the code used and return it as it was before; `used_at` is None for the first caller only."""
        ...

    def link_code(self, code_sha256: bytes, grant_id: str) -> None:
        """Record the grant that a code was exchanged for, so that a replay can revoke it."""
        ...

    def add_grant(self, grant: Grant) -> None: ...

    def grant(self, grant_id: str) -> Grant | None: ...

    def revoke_grant(self, grant_id: str, reason: str, now: datetime) -> bool:
        """Revoke a grant, record it in the audit log and announce it after the transaction.

        Returns False when it was revoked before.
        """
        ...

    def add_refresh_token(self, token_sha256: bytes, token: StoredRefreshToken) -> None: ...

    def lock_refresh_token(self, token_sha256: bytes) -> StoredRefreshToken | None:
        """Return the token with its grant, locked against concurrent rotation of the grant."""
        ...

    def rotate(self, grant_id: str, generation: int, now: datetime) -> None:
        """Mark `generation` used and make the next one the grant's newest."""
        ...

    def forget_required_consent(self, grant_id: str) -> None:
        """Answer the grant's refreshes as ever again."""
        ...

    def account_is_active(self, account_id: str, member_id: str | None = None) -> bool:
        """Return whether the account, and the member who acts for it if any, are not disabled."""
        ...

    def keeps_membership(self, organisation_id: str, member_id: str) -> bool:
        """Return whether somebody is a member, who stays one until the transaction ends."""
        ...

    def add_device(self, device_sha256: bytes, device: DeviceAuthorization) -> None: ...

    def poll_device(
        self, device_sha256: bytes, now: datetime, interval: timedelta
    ) -> tuple[DeviceAuthorization, bool] | None:
        """Return the device's state, and whether it polls more often than every `interval`."""
        ...

    def finish_device(self, device_sha256: bytes) -> bool:
        """Consume an approved device code; False when it was consumed before."""
        ...

    def remember_assertion(self, client_id: str, jti: str, expires_at: datetime) -> bool:
        """Store an assertion id until it expires; False when the client has used it before."""
        ...

    def push_request(
        self, uri_sha256: bytes, request: PushedRequest, expires_at: datetime, now: datetime
    ) -> None:
        """Store a pushed request until a browser opens it, and delete expired ones."""
        ...

    def open_request(
        self,
        uri_sha256: bytes,
        client_id: str,
        opened_sha256: bytes,
        now: datetime,
        expires_at: datetime,
    ) -> bool:
        """Rename a pushed request and set its expiry, once; False unless this client pushed it."""
        ...

    def opened_request(self, opened_sha256: bytes, now: datetime) -> PushedRequest | None:
        """Return the unexpired opened request with this name, or None."""
        ...

    def finish_request(self, opened_sha256: bytes) -> bool:
        """Consume an opened request; False when it was consumed before."""
        ...

    def record_event(self, event: str, account_id: str | None, detail: str, now: datetime) -> None:
        """Add an event to the audit log. `detail` never holds tokens or codes."""
        ...

    def record_operators_event(self, event: AuditEvent) -> None:
        """Add what an operator did to the audit log."""
        ...


class DocumentClients(Protocol):
    """Clients identified by a metadata document. Finding one may fetch it: open no store meanwhile."""

    async def find(self, client_id: str, network: str) -> Client | None:
        """Return the client whose document is at `client_id`, for a caller in `network`.

        Returns None when `client_id` is not a document URL, or the document is invalid.

        Raises:
            ResourceExhausted: Too many documents for this network, or of this host.
            Unavailable: The document cannot be read now.
        """
        ...


class OAuthTransactions(Protocol):
    """Open stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractContextManager[OAuthStore]: ...
