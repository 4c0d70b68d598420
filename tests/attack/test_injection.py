"""Injection into SQL, search patterns, Valkey keys, headers and log lines.

Any value is treated as text or refused with a message: no request fails or returns other data.
"""

from __future__ import annotations

import itertools
import json
import secrets
import sys
from collections.abc import AsyncGenerator
from typing import Any, Final

import httpx2
import pytest
import redis

from devstack.home import Home
from gateway.tools import all_tools
from tests.attack.conftest import Party, party
from tests.clients.oauth import OAuthClient
from tests.clients.person import Person, forms
from tests.e2e.conftest import RunningStack

pytestmark = [pytest.mark.timeout(300)]

MARK: Final = f"forged-{secrets.token_hex(6)}"
HOSTILE: Final[tuple[Any, ...]] = (
    "'; DROP TABLE sponsors; --",
    "' OR '1'='1",
    "\\",
    "%",
    "_" * 50,
    "a & | ! ( ) : * <->",
    "$(id) ${jndi:ldap://x} {{7*7}}",
    "\0",
    "a\0b",
    f'x\r\n{{"event":"{MARK}"}}\r\n',
    "\u202eevil\u2066",
    "{0} %s %(x)s",
    "{tag}:*",
    "x" * 20_000,
    10**400,
    -(2**63),
    2**63,
    1e308,
    True,
    [],
    {"$ne": None},
    [[[["deep"]]]],
)
STORED_HOSTILE: Final = ("\0", "a@b\0.cd", f"x\r\n{MARK}: 1", "é²", "9" * 5000, "'; --")
"""The ones for forms, which are many."""


def example(schema: dict[str, Any]) -> Any:
    """Return a valid value of an argument."""
    if "enum" in schema:
        return schema["enum"][0]
    return (schema.get("examples") or ["UC" + "x" * 22])[0]


@pytest.fixture
async def importer(stack: RunningStack) -> AsyncGenerator[Party]:
    """An account of its own, as it is left with imports under way."""
    found = await party(stack, "198.51.100.3")
    yield found
    await found.person.client.aclose()
    await found.http.aclose()


async def test_every_argument_of_every_tool_treats_text_as_text(importer: Party) -> None:
    owner = importer
    listed = {tool["name"] for tool in (await owner.rpc("tools/list")).json()["result"]["tools"]}
    totals = (await owner.call("category.list")).json()["result"]["structuredContent"]
    wrong: list[tuple[str, str, str, str]] = []
    # The whole schemas: what is listed leaves examples out.
    schemas = {tool.name: tool.input_schema for tool in all_tools()}
    assert listed <= schemas.keys()
    for name, schema in schemas.items():
        properties = schema["properties"]
        needed = {field: example(properties[field]) for field in schema.get("required", [])}
        if name == "channel.import":
            needed["channel"] = "UC" + "x" * 22  # known by its id alone, without asking YouTube
        # An account has one list of channels under way at a time.
        expected = (200, 400, 409, 429) if name == "channel.bulkImport" else (200, 400, 429)
        for argument in properties:
            for hostile in HOSTILE:
                response = await owner.call(name, {**needed, argument: hostile})
                record = (name, argument, repr(hostile)[:40], response.text[:200])
                if response.status_code not in expected:
                    wrong.append(record)
    # A channel that looks like a handle has to be looked up at YouTube, which is not there.
    assert [item for item in wrong if "YouTube does not answer" not in item[3]] == []
    usage = (await owner.call("account.usage")).json()["result"]["structuredContent"]
    assert usage["requests_remaining"] > 0, "the last of them were not looked at"
    after = (await owner.call("category.list")).json()["result"]["structuredContent"]
    assert after == totals


@pytest.mark.parametrize("wild", ["%", "_", "nord%", "n_rdvpn", "nordvpn' OR 'a'='a", "nord:*"])
async def test_wildcards_of_a_search_stand_for_themselves(owner: Party, wild: str) -> None:
    unfiltered = (await owner.call("sponsor.search", {"limit": 50})).json()["result"]
    many = len(unfiltered["structuredContent"]["sponsors"])
    response = (await owner.call("sponsor.search", {"search": wild, "limit": 50})).json()
    found = response.get("result", {}).get("structuredContent", {}).get("sponsors", [])
    assert len(found) < many


async def test_half_a_character_is_no_json(owner: Party) -> None:
    response = await owner.call("sponsor.search", {"search": "\ud800"})
    raw = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sponsor.search","arguments":{"search":"\xed\xa0\x80"}}}'
    straight = await owner.http.post("/mcp", content=raw)
    assert {response.status_code, straight.status_code} == {400}
    assert straight.json()["error"]["code"] == -32700


async def test_every_field_of_every_form_treats_text_as_text(owner: Party) -> None:
    account_pages = ("keys", "apps", "sessions", "settings", "imports")
    wrong: list[tuple[str, str, str, int]] = []
    async with Person(owner.person.site_url, "198.51.100.7") as visitor:
        before = ("/signup", "/login", "/forgot", "/reset?token=x", "/confirm?token=x")
        seen = [(visitor, path) for path in before]
        seen += [
            (owner.person, path)
            for path in (*(f"/account/{item}" for item in account_pages), "/device")
        ]
        for person, page in seen:
            for form in forms((await person.visit(page)).text):
                if form.method != "post" or form.action.endswith(("/logout", "/delete")):
                    continue
                for name, _ in form.fields:
                    for hostile in STORED_HOSTILE:
                        fields = {**dict(form.fields), name: hostile}
                        response = await person.client.post(form.action, data=fields)
                        assert MARK not in response.headers
                        if response.status_code >= 500:
                            wrong.append(
                                (form.action, name, repr(hostile)[:20], response.status_code)
                            )
    assert wrong == []


