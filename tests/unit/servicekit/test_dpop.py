"""Proofs of a key: which hold, for which request, and for how long (RFC 9449 section 4.3)."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from servicekit.http import dpop
from tests.clients.proofs import Key, Prover

NOW = 1_800_000_000.0
URL = "https://api.example/mcp"
TOKEN = "an.access.token"


def check(proof: str, url: str = URL, token: str | None = TOKEN, now: float = NOW) -> dpop.Proof:
    return dpop.check(proof, dpop.Target("POST", url, token), now)


def proof(prover: Prover | None = None, url: str = URL, **changes: Any) -> str:
    claims: dict[str, Any] = {"token": TOKEN, "iat": int(NOW)} | changes
    return (prover or Prover()).proof(url, **claims)


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (ECKey.generate_key("P-256"), "ES256"),
        (ECKey.generate_key("P-384"), "ES384"),
        (OKPKey.generate_key("Ed25519"), "Ed25519"),
        (OKPKey.generate_key("Ed25519"), "EdDSA"),
    ],
)
def test_a_proof_of_each_algorithm_names_its_key(key: Key, algorithm: str) -> None:
    found = check(proof(Prover(key, algorithm)))
    assert found.thumbprint == key.thumbprint()
    assert found.expires_at == NOW + dpop.WINDOW_SECONDS


def test_the_example_of_the_specification_holds() -> None:
    # RFC 9449 figure 12: a proof with an access token, and figure 11's thumbprint of its key.
    example = (
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0V"
        "jNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY"
        "5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VU"
        "IiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2Mj"
        "I2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRq"
        "zhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    )
    token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    target = dpop.Target("GET", "https://resource.example.org/protectedresource", token)
    found = dpop.check(example, target, 1562262618)
    assert found.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"


@pytest.mark.parametrize(
    "changes",
    [
        {"header": {"typ": "JWT"}},
        {"header": {"typ": None}},
        {"header": {"jwk": None}},
        {"header": {"jwk": dict(ECKey.generate_key("P-256").as_dict(private=False))}},
        {"header": {"crit": ["exp"], "exp": 1}},
        {"method": "GET"},
        {"method": "post"},
        {"htu": "https://api.example/mcp/other"},
        {"htu": "http://api.example/mcp"},
        {"htu": "https://api.example:8443/mcp"},
        {"htu": "https://api.example@evil.example/mcp"},
        {"htu": "https://evil.example/mcp"},
        {"htu": None},
        {"htu": 7},
        {"iat": int(NOW - 61)},
        {"iat": int(NOW + 61)},
        {"iat": None},
        {"iat": "now"},
        {"iat": True},
        {"iat": float("nan")},
        {"iat": 10**400},
        {"jti": None},
        {"jti": ""},
        {"jti": 7},
        {"jti": "x" * 257},
        {"token": "another.access.token"},
        {"token": None},
        {"ath": "Ünsinn"},
        {"padding": "x" * 4096},
    ],
)
def test_a_proof_of_anything_else_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(dpop.InvalidProof):
        check(proof(**changes))


def test_a_proof_for_a_token_request_names_no_token() -> None:
    check(proof(token=None), token=None)


def test_only_asymmetric_signatures_of_a_bounded_cost_are_accepted() -> None:
    for refused in (
        proof(Prover(RSAKey.generate_key(2048), "RS256")),
        _with_header(proof(), alg="none", signature=""),
        _symmetric(),
        proof(Prover(OKPKey.generate_key("Ed448"), "EdDSA")),
        _with_header(proof(), alg="ES384"),
    ):
        with pytest.raises(dpop.InvalidProof):
            check(refused)


def test_a_key_comes_without_its_private_part() -> None:
    prover = Prover()
    whole = dict(prover.key.as_dict(private=True))
    with pytest.raises(dpop.InvalidProof):
        check(proof(prover, header={"jwk": whole}))


def test_a_changed_proof_is_refused() -> None:
    good = proof()
    head, payload, signature = good.split(".")
    other = proof(htm="POST", jti="another").split(".")[1]
    flipped = ("B" if signature[0] != "B" else "C") + signature[1:]
    for bad in (f"{head}.{other}.{signature}", f"{head}.{payload}.{flipped}", f"{good}.", ""):
        with pytest.raises(dpop.InvalidProof):
            check(bad)


def test_header_parameters_that_nobody_knows_change_nothing() -> None:
    check(proof(header={"nobody": "knows", "kid": "mine"}))


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("https://api.example:443/mcp", URL),
        ("HTTPS://API.EXAMPLE/mcp", URL),
        ("https://api.example/mcp?names=dotted#here", URL),
        ("https://api.example/mcp/", URL),
        ("http://[::1]:80/mcp", "http://[::1]/mcp"),
    ],
)
def test_a_url_is_the_same_however_it_is_written(named: str, url: str) -> None:
    check(proof(htu=named), url)


def test_a_use_is_identified_by_key_url_and_id() -> None:
    prover = Prover()
    first = check(proof(prover, jti="1")).use_id
    assert check(proof(prover, jti="1", htu=f"{URL}?x=1")).use_id == first
    assert check(proof(prover, jti="2")).use_id != first
    assert check(proof(jti="1")).use_id != first
    other = "https://api.example/token"
    assert check(proof(prover, jti="1", url=other), other).use_id != first


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_any_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(dpop.InvalidProof):
        check(text)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(header=st.dictionaries(st.sampled_from(["typ", "alg", "jwk", "crit", "b64"]), _json),
       claims=st.dictionaries(st.sampled_from(["htm", "htu", "iat", "jti", "ath"]), _json))  # fmt: skip
def test_any_header_and_claims_are_refused_in_words(
    header: dict[str, Any], claims: dict[str, Any]
) -> None:
    text = ".".join(_part(json.dumps(part).encode()) for part in (header, claims))
    with pytest.raises(dpop.InvalidProof):
        check(f"{text}.{_part(b'x' * 64)}")
    content: dict[str, Any] = claims | {"jti": None}
    signed = proof(**content)
    with pytest.raises(dpop.InvalidProof):
        check(signed)


def test_deep_nesting_is_refused_in_words() -> None:
    deep = _part(b"[" * 2_000 + b"]" * 2_000)
    head, _, signature = proof().split(".")
    with pytest.raises(dpop.InvalidProof):
        check(f"{head}.{deep[:2900]}.{signature}")


def _part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _with_header(good: str, *, alg: str, signature: str | None = None) -> str:
    head, payload, signed = good.split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))) | {"alg": alg}
    return ".".join(
        (_part(json.dumps(header).encode()), payload, signed if signature is None else signature)
    )


def _symmetric() -> str:
    key = OctKey.generate_key(256)
    header = {"typ": "dpop+jwt", "alg": "HS256", "jwk": dict(key.as_dict(private=True))}
    return jws.serialize_compact(header, proof().split(".")[1], key, algorithms=["HS256"])
