"""Measure the verification of access tokens in the gateway: one seen before, and a new one."""

import asyncio
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from joserfc import jwt
from joserfc.jwk import RSAKey

from gateway.authentication.access_tokens import AccessTokens, TokenPolicy
from gateway.authentication.credentials import CachePolicy, Credentials
from gateway.authentication.principal import Entitlements, Principal

ISSUER: Final = "https://issuer.example"
AUDIENCE: Final = "https://api.example/mcp"
_ROUNDS: Final = 7
_CALLS: Final = 20_000
_NEW: Final = 300


@dataclass(frozen=True, slots=True)
class Verification:
    """Medians in microseconds; `calls` are queries to the auth service meanwhile."""

    cached_us: float
    new_us: float
    calls_for_new: int


class _AuthService:
    """Answers as the auth service does, and counts how often it is asked."""

    def __init__(self, principal: Principal, key: RSAKey) -> None:
        self.principal, self.key, self.calls = principal, key, 0

    async def resolve_grant(self, grant_id: str) -> Principal:  # noqa: ARG002
        self.calls += 1
        return self.principal

    async def signing_keys(self) -> Mapping[str, Any]:
        self.calls += 1
        return {"keys": [self.key.as_dict(private=False)]}


def _tokens(key: RSAKey, count: int) -> list[str]:
    now = int(time.time())
    return [
        jwt.encode(
            {"alg": "RS256", "typ": "at+jwt", "kid": key.kid},
            {
                "iss": ISSUER,
                "aud": AUDIENCE,
                "sub": "acc",
                "gid": "gr",
                "scope": "catalog:read account:read offline_access",
                "iat": now,
                "exp": now + 3600,
                "jti": str(number),
            },
            key,
            algorithms=["RS256"],
        )
        for number in range(count)
    ]


async def measure() -> Verification:
    """Both, after the first token has brought the keys and its grant's standing."""
    key = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
    entitlements = Entitlements("acc", "creator", "Creator", 1_000, 300, 30.0, (), disabled=False)
    auth: Any = _AuthService(
        Principal("gr", ("catalog:read", "account:read"), entitlements, None), key
    )
    credentials = Credentials(CachePolicy(3_600, 5, 10_000))
    verifier = AccessTokens(auth, credentials, TokenPolicy(ISSUER, AUDIENCE))
    first, *new = _tokens(key, _NEW + 1)
    await verifier.verify(first)
    calls_before = auth.calls
    started = time.perf_counter()
    for token in new:
        await verifier.verify(token)
    new_us = (time.perf_counter() - started) / len(new) * 1e6
    rounds: list[float] = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        for _ in range(_CALLS):
            await verifier.verify(first)
        rounds.append((time.perf_counter() - started) / _CALLS * 1e6)
    return Verification(statistics.median(rounds), new_us, auth.calls - calls_before)


def run() -> Verification:
    """`measure`, in a loop of its own."""
    return asyncio.run(measure())