QUERIES: Final = (
    "next", "token", "notice", "month", "user_code", "q", "after", "client_id", "redirect_uri",
    "state", "resource", "scope", "code", "error", "response_type", "prompt", "code_challenge",
)  # fmt: skip


async def test_every_query_of_every_page_treats_text_as_text(owner: Party) -> None:
    pages = (
        "/", "/signup", "/login", "/confirm", "/reset", "/account", "/account/keys", "/device",
        "/operator", "/oauth/authorize", "/login/google/callback", "/nowhere",
    )  # fmt: skip
    client = await OAuthClient.registered(owner.person.site_url, owner.stack.connection["mcp_url"])
    wrong: list[tuple[str, str, str]] = []
    cookies = owner.person.client.cookies
    async with httpx2.AsyncClient(base_url=client.issuer, cookies=cookies) as browser:
        for name, hostile in itertools.product(QUERIES, STORED_HOSTILE):
            urls = [httpx2.URL(page, params={name: hostile}) for page in pages]
            urls.append(httpx2.URL(client.authorize_url(**{name: hostile})))
            for url in urls:
                response = await browser.get(url)
                assert MARK not in response.headers
                if response.status_code >= 500:
                    wrong.append((str(url)[:60], name, repr(hostile)[:20]))
    assert wrong == []


OAUTH: Final = (
    "grant_type", "client_id", "code", "refresh_token", "redirect_uri", "code_verifier", "resource",
    "scope", "token", "device_code", "client_secret", "client_assertion", "client_assertion_type",
    "token_type_hint", "state", "code_challenge", "dpop_jkt", "request_uri",
)  # fmt: skip


def sent_from(number: int) -> httpx2.AsyncHTTPTransport:
    """Connect from a separate loopback address, since limits are counted by address.

    Linux accepts all of 127.0.0.0/8; on other systems there is only one address.
    """
    address = f"127.7.0.{number}" if sys.platform == "linux" else None
    return httpx2.AsyncHTTPTransport(local_address=address)


@pytest.mark.parametrize(
    "endpoint", ["token", "par", "revoke", "introspect", "device_authorization"]
)
async def test_every_field_of_an_endpoint_for_programs_treats_text_as_text(
    stack: RunningStack, endpoint: str
) -> None:
    site = stack.connection["site_url"]
    client = await OAuthClient.registered(site, stack.connection["mcp_url"])
    grants = ("authorization_code", "refresh_token", "client_credentials")
    wrong: list[tuple[str, str, int]] = []
    addresses = itertools.count(1)
    for grant, name in itertools.product(grants, OAUTH):
        whole = {**dict.fromkeys(OAUTH[1:], "x"), "client_id": client.client_id}
        async with httpx2.AsyncClient(base_url=site, transport=sent_from(next(addresses))) as http:
            for hostile in STORED_HOSTILE:
                fields = {"grant_type": grant, **whole, name: hostile}
                response = await http.post(f"/oauth/{endpoint}", data=fields)
                if response.status_code >= 500 or response.status_code == 429:
                    wrong.append((name, repr(hostile)[:20], response.status_code))
    assert wrong == []


@pytest.mark.parametrize(
    "name",
    ["client_name", "redirect_uris", "grant_types", "token_endpoint_auth_method", "scope",
     "client_uri", "application_type", "logo_uri", "contacts", "jwks",
     "dpop_bound_access_tokens", "require_pushed_authorization_requests"],
)  # fmt: skip
async def test_every_field_of_a_registration_is_accepted_or_refused(
    stack: RunningStack, name: str
) -> None:
    values = (
        '"\\u0000"', '["\\u0000"]', '"\\ud800"', '["https://a.example/\\ud800"]',
        '"https://a.example/\\u0000"', '"https://a.example/\\ud800"', "1e999", "null", "{}",
        "[[]]", '["none", {}]', '{"a":' * 900 + "1" + "}" * 900, "1" * 5000,
        "[" * 7000 + "]" * 7000,
    )  # fmt: skip
    async with httpx2.AsyncClient(base_url=stack.connection["site_url"]) as http:
        for value in values:
            rest = {"client_name": "x", "redirect_uris": ["https://a.example/cb"]}
            body = json.dumps({key: value for key, value in rest.items() if key != name})
            response = await http.post(
                "/oauth/register",
                content=f'{body[:-1]}, "{name}": {value}}}',
                headers={"Content-Type": "application/json"},
            )
            assert response.status_code in (201, 400), (value[:40], response.text)


async def test_no_input_has_made_a_line_of_a_log_or_a_key_of_valkey(stack: RunningStack) -> None:
    home = Home(stack.home)
    addresses = home.addresses()
    assert addresses is not None
    async with Person(stack.connection["site_url"], "198.51.100.9") as person:
        for email in (f'a@b.cd\r\n{{"event":"{MARK}"}}', "a@b.cd\r\nFLUSHALL\r\n", "{x}:*@b.cd"):
            await person.log_in(email, "no password")
        document = f"https://client.example/{MARK}\r\nforged"
        await person.client.get("/oauth/authorize", params={"client_id": document})
    for path in (stack.home / "logs").glob("*.log"):
        for line in path.read_text(errors="replace").splitlines():
            record: Any = json.loads(line) if line.startswith("{") else {}
            assert record.get("event") != MARK, path.name
    host, _, port = addresses.valkey.partition(":")
    opening: Any = redis.Redis
    with opening(host=host, port=int(port), password=home.secrets().valkey_password) as valkey:
        names = {name.decode(errors="replace") for name in valkey.scan_iter()}
    assert names
    assert {name for name in names if not name.startswith("sponsorgraph:")} == set()
