"""What the authorization server needs of its storage.

A store is one transaction: what its methods do becomes true together when the transaction that
gave it ends, and not at all when it fails. It is synchronous, since Authlib is.
"""

from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Protocol

from auth_service.domain.oauth.model import (
    AuthorizationCode,
    Client,
    DeviceAuthorization,
    Grant,
    PushedRequest,
    StoredRefreshToken,
)


class OAuthStore(Protocol):
    """One transaction on clients, codes, grants and tokens. Secrets come as SHA-256."""

    def client(self, client_id: str) -> Client | None: ...

    def registered_client(self, fingerprint: str) -> Client | None:
        """A public client that registered with the same metadata."""
        ...

    def add_client(self, client: Client, fingerprint: str, now: datetime) -> None: ...

    def save_code(self, code_sha256: bytes, code: AuthorizationCode) -> None: ...

    def claim_code(self, code_sha256: bytes, now: datetime) -> AuthorizationCode | None:
        """Marks the code used and returns it as it was before, unused for the first alone."""
        ...

    def link_code(self, code_sha256: bytes, grant_id: str) -> None:
        """Notes the grant that came of a code, so that a replay can revoke it."""
        ...

    def add_grant(self, grant: Grant) -> None: ...

    def grant(self, grant_id: str) -> Grant | None: ...

    def revoke_grant(self, grant_id: str, reason: str, now: datetime) -> bool:
        """Ends a grant, notes it in the audit log and announces it after the transaction.

        False when it had ended before.
        """
        ...

    def add_refresh_token(self, token_sha256: bytes, token: StoredRefreshToken) -> None: ...

    def lock_refresh_token(self, token_sha256: bytes) -> StoredRefreshToken | None:
        """The token with its grant, locked against every other rotation of the same grant."""
        ...

    def rotate(self, grant_id: str, generation: int, now: datetime) -> None:
        """Marks `generation` used and makes the next one the grant's newest."""
        ...

    def account_is_active(self, account_id: str) -> bool: ...

    def add_device(self, device_sha256: bytes, device: DeviceAuthorization) -> None: ...

    def poll_device(
        self, device_sha256: bytes, now: datetime, interval: timedelta
    ) -> tuple[DeviceAuthorization, bool] | None:
        """The device's state, and whether it asks more often than every `interval`."""
        ...

    def finish_device(self, device_sha256: bytes) -> bool:
        """Uses up an approved device code; False when that has happened before."""
        ...

    def remember_assertion(self, client_id: str, jti: str, expires_at: datetime) -> bool:
        """False when the client has used this assertion id before."""
        ...

    def push_request(
        self, uri_sha256: bytes, request: PushedRequest, expires_at: datetime, now: datetime
    ) -> None:
        """Keeps a request until a browser opens it, and discards those that have expired."""
        ...

    def open_request(
        self,
        uri_sha256: bytes,
        client_id: str,
        opened_sha256: bytes,
        now: datetime,
        expires_at: datetime,
    ) -> bool:
        """Gives a request another name and time, once; false unless the client has pushed it."""
        ...

    def opened_request(self, opened_sha256: bytes, now: datetime) -> PushedRequest | None:
        """The request of this name."""
        ...

    def finish_request(self, opened_sha256: bytes) -> bool:
        """Uses up an opened request; false when that has happened before."""
        ...

    def record_event(self, event: str, account_id: str | None, detail: str, now: datetime) -> None:
        """Adds to the audit log. Never tokens or codes."""
        ...


class DocumentClients(Protocol):
    """Clients that are known by their metadata document. It may be fetched, so no store is open."""

    async def find(self, client_id: str, network: str) -> Client | None:
        """The client whose document is at `client_id`, for a caller in `network`.

        None when `client_id` is no such URL, or what is there is not fit.

        Raises:
            ResourceExhausted: Too many documents for this network, or of this host.
            Unavailable: The document cannot be read now.
        """
        ...


class OAuthTransactions(Protocol):
    """Opens stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractContextManager[OAuthStore]: ...
