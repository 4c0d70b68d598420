"""The authorization server's endpoints for programs: metadata, keys, registration, device flow."""

from __future__ import annotations

import json
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import psycopg
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service.storage.retention import delete_unused_clients, discard_grants
from protos.auth.v1 import auth_pb2 as pb
from servicekit.database_url import driver_url
from servicekit.errors import InvalidInput, NotFound
from tests.clients.in_turn import in_turn
from tests.clients.oauth import CALLBACK, OAuthClient
from tests.clients.person import Person
from tests.clients.tokens import claims, header
from tests.integration.auth_service.conftest import RESOURCE, Age, Service

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


async def send(method: str, url: str, **options: Any) -> httpx2.Response:
    async with httpx2.AsyncClient() as http:
        return await http.request(method, url, **options)


@pytest.mark.parametrize("name", ["oauth-authorization-server", "openid-configuration"])
async def test_the_metadata_names_the_issuer_of_the_settings_whatever_host_is_requested(
    service: Service, name: str
) -> None:
    response = await send(
        "GET", f"{service.url}/.well-known/{name}", headers={"Host": "evil.example"}
    )
    document = response.json()
    assert document["issuer"] == service.url
    assert document["authorization_endpoint"] == f"{service.url}/oauth/authorize"
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["authorization_response_iss_parameter_supported"] is True
    assert document["client_id_metadata_document_supported"] is True
    assert "none" in document["token_endpoint_auth_methods_supported"]
    assert document["response_types_supported"] == ["code"]
    assert "offline_access" in document["scopes_supported"]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/.well-known/oauth-authorization-server", "GET"),
        ("/oauth/jwks.json", "GET"),
        ("/oauth/token", "POST"),
        ("/oauth/register", "POST"),
        ("/oauth/revoke", "POST"),
        ("/token", "POST"),
        ("/register", "POST"),
    ],
)
async def test_clients_in_browsers_may_call_the_endpoints(
    service: Service, path: str, method: str
) -> None:
    response = await send(
        "OPTIONS",
        service.url + path,
        headers={
            "Origin": "https://client.example",
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type, mcp-protocol-version, authorization",
        },
    )
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "*"


async def test_browsers_may_not_call_the_consent_page(service: Service) -> None:
    client = await service.client()
    response = await send(
        "GET", client.authorize_url(), headers={"Origin": "https://client.example"}
    )
    assert "access-control-allow-origin" not in response.headers


async def test_access_tokens_have_a_type_a_published_key_and_no_other_claims(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client()
    token = (await client.connect(person))["access_token"]
    assert header(token)["typ"] == "at+jwt"
    assert header(token)["alg"] == "RS256"
    jwks = (await send("GET", f"{service.url}/oauth/jwks.json")).json()
    assert all("d" not in key for key in jwks["keys"])
    decoded = jwt.decode(token, KeySet.import_key_set(jwks), algorithms=["RS256"])
    assert decoded.claims["scope"] == "catalog:read account:read offline_access"
    assert person.email not in json.dumps(claims(token))


async def test_the_next_key_is_published_before_it_signs_and_the_old_one_after(
    service: Service, auth_database: str
) -> None:
    with psycopg.connect(auth_database) as connection:
        connection.execute(
            b"UPDATE oauth_signing_keys SET created_at = created_at - interval '1 hour'"
        )
    person, client = await service.person(), await service.client()
    before = (await client.connect(person))["access_token"]
    published = (await send("GET", f"{service.url}/oauth/jwks.json")).json()["keys"]
    rotated = await service.operate(
        service.operations.RotateSigningKey, pb.RotateSigningKeyRequest()
    )
    after = (await client.connect(person))["access_token"]
    assert header(after)["kid"] == rotated.kid != header(before)["kid"]
    assert rotated.kid in {key["kid"] for key in published}
    now = {k["kid"] for k in (await send("GET", f"{service.url}/oauth/jwks.json")).json()["keys"]}
    assert {header(before)["kid"], header(after)["kid"]} < now


async def test_private_keys_are_stored_encrypted(service: Service, auth_database: str) -> None:
    with psycopg.connect(auth_database) as connection:
        rows = connection.execute(b"SELECT sealed_jwk FROM oauth_signing_keys").fetchall()
    assert rows
    assert all(b'"d"' not in bytes(row[0]) for row in rows)


async def test_the_same_public_client_gets_the_same_id_and_no_secret(service: Service) -> None:
    body = {
        "client_name": f"Same {secrets.token_hex(4)}",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token", "urn:unknown"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
        "logo_uri": "https://client.example/logo.png",
    }
    responses = [await send("POST", f"{service.url}/oauth/register", json=body) for _ in range(3)]
    assert [response.status_code for response in responses] == [201] * 3
    assert len({response.json()["client_id"] for response in responses}) == 1
    assert "client_secret" not in responses[0].json()
    assert responses[0].json()["application_type"] == "native"
    other = await send(
        "POST", f"{service.url}/register", json={**body, "client_name": secrets.token_hex(4)}
    )
    assert other.json()["client_id"] != responses[0].json()["client_id"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["data:text/html,x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://evil.example/"]}, "invalid_redirect_uri"),
        (
            {"redirect_uris": ["https://a.example/"] * 2 + [f"https://{n}.x/" for n in range(11)]},
            "invalid_redirect_uri",
        ),
        ({"redirect_uris": "https://a.example/"}, "invalid_client_metadata"),
        ({"grant_types": ["password"]}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": "tls_client_auth"}, "invalid_client_metadata"),
    ],
)
async def test_a_wrong_registration_is_refused_with_a_reason(
    service: Service, changes: dict[str, Any], error: str
) -> None:
    body = {"client_name": "x", "redirect_uris": [CALLBACK], **changes}
    response = await send("POST", f"{service.url}/oauth/register", json=body)
    assert (response.status_code, response.json()["error"]) == (400, error)


