"""The records of the authorization server: clients, codes, grants, refresh tokens, device codes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from auth_service.domain.oauth.registration import ClientMetadata

ClientSource = Literal["operator", "document", "registration"]
"""The origin of a client: added by an operator, by its metadata document, or self-registered."""


@dataclass(frozen=True, slots=True)
class Client:
    """An OAuth client. Confidential ones have `secret_sha256`, those that sign assertions `jwks`."""

    client_id: str
    source: ClientSource
    metadata: ClientMetadata
    secret_sha256: bytes | None = None
    jwks: str | None = None
    account_id: str | None = None
    """The account of a machine client (client credentials); None for all others."""


@dataclass(frozen=True, slots=True)
class Authorization:
    """The access that a user has granted, as held by a code, a device code or a grant."""

    client_id: str
    account_id: str
    scopes: tuple[str, ...]
    resource: str
    member_id: str | None = None
    """The person who has granted it, when the account is an organisation's."""


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """An issued code, with the values that the token request has to match."""

    authorization: Authorization
    redirect_uri: str
    challenge: str
    expires_at: datetime
    thumbprint: str | None = None
    """Thumbprint of the key that the client has to prove (RFC 9449 section 10); None for any or
    none."""
    used_at: datetime | None = None
    grant_id: str | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """A connection of one client to one account, with one family of refresh tokens."""

    grant_id: str
    authorization: Authorization
    created_at: datetime
    expires_at: datetime
    generation: int
    revoked_at: datetime | None = None
    consent_required_at: datetime | None = None
    """The time at which the client was refused for a scope that the grant lacks; None once it was told."""


@dataclass(frozen=True, slots=True)
class StoredRefreshToken:
    """One generation of a grant's refresh token.

    `thumbprint` identifies the key that the token is bound to (RFC 9449 section 5).
    """

    grant: Grant
    generation: int
    expires_at: datetime
    used_at: datetime | None
    thumbprint: str | None


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A pushed authorization request (RFC 9126), as names and values."""

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
    member_id: str | None = None
