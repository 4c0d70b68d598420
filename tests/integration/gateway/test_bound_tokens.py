"""Access tokens that are bound to a key: their schemes, proofs and challenges (RFC 9449)."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from devstack.engines import Valkey
from devstack.ports import free_port
from gateway.app import open_app
from gateway.mcp.versions import STATELESS
from servicekit.http import dpop
from servicekit.http.server import serve_http
from tests.clients.proofs import Prover
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import OpenGateway, Service, request, settings_for
from tests.integration.gateway.test_progress import BOTH
from tests.integration.gateway.test_protocol_versions import META

URL = "http://127.0.0.1:8000/mcp"
GRANT = "gr_1"
PING = request("ping")
SIGNING = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
PROVER = Prover()
ALGORITHMS = 'algs="ES256 ES384 Ed25519 EdDSA"'


@pytest.fixture(autouse=True)
def grant(backends: Backends) -> None:
    backends.access.give(GRANT, principal(credential_id=GRANT))
    backends.access.jwks = {"keys": [SIGNING.as_dict(private=False)]}


def token(prover: Prover | None = PROVER, **changes: Any) -> str:
    claims: dict[str, Any] = {
        "iss": "http://127.0.0.1:8001",
        "aud": URL,
        "sub": "account-1",
        "gid": GRANT,
        "scope": "catalog:read",
        "iat": 1,
        "exp": 2**33,
    } | changes
    if prover is not None:
        claims = {"cnf": {"jkt": prover.thumbprint}} | claims
    header = {"alg": "RS256", "typ": "at+jwt", "kid": "one"}
    return jwt.encode(header, claims, SIGNING, algorithms=["RS256"])


async def send(service: Service, scheme: str, credential: str, *proofs: str) -> httpx2.Response:
    headers = [("authorization", f"{scheme} {credential}"), ("content-type", "application/json")]
    headers += [("dpop", proof) for proof in proofs]
    return await service.http.post("/mcp", content=json.dumps(PING), headers=headers)


def refusal(reply: httpx2.Response) -> tuple[int, str, str]:
    """Status, reason and challenge."""
    data = reply.json()["error"]["data"]
    return reply.status_code, data["reason"], reply.headers["www-authenticate"]


async def test_a_call_that_is_included_in_a_page_of_the_site_counts_for_nothing(
    service: Service,
) -> None:
    for claims, counted in (({}, 1), ({"included": True}, 1), ({"included": "true"}, 2)):
        headers = {"authorization": f"Bearer {token(None, **claims)}"}
        called = request("tools/call", name="category.list", arguments={})
        reply = await service.http.post("/mcp", json=called, headers=headers)
        assert reply.status_code == 200, reply.text
        assert await service.counted() == counted


async def test_a_bound_token_works_with_a_proof_of_its_key(service: Service) -> None:
    bound = token()
    for scheme in ("DPoP", "dpop"):
        reply = await send(service, scheme, bound, PROVER.proof(URL, token=bound))
        assert reply.status_code == 200, reply.text


async def test_a_bound_token_that_was_stolen_is_worth_nothing(service: Service) -> None:
    bound, thief = token(), Prover()
    status, reason, challenge = refusal(await send(service, "Bearer", bound))
    assert (status, reason) == (401, "TOKEN_BOUND")
    assert challenge.startswith('Bearer error="invalid_token", ')
    assert challenge.endswith(f", DPoP {ALGORITHMS}")
    proven = PROVER.proof(URL, token=bound)
    for reply in (
        await send(service, "Bearer", bound, proven),
        await send(service, "DPoP", bound),
        await send(service, "DPoP", bound, thief.proof(URL, token=bound)),
        await send(service, "DPoP", bound, PROVER.proof(URL, token=token(jti="another"))),
        await send(service, "DPoP", bound, PROVER.proof(URL)),
        await send(service, "DPoP", bound, proven, PROVER.proof(URL, token=bound)),
        await send(service, "DPoP", bound, PROVER.proof(f"{URL}/x", token=bound)),
        await send(service, "DPoP", bound, PROVER.proof(URL, "GET", token=bound)),
    ):
        assert reply.status_code == 401


async def test_a_bad_proof_is_named_in_its_challenge(service: Service) -> None:
    bound = token()
    for proofs in ((), ("no proof",), (PROVER.proof(URL, token=bound, iat=1),)):
        status, reason, challenge = refusal(await send(service, "DPoP", bound, *proofs))
        assert (status, reason) == (401, "PROOF_INVALID")
        assert challenge.startswith('DPoP error="invalid_dpop_proof", resource_metadata="http')
        assert challenge.endswith(ALGORITHMS)
        assert "Bearer" not in challenge


async def test_an_unbound_credential_is_no_dpop_token(service: Service) -> None:
    free = token(None)
    assert (await send(service, "Bearer", free)).status_code == 200
    for credential in (free, KEY):
        reply = await send(service, "DPoP", credential, PROVER.proof(URL, token=credential))
        status, reason, challenge = refusal(reply)
        assert (status, reason) == (401, "CREDENTIAL_NOT_BOUND")
        assert challenge.startswith('DPoP error="invalid_token", ')


@pytest.mark.parametrize("cnf", [{}, {"x5t#S256": "x"}, {"jkt": 1}, "x", {"jkt": "a", "kid": "b"}])
async def test_a_token_that_is_bound_in_an_unknown_way_does_not_hold(
    service: Service, cnf: Any
) -> None:
    odd = token(cnf=cnf)
    for reply in (
        await send(service, "Bearer", odd),
        await send(service, "DPoP", odd, PROVER.proof(URL, token=odd)),
    ):
        assert refusal(reply)[:2] == (401, "TOKEN_INVALID")


async def test_a_token_without_the_scope_is_challenged_by_its_own_scheme(service: Service) -> None:
    bound = token(scope="account:read")
    proof = PROVER.proof(URL, token=bound)
    headers = {"authorization": f"DPoP {bound}", "dpop": proof}
    reply = await service.call("category.list", **headers)
    assert reply.status_code == 403
    assert reply.headers["www-authenticate"].startswith('DPoP error="insufficient_scope", ')


async def test_a_proof_works_once_at_all_gateways_together(
    service: Service, open_gateway: OpenGateway
) -> None:
    bound = token()
    proof = PROVER.proof(URL, token=bound)
    assert (await send(service, "DPoP", bound, proof)).status_code == 200
    keys = [key async for key in service.valkey.scan_iter("sponsorgraph:proof:*")]
    assert len(keys) == 1
    assert 0 < await service.valkey.pttl(keys[0]) <= (dpop.WINDOW_SECONDS * 2 + 1) * 1000
    async with open_gateway() as other:
        for gateway in (service, other):
            assert refusal(await send(gateway, "DPoP", bound, proof))[1] == "PROOF_INVALID"
        fresh = PROVER.proof(URL, token=bound)
        assert (await send(other, "DPoP", bound, fresh)).status_code == 200


async def test_without_valkey_a_proof_still_works_once_at_a_gateway(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    server = Valkey(free_port(), "test", tmp_path / "log")
    server.start()
    try:
        async with open_gateway(valkey_url=server.url()) as service:
            bound = token()
            before = PROVER.proof(URL, token=bound)
            assert (await send(service, "DPoP", bound, before)).status_code == 200
            server.stop()
            during = PROVER.proof(URL, token=bound)
            assert (await send(service, "DPoP", bound, during)).status_code == 200
            for proof in (before, during):
                assert refusal(await send(service, "DPoP", bound, proof))[1] == "PROOF_INVALID"
    finally:
        server.stop()


async def test_a_stream_lasts_longer_than_the_proof_that_opened_it(
    backends: Backends, fresh_valkey: str
) -> None:
    settings = settings_for(
        backends, fresh_valkey, subscription_poll_seconds=0.02, credential_ttl_seconds=0.02
    )
    bound = token()
    proof = PROVER.proof(settings.base_url + "/mcp", token=bound)
    message = request("subscriptions/listen", notifications={"toolsListChanged": True}, _meta=META)
    headers = {
        "authorization": f"DPoP {bound}",
        "dpop": proof,
        "accept": BOTH,
        "mcp-protocol-version": STATELESS,
        "mcp-method": "subscriptions/listen",
    }
    async with open_app(settings) as web, serve_http(web, "127.0.0.1", 0, 5) as port:
        url = f"http://127.0.0.1:{port}/mcp"
        async with (
            httpx2.AsyncClient() as http,
            http.stream("POST", url, json=message, headers=headers) as reply,
        ):
            assert reply.status_code == 200
            events = (
                json.loads(line[6:]) async for line in reply.aiter_lines() if line[:6] == "data: "
            )
            assert (await anext(events))["method"].endswith("acknowledged")
            resolved = backends.access.resolved
            backends.access.give(GRANT, principal(credential_id=GRANT, features=()))
            # It has resolved the grant again, without another proof.
            assert (await anext(events))["method"] == "notifications/tools/list_changed"
            assert backends.access.resolved > resolved
            backends.access.holders.clear()
            assert "result" in await anext(events)


async def test_pages_may_send_proofs(service: Service) -> None:
    preflight_headers = {
        "origin": "http://localhost:6274",
        "access-control-request-headers": "dpop",
    }
    preflight = await service.http.options("/mcp", headers=preflight_headers)
    assert preflight.headers["access-control-allow-headers"] == "dpop"


async def test_the_metadata_names_the_algorithms(service: Service) -> None:
    for path in ("", "/mcp"):
        found = await service.http.get(f"/.well-known/oauth-protected-resource{path}")
        assert found.json()["dpop_signing_alg_values_supported"] == list(dpop.ALGORITHMS)
        assert found.json()["dpop_bound_access_tokens_required"] is False
    challenge = (await service.http.post("/mcp", json=PING)).headers["www-authenticate"]
    assert challenge.startswith('Bearer resource_metadata="')
    assert challenge.endswith(f", DPoP {ALGORITHMS}")