async def test_a_registration_of_any_other_form_or_size_is_refused(service: Service) -> None:
    url = f"{service.url}/oauth/register"
    assert (await send("POST", url, content=b"[1]", headers=_JSON)).status_code == 400
    assert (await send("POST", url, content=b"{" * 9_000, headers=_JSON)).status_code == 400
    fields = {"client_name": "x", "redirect_uris": ["https://client.example/callback"]}
    large = json.dumps(fields | {"client_name": "x" * 20_000}).encode()
    assert (await send("POST", url, content=large, headers=_JSON)).status_code == 400
    body = json.dumps(fields).encode()
    as_text = {"Content-Type": "text/plain"}
    assert (await send("POST", url, content=body, headers=as_text)).status_code == 400
    assert (await send("POST", url, content=body, headers=_JSON)).status_code == 201


_JSON = {"Content-Type": "application/json"}


async def test_clients_never_used_are_reaped_and_those_with_living_grants_never(
    service: Service, age: Age, auth_database: str
) -> None:
    used, unused = await service.client(), await service.client()
    await used.connect(await service.person())
    age.clients(days=100)
    fresh = await service.client()
    engine = create_async_engine(driver_url(auth_database))
    await delete_unused_clients(engine, datetime.now(UTC))
    await engine.dispose()
    person = await service.person()
    assert (await person.visit(used.authorize_url())).status_code == 200
    assert (await person.visit(fresh.authorize_url())).status_code == 200
    assert (await person.visit(unused.authorize_url())).status_code == 400


async def test_grants_are_deleted_that_expired_before_a_moment(
    service: Service, auth_database: str
) -> None:
    engine = create_async_engine(driver_url(auth_database))
    client = await service.client()
    tokens = await client.connect(await service.person())
    now = datetime.now(UTC)
    # A grant lives for 180 days.
    await discard_grants(engine, now + timedelta(days=170))
    refreshed = (await client.refresh(tokens["refresh_token"])).json()
    assert await discard_grants(engine, now + timedelta(days=190)) >= 1
    await engine.dispose()
    ended = (await client.refresh(refreshed["refresh_token"])).json()
    assert ended["error"] == "invalid_grant"


async def test_a_terminal_is_let_in_by_its_code(service: Service, age: Age) -> None:
    client = await service.client(
        grant_types=[DEVICE, "refresh_token"], redirect_uris=[], client_name="Terminal"
    )
    started = (await client.post("/oauth/device_authorization", scope="catalog:read")).json()
    assert started["verification_uri"] == f"{service.url}/device"
    poll = {"grant_type": DEVICE, "device_code": started["device_code"]}
    assert (await client.token(**poll)).json()["error"] == "authorization_pending"
    assert (await client.token(**poll)).json()["error"] == "slow_down"
    person = await service.person()
    await person.visit("/device")
    page = await person.submit("/device", user_code=started["user_code"].lower().replace("-", " "))
    assert "Terminal" in page.text
    done = await person.submit("/device/decision", decision="approve")
    assert "Connected" in done.text
    age.devices(seconds=10)
    tokens = (await client.token(**poll)).json()
    assert tokens["scope"] == "catalog:read"
    assert (await client.refresh(tokens["refresh_token"])).status_code == 200
    assert (await client.token(**poll)).json()["error"] == "invalid_grant"


