"""Rules of scopes, PKCE, resources and refresh tokens."""

import base64
import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.oauth import pkce, refresh, resources, scopes, secrets
from auth_service.domain.oauth.refresh import RefreshDecision, RefreshToken

RESOURCE = "https://api.example.com/mcp"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
GRACE = timedelta(seconds=30)
known_scopes = st.sets(st.sampled_from(list(scopes.DESCRIPTIONS)))


@given(known_scopes, st.lists(st.text()))
def test_only_known_scopes_are_granted(requested: set[str], strangers: list[str]) -> None:
    granted = scopes.grantable([*requested, *strangers])
    assert set(granted) <= set(scopes.DESCRIPTIONS)
    assert requested <= set(granted)


def test_a_request_without_scopes_gets_the_default() -> None:
    assert scopes.grantable(scopes.parse(None)) == scopes.DEFAULT
    assert scopes.grantable(["offline_access"]) == (*scopes.DEFAULT, "offline_access")


@given(known_scopes, st.text(alphabet='abc:_é"\\', min_size=1))
def test_a_request_with_an_unknown_scope_is_refused(requested: set[str], stranger: str) -> None:
    assert scopes.refusal(" ".join(requested)) is None
    refusal = scopes.refusal(" ".join([*requested, stranger]))
    assert refusal is not None
    assert not set(refusal) & set('"\\é')


@given(known_scopes)
def test_a_plan_keeps_out_the_scopes_that_it_lacks(requested: set[str]) -> None:
    read = {scopes.CATALOG_READ, scopes.ACCOUNT_READ}
    left = scopes.within(requested, read)
    expected = requested - {scopes.CHANNELS_IMPORT}
    assert set(left) == (expected if expected & read else set())


@given(known_scopes, known_scopes)
def test_a_refresh_narrows_and_never_widens(granted: set[str], requested: set[str]) -> None:
    result = scopes.narrow(granted, requested)
    if requested <= granted:
        assert set(result or ()) == (requested or granted)
    else:
        assert result is None


@given(st.from_regex(r"[A-Za-z0-9._~-]{43,128}", fullmatch=True))
def test_the_verifier_proves_its_own_challenge_alone(verifier: str) -> None:
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert pkce.is_challenge(challenge, "S256")
    assert pkce.proves(verifier, challenge)
    assert not pkce.proves(verifier[:-1] + ("a" if verifier[-1] != "a" else "b"), challenge)


@pytest.mark.parametrize("length", [0, 1, 42, 129])
def test_a_verifier_of_another_length_proves_nothing(length: int) -> None:
    verifier = "a" * length
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert not pkce.proves(verifier, challenge)


@pytest.mark.parametrize("odd", [" ", "+", "/", "=", "\n", "\u00e9"])
def test_a_verifier_of_other_characters_proves_nothing(odd: str) -> None:
    verifier = "a" * 42 + odd
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert not pkce.proves(verifier, challenge)


@pytest.mark.parametrize(
    ("challenge", "method"),
    [(None, None), ("x" * 43, None), ("x" * 43, "plain"), ("x" * 42, "S256"), ("!" * 43, "S256")],
)
def test_no_challenge_but_s256_is_accepted(challenge: str | None, method: str | None) -> None:
    assert not pkce.is_challenge(challenge, method)


@pytest.mark.parametrize(
    "requested",
    [
        [],
        [RESOURCE],
        [RESOURCE + "/"],
        ["HTTPS://API.example.com/mcp"],
        ["https://api.example.com"],
        ["https://api.example.com/", RESOURCE],
    ],
)
def test_the_served_resource_is_known_by_its_names(requested: list[str]) -> None:
    assert resources.resolve(requested, RESOURCE) == RESOURCE


@pytest.mark.parametrize(
    "requested",
    [
        "https://evil.example/mcp",
        "https://api.example.com/mcp/x",
        RESOURCE + "#f",
        "mcp",
        "",
        "https://[",
        "https://api.example.com:x/mcp",
    ],
)
def test_another_resource_is_refused(requested: str) -> None:
    with pytest.raises(resources.InvalidTarget):
        resources.resolve([requested], RESOURCE)


def token(**changes: datetime | bool | None) -> RefreshToken:
    fields: dict[str, datetime] = {
        "expires_at": NOW + timedelta(days=1),
        "family_expires_at": NOW + timedelta(days=9),
    }
    return RefreshToken(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stored", "decision"),
    [
        (token(), RefreshDecision.ROTATE),
        (token(used_at=NOW - GRACE), RefreshDecision.SAME_SUCCESSOR),
        (token(used_at=NOW - GRACE - timedelta(milliseconds=1)), RefreshDecision.REUSED),
        (token(used_at=NOW, successor_used=True), RefreshDecision.REUSED),
        (token(expires_at=NOW), RefreshDecision.EXPIRED),
        (token(family_expires_at=NOW), RefreshDecision.EXPIRED),
        (token(used_at=NOW - timedelta(days=1), expires_at=NOW), RefreshDecision.EXPIRED),
        (token(revoked_at=NOW), RefreshDecision.REVOKED),
    ],
)
def test_a_refresh_token_gets_what_it_deserves(
    stored: RefreshToken, decision: RefreshDecision
) -> None:
    assert refresh.decide(stored, NOW, GRACE) is decision


def test_generations_of_a_refresh_token_differ_and_repeat_exactly() -> None:
    made = {secrets.refresh_token("pepper", "gr_1", n) for n in range(10)}
    assert len(made) == 10
    assert secrets.refresh_token("pepper", "gr_1", 3) in made
    assert secrets.refresh_token("other", "gr_1", 3) not in made
