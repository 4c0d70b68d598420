"""Access tokens: verified by signature and claims, then by the standing of their grant."""

import asyncio
import base64
import hmac
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from gateway.authentication.access_tokens import AccessTokens, TokenPolicy
from gateway.authentication.credentials import CachePolicy, Credentials
from gateway.authentication.principal import EntitlementsChange, IncludedPrincipal
from servicekit.errors import Unauthenticated, Unavailable
from tests.fakes.gateway_ports import FakeAccess, principal

ISSUER, AUDIENCE = "https://issuer.example", "https://api.example/mcp"
GRANT = "gr_1"
KEY = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
OTHER_KEY = RSAKey.generate_key(2048, parameters={"kid": "two"}, private=True)
NOW = 1_800_000_000.0


class Keys(FakeAccess):
    """An auth service that may give no keys; grants are not concerned."""

    away: Unavailable | None = None

    async def signing_keys(self) -> Any:
        await asyncio.sleep(0)
        if self.away is not None:
            raise self.away
        return await super().signing_keys()


class Fixture:
    """Tokens over a fake auth service, at a time that the test sets."""

    def __init__(self, stale_seconds: float = 0.0) -> None:
        self.access = Keys()
        self.access.give(GRANT, principal())
        self.publish(KEY)
        self.seconds = NOW
        self.credentials = Credentials(CachePolicy(30, 5, 10), monotonic=lambda: self.seconds)
        self.tokens = AccessTokens(
            self.access,
            self.credentials,
            TokenPolicy(ISSUER, AUDIENCE, stale_seconds),
            now=lambda: self.seconds,
        )

    def publish(self, *keys: RSAKey) -> None:
        self.access.jwks = {"keys": [key.as_dict(private=False) for key in keys]}


def token(key: RSAKey = KEY, header: dict[str, Any] | None = None, **claims: Any) -> str:
    full = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "account-1",
        "gid": GRANT,
        "scope": "catalog:read",
        "iat": int(NOW),
        "exp": int(NOW) + 3600,
    } | claims
    claims_present = {name: value for name, value in full.items() if value is not None}
    head = {"alg": "RS256", "typ": "at+jwt", "kid": key.kid} | (header or {})
    return jwt.encode(head, claims_present, key, algorithms=["RS256"])


async def test_a_good_token_gives_the_grants_principal() -> None:
    found = await Fixture().tokens.verify(token())
    assert found.entitlements.account_id == "account-1"
    assert found.scopes == ("catalog:read",)


async def test_a_token_of_the_site_says_that_another_call_counts_for_its_calls() -> None:
    fixture = Fixture()
    included = await fixture.tokens.verify(token(included=True))
    assert isinstance(included, IncludedPrincipal)
    assert included.scopes == ("catalog:read",)
    for other in (False, "true", 1, None):
        assert not isinstance(await fixture.tokens.verify(token(included=other)), IncludedPrincipal)


async def test_a_token_is_verified_once_and_its_grant_resolved_again_in_time() -> None:
    fixture = Fixture()
    good = token()
    for at, resolved in ((0, 1), (29, 1), (31, 2)):
        fixture.seconds = NOW + at
        await fixture.tokens.verify(good)
        assert (fixture.access.key_requests, fixture.access.resolved) == (1, resolved)


async def test_an_ended_grant_is_refused_as_soon_as_that_is_pushed() -> None:
    fixture = Fixture()
    good = token()
    await fixture.tokens.verify(good)
    fixture.access.holders.clear()
    fixture.credentials.forget(EntitlementsChange("account-1"))
    with pytest.raises(Unauthenticated):
        await fixture.tokens.verify(good)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "https://other.example/mcp"},
        {"aud": ["https://other.example/mcp"]},
        {"aud": None},
        {"exp": int(NOW)},
        {"exp": None},
        {"gid": None},
        {"iat": int(NOW) + 600},
        {"iat": "soon"},
        {"nbf": int(NOW) + 31},
        {"nbf": "soon"},
        {"nbf": True},
    ],
)
async def test_a_token_with_a_wrong_claim_is_refused(claims: dict[str, Any]) -> None:
    with pytest.raises(Unauthenticated):
        await Fixture().tokens.verify(token(**claims))


async def test_a_token_works_from_its_beginning_on_by_clocks_a_little_apart() -> None:
    fixture = Fixture()
    begins_later = token(nbf=int(NOW) + 600)
    with pytest.raises(Unauthenticated, match="not valid yet"):
        await fixture.tokens.verify(begins_later)
    fixture.seconds = NOW + 570
    await fixture.tokens.verify(begins_later)


