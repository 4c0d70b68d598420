"""What the authorization server keeps: clients, codes, grants, refresh tokens, device codes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from auth_service.domain.oauth.registration import ClientMetadata

ClientSource = Literal["operator", "document", "registration"]
"""How a client became known: entered by an operator, by its metadata document, or by itself."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client. Confidential ones have `secret_sha256`, those that sign assertions `jwks`."""

    client_id: str
    source: ClientSource
    metadata: ClientMetadata
    secret_sha256: bytes | None = None
    jwks: str | None = None
    account_id: str | None = None
    """Whose a machine client is (client credentials); None for all others."""


@dataclass(frozen=True, slots=True)
class Authorization:
    """What a user has agreed to: the content of a code and of a device code."""

    client_id: str
    account_id: str
    scopes: tuple[str, ...]
    resource: str


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """A code as it was issued, with what has to come back at the token endpoint."""

    authorization: Authorization
    redirect_uri: str
    challenge: str
    expires_at: datetime
    thumbprint: str | None = None
    """Of the key that the client has to prove (RFC 9449 section 10); None for any or none."""
    used_at: datetime | None = None
    grant_id: str | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """One connection of one client to one account; the family of its refresh tokens."""

    grant_id: str
    authorization: Authorization
    created_at: datetime
    expires_at: datetime
    generation: int
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredRefreshToken:
    """One generation of a grant's refresh token.

    `thumbprint` is that of the key it is bound to (RFC 9449 section 5).
    """

    grant: Grant
    generation: int
    expires_at: datetime
    used_at: datetime | None
    thumbprint: str | None


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """An authorization request that a client sent ahead (RFC 9126), by name and value."""

    client_id: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DeviceAuthorization:
    """A device waiting for its user (RFC 8628). `approved` is None until the user has decided."""

    client_id: str
    user_code: str
    scopes: tuple[str, ...]
    resource: str
    expires_at: datetime
    last_polled_at: datetime | None = None
    account_id: str | None = None
    approved: bool | None = None
