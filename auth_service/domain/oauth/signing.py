"""Sign access tokens as JWTs (RFC 9068)."""

import secrets as random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

ALGORITHM: Final = "RS256"
TYPE: Final = "at+jwt"
_BITS: Final = 2048


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The active signing key, and all published keys: retired, active and upcoming ones."""

    active: RSAKey
    published: tuple[RSAKey, ...]

    def jwks(self) -> dict[str, Any]:
        """Return the public keys, as served at `jwks_uri` (RFC 7517 section 5)."""
        return {
            "keys": [
                {**key.as_dict(private=False), "use": "sig", "alg": ALGORITHM}
                for key in self.published
            ]
        }


@dataclass(frozen=True, slots=True)
class RotatedKey:
    """The id of the key that a rotation lets sign, and the time from which it does."""

    kid: str
    active_from: datetime


def generate_key() -> RSAKey:
    """Return a new key whose id is its thumbprint (RFC 7638)."""
    key = RSAKey.generate_key(_BITS, private=True)
    return RSAKey.import_key({**key.as_dict(private=True), "kid": key.thumbprint()})


@dataclass(frozen=True, slots=True)
class Subject:
    """The holder and use of a token.

    `thumbprint` is of the key it is bound to (RFC 9449), if any; `included` says that another call counts for its calls.
    """

    account_id: str
    client_id: str
    grant_id: str
    scopes: Sequence[str]
    resource: str
    thumbprint: str | None = None
    included: bool = False


def sign(
    keys: SigningKeys, issuer: str, subject: Subject, now: datetime, lifetime: timedelta
) -> str:
    """Return an access token for `subject`, valid from `now` (RFC 9068 section 2)."""
    issued = int(now.timestamp())
    claims: dict[str, Any] = {
        "iss": issuer,
        "sub": subject.account_id,
        "aud": subject.resource,
        "client_id": subject.client_id,
        "scope": " ".join(subject.scopes),
        "gid": subject.grant_id,
        "iat": issued,
        "nbf": issued,
        "exp": issued + int(lifetime.total_seconds()),
        "jti": random.token_urlsafe(16),
    }
    if subject.thumbprint is not None:
        claims["cnf"] = {"jkt": subject.thumbprint}
    if subject.included:
        claims["included"] = True
    header = {"alg": ALGORITHM, "typ": TYPE, "kid": keys.active.kid}
    return jwt.encode(header, claims, keys.active, algorithms=[ALGORITHM])


def claims_of(keys: SigningKeys, token: str) -> dict[str, Any] | None:
    """Return the claims of a token that a published key has signed, expired or not; else None."""
    try:
        decoded = jwt.decode(token, KeySet(list(keys.published)), algorithms=[ALGORITHM])
    except (JoseError, ValueError):
        return None
    return dict(decoded.claims) if decoded.header.get("typ") == TYPE else None