async def test_a_denied_terminal_gets_access_denied(service: Service) -> None:
    client = await service.client(grant_types=[DEVICE], redirect_uris=[])
    started = (await client.post("/oauth/device_authorization")).json()
    person = await service.person()
    await person.visit(started["verification_uri_complete"])
    await person.submit("/device")
    await person.submit("/device/decision", decision="deny")
    poll = {"grant_type": DEVICE, "device_code": started["device_code"]}
    assert (await client.token(**poll)).json()["error"] == "access_denied"


async def test_codes_of_terminals_cannot_be_guessed_for_long(service: Service) -> None:
    person = await service.person()
    statuses: list[int] = []
    for _ in range(11):
        await person.visit("/device")
        statuses.append((await person.submit("/device", user_code="BBBB-BBBB")).status_code)
    assert statuses == [404] * 10 + [429]


class Machine:
    """An operator's machine with a key of its own."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.key = ECKey.generate_key("P-256", private=True)
        self.client_id = ""

    async def add(self, email: str) -> None:
        jwks = json.dumps({"keys": [dict(self.key.as_dict(private=False))]})
        request = pb.CreateMachineRequest(email=email, name="Nightly", jwks_json=jwks)
        made = await self.service.operate(self.service.operations.CreateMachine, request)
        self.client_id = made.client_id

    def assertion(self, **changes: Any) -> dict[str, str]:
        content = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": self.service.url,
            "exp": int(time.time()) + 60,
            "iat": int(time.time()),
            "jti": secrets.token_hex(8),
            **changes,
        }
        token = jwt.encode({"alg": "ES256"}, content, self.key, algorithms=["ES256"])
        return {"client_assertion_type": ASSERTION, "client_assertion": token}

    async def post(self, path: str, **fields: str) -> httpx2.Response:
        return await send("POST", self.service.url + path, data=fields)


async def test_a_machine_gets_tokens_for_its_account_with_a_signed_assertion(
    service: Service,
) -> None:
    machine, email = Machine(service), await service.account()
    await machine.add(email)
    once = machine.assertion()
    fields = {"grant_type": "client_credentials", "scope": "catalog:read"}
    response = await machine.post("/oauth/token", **fields, **once)
    assert response.status_code == 200, response.text
    assert response.json()["scope"] == "catalog:read"
    assert "refresh_token" not in response.json()
    again = await machine.post("/oauth/token", **fields, **once)
    assert (again.status_code, again.json()["error"]) == (401, "invalid_client")
    for wrong in ({"aud": "https://other.example"}, {"exp": int(time.time()) - 600}):
        refused = await machine.post("/oauth/token", **fields, **machine.assertion(**wrong))
        assert refused.status_code == 401


async def test_a_machine_that_is_removed_has_no_access_any_more(service: Service) -> None:
    machine, other, email = Machine(service), Machine(service), await service.account()
    await machine.add(email)
    await other.add(email)
    fields = {"grant_type": "client_credentials"}
    got = await machine.post("/oauth/token", **fields, **machine.assertion())
    listed = await service.operate(
        service.operations.ListMachines, pb.AccountByEmailRequest(email=email)
    )
    first, second = listed.machines
    assert (first.client_id, first.name) == (machine.client_id, "Nightly")
    assert first.HasField("last_used_at")
    assert not second.HasField("last_used_at")

    request = pb.RemoveMachineRequest(client_id=machine.client_id)
    removed = await service.operate(service.operations.RemoveMachine, request)

    assert removed.client_id == machine.client_id
    refused = await machine.post("/oauth/token", **fields, **machine.assertion())
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
    introspected = await other.post(
        "/oauth/introspect", token=got.json()["access_token"], **other.assertion()
    )
    assert introspected.json() == {"active": False}
    with pytest.raises(NotFound, match="There is no machine"):
        await service.operate(service.operations.RemoveMachine, request)
    left = await service.operate(
        service.operations.ListMachines, pb.AccountByEmailRequest(email=email)
    )
    assert [item.client_id for item in left.machines] == [other.client_id]
    registered = await service.client()
    request = pb.RemoveMachineRequest(client_id=registered.client_id)
    with pytest.raises(NotFound):
        await service.operate(service.operations.RemoveMachine, request)


async def test_a_machines_private_key_is_refused(service: Service) -> None:
    key = ECKey.generate_key("P-256", private=True)
    jwks = json.dumps({"keys": [dict(key.as_dict(private=True))]})
    request = pb.CreateMachineRequest(email=await service.account(), name="x", jwks_json=jwks)
    with pytest.raises(InvalidInput, match="public"):
        await service.operate(service.operations.CreateMachine, request)


@pytest.mark.filterwarnings("ignore:Key size")
async def test_a_short_rsa_key_of_a_machine_is_refused(service: Service) -> None:
    key = RSAKey.generate_key(1024, private=True)
    jwks = json.dumps({"keys": [dict(key.as_dict(private=False))]})
    request = pb.CreateMachineRequest(email=await service.account(), name="x", jwks_json=jwks)
    with pytest.raises(InvalidInput, match="at least 2,048 bits"):
        await service.operate(service.operations.CreateMachine, request)


async def test_an_operators_machine_may_introspect_a_token_and_others_may_not(
    service: Service,
) -> None:
    machine, email = Machine(service), await service.account()
    await machine.add(email)
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    fields = {
        "client_name": f"Server {secrets.token_hex(4)}",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "client_secret_post",
    }
    registered = (await send("POST", f"{service.url}/oauth/register", json=fields)).json()
    names = ("client_id", "client_secret")
    confidential = {name: registered[name] for name in names}
    for token in (tokens["access_token"], tokens["refresh_token"]):
        result = await send(
            "POST", f"{service.url}/oauth/introspect", data={"token": token, **confidential}
        )
        assert result.json() == {"active": False}
        response = await machine.post("/oauth/introspect", token=token, **machine.assertion())
        assert response.json()["active"] is True
        assert response.json()["aud"] == RESOURCE
    await client.post("/oauth/revoke", token=tokens["refresh_token"])
    for token in (tokens["access_token"], tokens["refresh_token"], "nonsense"):
        response = await machine.post("/oauth/introspect", token=token, **machine.assertion())
        assert response.json() == {"active": False}
    refused = await client.post("/oauth/introspect", token=tokens["access_token"])
    assert refused.status_code == 401


async def test_introspection_knows_no_token_of_a_disabled_account(service: Service) -> None:
    machine = Machine(service)
    await machine.add(await service.account())
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    for disabled in (True, False):
        request = pb.SetDisabledRequest(email=person.email, disabled=disabled)
        await service.operate(service.operations.SetDisabled, request)
        for token in (tokens["access_token"], tokens["refresh_token"]):
            response = await machine.post("/oauth/introspect", token=token, **machine.assertion())
            assert response.json()["active"] is not disabled


@pytest.mark.parametrize(
    ("client_id", "registered", "requested"),
    [
        (
            "https://claude.ai/oauth/mcp-oauth-client-metadata",
            None,
            "https://claude.ai/api/mcp/auth_callback",
        ),
        (
            "https://claude.ai/oauth/claude-code-client-metadata",
            None,
            "http://localhost:61234/callback",
        ),
        (
            "https://chatgpt.com/oauth/client.json",
            None,
            "https://chatgpt.com/connector_platform_oauth_redirect",
        ),
        (
            "https://chatgpt.com/oauth/codex/client.json",
            None,
            "http://127.0.0.1:1455/callback",
        ),
        (
            "https://vscode.dev/oauth/client-metadata.json",
            None,
            "http://127.0.0.1:40001/",
        ),
        (
            None,
            [
                "http://localhost:8787/callback",
                "https://www.cursor.com/agents/mcp/oauth/callback",
                "cursor://anysphere.cursor-mcp/oauth/callback",
            ],
            "cursor://anysphere.cursor-mcp/oauth/callback",
        ),
        (None, ["http://localhost:7777/oauth/callback"], "http://localhost:7777/oauth/callback"),
        (None, ["http://127.0.0.1:33418/"], "http://127.0.0.1:51111/"),
        (
            None,
            ["https://chatgpt.com/connector/oauth/abc"],
            "https://chatgpt.com/connector/oauth/abc",
        ),
    ],
    ids=[
        "Claude",
        "Claude Code",
        "ChatGPT",
        "Codex",
        "VS Code",
        "Cursor",
        "Gemini CLI",
        "VS Code registered",
        "ChatGPT registered",
    ],
)
async def test_the_known_clients_connect_as_they_do(
    service: Service, client_id: str | None, registered: list[str] | None, requested: str
) -> None:
    person = await service.person()
    if client_id is None:
        client = await service.client(
            redirect_uris=registered, grant_types=["authorization_code", "refresh_token"]
        )
    else:
        client = OAuthClient(service.url, RESOURCE, client_id)
    client.redirect_uri = requested
    location = await person.decide(client.authorize_url(prompt="consent"))
    assert location.startswith(requested)
    tokens = await client.connect(person)
    assert tokens["refresh_token"]


async def test_registrations_and_token_requests_are_slowed_by_address(service: Service) -> None:
    headers = {"X-Forwarded-For": f"192.0.2.{secrets.randbelow(70)}"}
    body = {"client_name": "x", "redirect_uris": [CALLBACK]}
    fields = {"grant_type": "nonsense", "client_id": "x"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        registering = (http.post(f"{service.url}/oauth/register", json=body) for _ in range(201))
        registered = [response.status_code for response in await in_turn(registering)]
        # Twice a minute's allowance and one: the turn of a minute cannot let all of it through.
        token_requests = (
            http.post(f"{service.url}/oauth/token", data=fields) for _ in range(1_201)
        )
        token_responses = await in_turn(token_requests)
    assert sorted(registered) == [201] * 200 + [429]
    refused = [response for response in token_responses if response.status_code == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1
    async with httpx2.AsyncClient(headers={"X-Forwarded-For": "192.0.2.78"}) as http:
        other = await http.post(f"{service.url}/oauth/register", json=body)
    assert other.status_code == 201


async def test_codes_and_tokens_rest_hashed(service: Service, auth_database: str) -> None:
    person, client = await service.person(), await service.client()
    code = await client.code_from(person)
    tokens = (await client.redeem(code)).json()
    assert len(code) >= 43
    assert len(tokens["refresh_token"]) >= 43
    with psycopg.connect(auth_database) as connection:
        for table in ("oauth_codes", "oauth_refresh_tokens", "oauth_grants", "audit_log"):
            rows = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            text = "\n".join(row[0] for row in rows)
            for secret in (code, tokens["refresh_token"], tokens["access_token"]):
                assert secret not in text
                assert secret.encode().hex() not in text


async def test_the_audit_log_follows_a_connection_and_cannot_be_rewritten(
    service: Service, auth_database: str
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    await client.refresh(tokens["refresh_token"])
    await client.post("/oauth/revoke", token=tokens["refresh_token"])
    request = pb.AuditLogRequest(email=person.email, limit=50)
    events = (await service.operate(service.operations.ListAuditLog, request)).events
    result = [event.event for event in reversed(events)]
    assert result == [
        "account_created",
        "logged_in",
        "consent_given",
        "token_issued",
        "token_refreshed",
        "grant_revoked",
    ]
    assert all(event.at.endswith("Z") for event in events)
    with (
        psycopg.connect(auth_database) as connection,
        pytest.raises(psycopg.Error, match="only added to"),
    ):
        connection.execute(b"UPDATE audit_log SET event = 'nothing'")


async def test_an_unknown_scope_is_refused_at_every_endpoint(service: Service) -> None:
    client = await service.client(grant_types=["authorization_code", DEVICE])
    machine = Machine(service)
    await machine.add(await service.account())
    pushed = await client.post("/oauth/par", **client.request(scope="catalog:read openid"))
    assert (pushed.status_code, pushed.json()["error"]) == (400, "invalid_scope")
    device = await client.post("/oauth/device_authorization", scope="openid")
    assert (device.status_code, device.json()["error"]) == (400, "invalid_scope")
    token = await machine.post(
        "/oauth/token", grant_type="client_credentials", scope="openid", **machine.assertion()
    )
    assert (token.status_code, token.json()["error"]) == (400, "invalid_scope")
    metadata = {"redirect_uris": [client.redirect_uri], "scope": "openid"}
    registered = await send("POST", f"{service.url}/oauth/register", json=metadata)
    assert (registered.status_code, registered.json()["error"]) == (400, "invalid_client_metadata")
    for refusal in (pushed, device, token, registered):
        assert "catalog:read" in refusal.json()["error_description"]


async def test_an_unknown_scope_is_refused_before_a_login_and_leads_nowhere(
    service: Service,
) -> None:
    client = await service.client()
    async with Person(service.url) as person:
        page = await person.visit(client.authorize_url(scope="catalog:read openid"))
    assert (page.status_code, page.url.path) == (400, "/oauth/authorize")
    assert "A requested scope is unknown" in page.text
    assert "location" not in page.headers