async def test_a_token_expires_though_it_was_verified_before() -> None:
    fixture = Fixture()
    good = token()
    await fixture.tokens.verify(good)
    fixture.seconds = NOW + 3600
    with pytest.raises(Unauthenticated, match="expired"):
        await fixture.tokens.verify(good)


async def test_another_kind_of_jwt_is_refused() -> None:
    for kind in ("JWT", "dpop+jwt"):
        with pytest.raises(Unauthenticated):
            await Fixture().tokens.verify(token(header={"typ": kind}))


async def test_a_token_of_another_algorithm_is_refused() -> None:
    payload = token().split(".")[1]
    confused = _part(b'{"alg":"HS256","typ":"at+jwt","kid":"one"}') + "." + payload
    secret = KEY.as_pem(private=False)  # what a verifier would use that trusted the header
    forged = confused + "." + _part(hmac.digest(secret, confused.encode(), "sha256"))
    bare = _part(b'{"alg":"none","typ":"at+jwt"}') + "." + payload + "."
    for bad in (forged, bare, "a.b.c", token()[:-4] + "AAAA"):
        with pytest.raises(Unauthenticated):
            await Fixture().tokens.verify(bad)


def _part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@pytest.mark.parametrize("named", ["one", OTHER_KEY.kid, KEY.kid])
async def test_a_key_in_the_token_itself_is_not_believed(named: str) -> None:
    header = {"jwk": OTHER_KEY.as_dict(private=False) | {"kid": named}, "kid": named}
    with pytest.raises(Unauthenticated):
        await Fixture().tokens.verify(token(OTHER_KEY, header))


async def test_a_new_key_is_fetched_at_most_every_ten_seconds() -> None:
    fixture = Fixture()
    await fixture.tokens.verify(token())
    rotated = token(OTHER_KEY)
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            await fixture.tokens.verify(rotated)
    assert fixture.access.key_requests == 1
    fixture.publish(KEY, OTHER_KEY)
    fixture.seconds += 11
    await fixture.tokens.verify(rotated)
    assert fixture.access.key_requests == 2


@pytest.mark.parametrize("document", [None, {}, {"keys": []}, {"keys": [{"kty": "x"}]}, [], "x"])
async def test_keys_that_cannot_be_read_are_an_outage_and_end_none_that_could(
    document: Any,
) -> None:
    it = Fixture()
    it.access.jwks = document
    with pytest.raises(Unavailable):
        await it.tokens.verify(token())
    it.publish(KEY)
    await it.tokens.verify(token())
    it.access.jwks, it.seconds = document, NOW + 11
    with pytest.raises(Unavailable):  # it may be of a newer key
        await it.tokens.verify(token(OTHER_KEY))
    await it.tokens.verify(token(jti="another"))


async def test_known_keys_hold_without_the_auth_service_for_the_stale_time_alone() -> None:
    it = Fixture(stale_seconds=900)
    await it.tokens.verify(token())
    it.access.away = Unavailable("The auth service is away.")
    for number, at in enumerate((60, 301, 899)):
        it.seconds = NOW + at
        await it.tokens.verify(token(jti=str(number)))
        with pytest.raises(Unavailable):  # 401 would have its client throw the token away
            await it.tokens.verify(token(OTHER_KEY, jti=str(number)))
    it.seconds = NOW + 300 + 900
    with pytest.raises(Unavailable):
        await it.tokens.verify(token(jti="late"))
    it.access.away = None
    it.seconds += 10
    await it.tokens.verify(token(jti="late"))


async def test_a_key_that_is_not_published_any_more_ends_with_what_it_signed() -> None:
    it = Fixture()
    old = token()
    await it.tokens.verify(old)
    it.publish(OTHER_KEY)
    it.seconds = NOW + 301
    await it.tokens.verify(token(OTHER_KEY))
    with pytest.raises(Unauthenticated):
        await it.tokens.verify(old)


async def test_tokens_of_a_new_key_are_all_accepted_though_they_come_at_once() -> None:
    it = Fixture()
    await it.tokens.verify(token())
    it.publish(KEY, OTHER_KEY)
    it.seconds = NOW + 11
    rotated = [token(OTHER_KEY, jti=str(number)) for number in range(5)]
    await asyncio.gather(*(it.tokens.verify(item) for item in rotated))
    assert it.access.key_requests == 2
