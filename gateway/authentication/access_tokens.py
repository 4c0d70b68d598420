"""OAuth access tokens: JWTs of our authorization server, verified here (RFC 9068).

A token's own claims are checked once and cached by the token's hash. The auth service resolves the
grant of the token and the account's plan; that is cached briefly, as for API keys.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from gateway.authentication.principal import BoundPrincipal, IncludedPrincipal
from gateway.authentication.signing_keys import SigningKeys
from servicekit.errors import Unauthenticated

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from gateway.authentication.credentials import Credentials
    from gateway.authentication.ports import AuthService
    from gateway.authentication.principal import Principal

_TYPES: Final = ("at+jwt", "application/at+jwt")
_LEEWAY_SECONDS: Final = 30.0
"""How far the clock of the auth service may be ahead of ours."""

_CACHED: Final = 10_000


@dataclass(frozen=True, slots=True)
class TokenPolicy:
    """The required issuer and audience of a token, and the time for which unrefreshed keys are used."""

    issuer: str
    audience: str
    stale_seconds: float = 0.0


@dataclass(slots=True)
class _Claims:
    """The claims of a checked token, and its bearer for as long as the grant does not change."""

    handle: bytes
    resolve: Callable[[], Awaitable[Principal]]
    scopes: tuple[str, ...]
    expires_at: float
    thumbprint: str | None
    is_included: bool
    grant: Principal | None = None
    caller: Principal | None = None

    def caller_of(self, grant: Principal) -> Principal:
        held = tuple(scope for scope in self.scopes if scope in grant.scopes)
        expires_at = datetime.fromtimestamp(self.expires_at, UTC)
        if self.is_included:
            return IncludedPrincipal(grant.credential_id, held, grant.entitlements, expires_at)
        if self.thumbprint is None:
            return replace(grant, scopes=held, expires_at=expires_at)
        return BoundPrincipal(
            grant.credential_id, held, grant.entitlements, expires_at, self.thumbprint
        )


class AccessTokens:
    """A `TokenVerifier` of access tokens."""

    def __init__(
        self,
        auth_service: AuthService,
        credentials: Credentials,
        policy: TokenPolicy,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._auth_service = auth_service
        self._credentials = credentials
        self._policy = policy
        self._now = now
        self._verified: OrderedDict[bytes, _Claims] = OrderedDict()
        # A token whose key is not published any more has to be checked again.
        self._keys = SigningKeys(auth_service, policy.stale_seconds, self._verified.clear, now)

    def recognises(self, token: str) -> bool:
        return token.count(".") == 2

    async def verify(self, token: str) -> Principal:
        digest = hashlib.sha256(token.encode()).digest()
        claims = self._verified.get(digest)
        if claims is None:
            claims = await self._checked(token)
            self._verified[digest] = claims
            if len(self._verified) > _CACHED:
                self._verified.popitem(last=False)
        if claims.expires_at <= self._now():
            self._verified.pop(digest, None)
            raise _invalid("The access token has expired.", "TOKEN_EXPIRED")
        grant = await self._credentials.get(claims.handle, claims.resolve)
        if claims.caller is None or claims.grant is not grant:
            claims.grant, claims.caller = grant, claims.caller_of(grant)
        return claims.caller

    async def _checked(self, token: str) -> _Claims:
        header, claims = await self._keys.decoded(token)
        if header.get("typ", "").lower() not in _TYPES:
            raise _invalid("This token is not an access token.")
        if claims.get("iss") != self._policy.issuer or not self._is_for_us(claims.get("aud")):
            raise _invalid("This token was issued by another server or for another resource.")
        expires_at, grant_id = claims.get("exp"), claims.get("gid")
        if not isinstance(expires_at, int | float) or not isinstance(grant_id, str):
            raise _invalid("This token lacks a claim that every access token has.")
        self._check_begun(claims)
        return _Claims(
            f"grant:{grant_id}".encode(),
            functools.partial(self._auth_service.resolve_grant, grant_id),
            tuple(str(claims.get("scope", "")).split()),
            float(expires_at),
            _thumbprint(claims.get("cnf")),
            claims.get("included") is True,
        )

    def _check_begun(self, claims: Mapping[str, Any]) -> None:
        """RFC 7519 sections 4.1.5 and 4.1.6, for clocks that are a little apart."""
        latest = self._now() + _LEEWAY_SECONDS
        for name in ("iat", "nbf"):
            moment = claims.get(name, 0)
            if isinstance(moment, bool) or not isinstance(moment, int | float):
                raise _invalid(f"The claim {name} of this token is not a time.")
            if moment > latest:
                raise _invalid("This token is not valid yet.")

    def _is_for_us(self, audience: object) -> bool:
        """RFC 7519 section 4.1.3: one audience or a list of them."""
        ours = self._policy.audience
        return audience == ours or (isinstance(audience, list) and ours in audience)


def _thumbprint(confirmation: object) -> str | None:
    """Return the key that a token is bound to (RFC 9449 section 6.1), None for one bound to none.

    A way of confirmation that is not known here cannot be checked, so its token does not hold.
    """
    if confirmation is None:
        return None
    if isinstance(confirmation, dict):
        members = cast("dict[str, object]", confirmation)
        thumbprint = members.get("jkt")
        if isinstance(thumbprint, str) and len(members) == 1:
            return thumbprint
    raise _invalid("This token is bound in a way that is not known here.")


def _invalid(message: str, reason: str = "TOKEN_INVALID") -> Unauthenticated:
    return Unauthenticated(f"{message} Connect again to get a new one.", reason)
