"""Requests of one account for objects of another (OWASP API1 and API5 of 2023).

The response is the same as for an object that does not exist. Tools, pages and RPCs are enumerated:
a new one fails here until the ownership of its arguments is declared.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio
import httpx2
import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from devstack.home import Home
from protos.alerts.v1 import alerts_pb2
from protos.auth.v1 import auth_pb2, diagnostics_pb2
from protos.catalog.v1 import batch_pb2, catalog_pb2, events_pb2
from protos.imports.v1 import imports_pb2
from servicekit.grpc import client as grpc_client
from servicekit.peer_credentials import PeerCredentials
from servicekit.web.views import VIEWS
from tests.attack.conftest import FOLLOWING, PASSWORD, Party
from tests.clients import organisations
from tests.clients.oauth import OAuthClient
from tests.clients.person import Person, link_in, newest_mail
from tests.e2e.conftest import RunningStack

pytestmark = [pytest.mark.timeout(300)]

SHARED: Final[tuple[str, ...]] = ()
LISTS: Final = ("in_list", "not_in_list")
TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "sponsor.search": LISTS,
    "catalog.resolve": SHARED,
    "catalog.schema": SHARED,
    "catalog.query": SHARED,
    "sponsor.get": SHARED,
    "sponsor.top": LISTS,
    "sponsor.similar": LISTS,
    "sponsor.stats": SHARED,
    "sponsor.recentVideos": LISTS,
    "sponsor.youtubers": LISTS,
    "youtuber.search": LISTS,
    "youtuber.get": SHARED,
    "youtuber.prospects": LISTS,
    "youtuber.outlook": SHARED,
    "youtuber.sponsors": LISTS,
    "youtuber.stats": SHARED,
    "youtuber.recentVideos": SHARED,
    "youtuber.conflicts": SHARED,
    "sponsor.compare": SHARED,
    "sponsor.trends": LISTS,
    "youtuber.sharedSponsors": SHARED,
    "video.get": SHARED,
    "code.search": SHARED,
    "video.search": LISTS,
    "youtuber.about": LISTS,
    "category.list": SHARED,
    "channel.import": ("idempotency_key",),
    "channel.importStatus": ("import_id",),
    "channel.imports": ("cursor",),
    "channel.cancelImport": ("import_id", "idempotency_key"),
    "channel.bulkImport": ("idempotency_key",),
    "channel.bulkImportStatus": ("bulk_import_id", "cursor"),
    "channel.cancelBulkImport": ("bulk_import_id", "idempotency_key"),
    "channel.follow": ("idempotency_key",),
    "channel.unfollow": ("channel", "idempotency_key"),
    "channel.following": ("cursor",),
    "sponsorship.reports": (),
    "sponsorship.report": ("idempotency_key",),
    "catalog.export": SHARED,
    "list.create": ("idempotency_key",),
    "list.add": ("list", "idempotency_key"),
    "list.remove": ("list", "idempotency_key"),
    "list.get": ("list", "cursor"),
    "list.all": (),
    "list.delete": ("list", "idempotency_key"),
    "watch.create": ("idempotency_key",),
    "watch.list": (),
    "watch.delete": ("watch_id", "idempotency_key"),
    "account.usage": SHARED,
}
"""The arguments of each tool that name what belongs to an account."""

NEEDED: Final[dict[str, dict[str, Any]]] = {
    "sponsor.similar": {"sponsor": "nordvpn"},
    "sponsor.recentVideos": {"sponsor": "nordvpn"},
    "sponsor.youtubers": {"sponsor": "nordvpn"},
    "youtuber.prospects": {"youtuber": "@mkbhd"},
    "youtuber.sponsors": {"youtuber": "@mkbhd"},
    "youtuber.about": {"about": "cooking"},
    "video.search": {"sponsor": "nordvpn"},
    "list.add": {"names": ["nordvpn"]},
    "list.remove": {"names": ["nordvpn"]},
}
"""What a call needs besides, so that only the ownership of its arguments decides."""

RESOURCES: Final = {
    "sponsorgraph://account/usage",
    "sponsorgraph://alerts",
    "sponsorgraph://alerts/{id}",
    "sponsorgraph://category/{id}",
    "sponsorgraph://sponsor/{id}",
    "sponsorgraph://youtuber/{id}",
}
"""Addresses of resources. None names an account: usage and alerts are always the caller's own, whose watches alone have ids."""

PUBLIC: Final = {
    ("GET", "/"), ("GET", "/signup"), ("POST", "/signup"), ("GET", "/signup/mail"),
    ("GET", "/confirm"),
    ("POST", "/confirm"), ("GET", "/login"), ("POST", "/login"), ("POST", "/logout"),
    ("GET", "/forgot"), ("POST", "/forgot"), ("GET", "/reset"), ("POST", "/reset"),
    ("GET", "/login/{provider}"), ("GET", "/login/{provider}/callback"), ("GET", "/healthz"),
    ("GET", "/login/code"), ("POST", "/login/code"), ("POST", "/login/passkey"),
    ("GET", "/email-change"), ("POST", "/email-change/confirm"), ("POST", "/email-change/cancel"),
    ("GET", "/static"), ("GET", "/static/htmx.min.js"),
    ("GET", "/static/site.css"), ("GET", "/static/explore.css"), ("GET", "/robots.txt"),
    *(("GET", f"/static/views/{name}.{ending}") for name in VIEWS for ending in ("css", "js")),
    ("GET", "/llms.txt"), ("GET", "/skills/sponsorgraph.zip"), ("GET", "/skills/sponsorgraph/SKILL.md"),
    ("GET", "/skills/sponsorgraph/references/coverage.md"), ("GET", "/skills/sponsorgraph/references/sql.md"),
    ("GET", "/skills/sponsorgraph/references/tools.md"),
    ("GET", "/{path:anything}"), ("GET", "/authorize"), ("GET", "/oauth/authorize"),
    ("GET", "/oauth/jwks.json"), ("POST", "/oauth/register"), ("POST", "/register"),
    ("POST", "/oauth/token"), ("POST", "/token"), ("POST", "/oauth/par"), ("POST", "/oauth/revoke"),
    ("POST", "/oauth/introspect"), ("POST", "/oauth/device_authorization"),
    ("GET", "/.well-known/oauth-authorization-server"),
    ("GET", "/.well-known/openid-configuration"),
    ("GET", "/plans"), ("GET", "/terms"), ("GET", "/privacy"), ("POST", "/billing/webhook"),
    ("GET", "/invitation"),
    ("GET", "/alerts/confirm/{channel_id}/{token}"), ("POST", "/alerts/confirm/{channel_id}/{token}"),
    ("GET", "/alerts/unsubscribe/{channel_id}/{token}"), ("POST", "/alerts/unsubscribe/{channel_id}/{token}"),
    ("GET", "/alerts/feeds/{channel_id}/{token}"),
}  # fmt: skip
"""For anybody. What is in their links, codes and tokens is a secret of its own."""

OWN_PAGES: Final = {
    ("GET", "/account"), ("GET", "/account/usage.csv"), ("GET", "/account/keys"), ("POST", "/account/keys"),
    ("GET", "/account/apps"), ("GET", "/account/sessions"),
    ("POST", "/account/apps/disconnect-all"),
    ("POST", "/account/sessions/end-others"), ("GET", "/account/security"),
    ("GET", "/account/settings"), ("POST", "/account/settings/password"),
    ("POST", "/account/settings/delete"), ("GET", "/account/export"), ("GET", "/account/imports"),
    ("GET", "/account/imports/list"), ("GET", "/account/reports"), ("POST", "/account/imports"), ("GET", "/device"),
    ("POST", "/device"), ("POST", "/device/decision"), ("GET", "/plans/change"),
    ("POST", "/plans/change"), ("POST", "/plans/checkout"), ("POST", "/plans/portal"),
    ("GET", "/account/two-factor"), ("POST", "/account/two-factor/setup"),
    ("POST", "/account/two-factor/confirm"), ("POST", "/account/two-factor/recovery-codes"),
    ("POST", "/account/two-factor/disable"), ("GET", "/account/passkeys"),
    ("POST", "/account/passkeys"), ("POST", "/account/passkeys/new"),
    ("POST", "/account/settings/email"), ("POST", "/account/settings/email/cancel"),
    ("GET", "/account/organisations"), ("POST", "/account/organisations"),
    ("GET", "/account/organisation"), ("POST", "/account/organisation/invite"),
    ("POST", "/account/organisation/rename"),
    ("POST", "/account/organisation/leave"), ("POST", "/account/organisation/delete"),
    ("POST", "/invitation"), ("GET", "/account/alerts"), ("POST", "/account/alerts/channels"),
    ("GET", "/account/imports/bulk"), ("POST", "/account/imports/bulk"),
    ("GET", "/account/imports/following"), ("POST", "/account/imports/following"),
    ("GET", "/account/lists"), ("POST", "/account/lists"),
    ("GET", "/explore"), ("GET", "/explore/suggestions"), ("GET", "/explore/{table}.csv"),
    ("GET", "/explore/sponsors/{slug}"), ("GET", "/explore/sponsors/{slug}/{table}"),
    ("GET", "/explore/sponsors/{slug}/{table}.csv"),
    ("GET", "/explore/youtubers/{slug}"), ("GET", "/explore/youtubers/{slug}/{table}"),
    ("GET", "/explore/youtubers/{slug}/{table}.csv"),
    ("GET", "/explore/rankings"), ("GET", "/explore/rankings/sponsors.csv"),
    ("GET", "/explore/compare"), ("GET", "/explore/compare/sponsors.csv"),
    ("GET", "/explore/categories"), ("GET", "/explore/categories/{category}"), ("GET", "/explore/categories/{category}/{table}.csv"),
    ("GET", "/console"), ("POST", "/console"),
}  # fmt: skip
"""For whoever is logged in, about themselves or the organisation that they act for: they take no id of
anything. The link of an invitation has a secret of its own, which is good for one address alone."""

NAMING: Final = {
    "/account/keys/revoke": "key_id",
    "/account/apps/revoke": "client_id",
    "/account/sessions/end": "session_id",
    "/account/imports/cancel": "import_id",
    "/account/imports/bulk/cancel": "bulk_import_id",
    "/account/imports/following/end": "channel",
    "/account/lists/add": "list",
    "/account/lists/remove": "list",
    "/account/lists/rename": "list",
    "/account/lists/delete": "list",
    "/oauth/authorize/decision": "request",
    "/account/switch": "account",
    "/account/organisation/role": "account_id",
    "/account/organisation/remove": "account_id",
    "/account/organisation/invitations/revoke": "invitation_id",
    "/account/alerts/watches/delete": "watch_id",
    "/account/alerts/channels/rotate": "channel_id",
    "/account/alerts/channels/test": "channel_id",
    "/account/alerts/channels/enable": "channel_id",
    "/account/alerts/channels/delete": "channel_id",
}
"""Forms that name something of an account, and the field that does."""

NAMING_PAGES: Final = {"/account/list": "list", "/account/imports/bulk/channels": "id"}
"""Pages that name something of an account, and the field of their query that does."""

PASSKEYS: Final = {("POST", "/account/passkeys/rename"), ("POST", "/account/passkeys/remove")}
"""They name a passkey, which nobody has at a stack without a domain name: test_passkeys.py tries them."""

ALERTS: Final = {
    ("POST", "/account/alerts/watches"),
    ("POST", "/account/alerts/deliveries/redeliver"),
}
"""They name a channel beside other fields, and a delivery, which nobody has here: the auth service's test_alerts_access.py tries them."""

OPERATORS: Final = {
    ("GET", "/operator"), ("POST", "/operator/plan"), ("POST", "/operator/disable"),
    ("POST", "/operator/enable"), ("POST", "/operator/imports/cancel"),
    ("POST", "/operator/imports/retry"),
}  # fmt: skip

RPCS: Final = {
    "sponsorgraph.imports.v1.Imports": "an account's own",
    "sponsorgraph.imports.v1.BulkImports": "an account's own",
    "sponsorgraph.imports.v1.Follows": "an account's own",
    "sponsorgraph.imports.v1.FollowLimits": "for the auth service, which knows the plans",
    "sponsorgraph.imports.v1.ImportOperations": "operators",
    "sponsorgraph.imports.v1.Redetections": "operators",
    "sponsorgraph.auth.v1.Access": "for gateways, which have verified the caller",
    "sponsorgraph.auth.v1.Operations": "operators",
    "sponsorgraph.auth.v1.AccountOperations": "operators",
    "sponsorgraph.auth.v1.Diagnostics": "operators",
    "sponsorgraph.catalog.v1.Corrections": "operators",
    "sponsorgraph.catalog.v1.Catalog": "shared",
    "sponsorgraph.catalog.v1.BatchCatalog": "shared",
    "sponsorgraph.catalog.v1.Events": "shared",
    "sponsorgraph.alerts.v1.Alerts": "for gateways, which have verified the caller",
}
"""The owner of each gRPC service."""

_HEX: Final = "0123456789abcdef"
FILES: Final = (
    auth_pb2,
    diagnostics_pb2,
    catalog_pb2,
    batch_pb2,
    events_pb2,
    imports_pb2,
    alerts_pb2,
)


@dataclass(frozen=True, slots=True)
class Things:
    """Objects of the owner's account."""

    import_id: str
    bulk_import_id: str
    idempotency_key: str
    key_id: str
    client_id: str
    session_id: str
    request: str
    account: str
    """An organisation, whose owner and open invitation follow."""
    account_id: str
    invitation_id: str
    list_name: str
    channel_id: str
    """Of alerts; a watch follows."""
    watch_id: str
    channel: str
    """Followed once its import is done."""

    def named(self, field: str) -> str:
        if field in {"list", *LISTS}:
            return self.list_name
        if field == "id":
            return self.bulk_import_id
        return self.import_id if field == "cursor" else str(getattr(self, field))


@pytest.fixture(scope="module")
async def things(owner: Party) -> Things:
    key = secrets.token_hex(8)
    arguments = {"channel": f"UC{secrets.token_hex(11)}", "idempotency_key": key}
    started = await owner.call("channel.import", arguments)
    assert started.status_code == 200, started.text
    site = owner.person.site_url
    client = await OAuthClient.registered(site, owner.stack.connection["mcp_url"])
    await client.connect(owner.person)
    await owner.person.visit("/account/keys")
    key_id = dict(owner.person.form("/account/keys/revoke").fields)["key_id"]
    async with Person(site) as elsewhere:
        await elsewhere.log_in(owner.email, PASSWORD)
    await owner.person.visit("/account/sessions")
    session_id = dict(owner.person.form("/account/sessions/end").fields)["session_id"]
    await owner.person.visit(client.authorize_url())
    request = dict(owner.person.form("/oauth/authorize/decision").fields)["request"]
    import_id = started.json()["result"]["structuredContent"]["import_id"]
    followed = started.json()["result"]["structuredContent"]["channel_id"]
    channels = [f"UC{secrets.token_hex(11)}"]
    bulk = await owner.call("channel.bulkImport", {"channels": channels, "idempotency_key": key})
    assert bulk.status_code == 200, bulk.text
    bulk_import_id = bulk.json()["result"]["structuredContent"]["bulk_import_id"]
    organisation = await organisation_things(owner.stack)
    alerts = await alert_things(owner)
    list_name = secrets.token_hex(8)
    made = await owner.call("list.create", {"name": list_name, "type": "sponsor"})
    assert made.status_code == 200, made.text
    return Things(
        import_id,
        bulk_import_id,
        key,
        key_id,
        client.client_id,
        session_id,
        request,
        *organisation,
        list_name,
        *alerts,
        followed,
    )


async def alert_things(owner: Party) -> tuple[str, str]:
    """Return the ids of a channel and of a watch."""
    page = "/account/alerts"
    await owner.person.visit(page)
    await owner.person.submit(f"{page}/channels", kind="feed", name="Feed", target="", digest="")
    await owner.person.visit(page)
    await owner.person.submit(f"{page}/watches", about="quota", subject="", channel="email")
    await owner.person.visit(page)
    rotated = dict(owner.person.form(f"{page}/channels/rotate").fields)["channel_id"]
    watch_id = dict(owner.person.form(f"{page}/watches/delete").fields)["watch_id"]
    return rotated, watch_id


async def organisation_things(stack: RunningStack) -> tuple[str, str, str]:
    """Return an organisation's id, its owner's, and that of an open invitation."""
    email, invited = stack.account("free", PASSWORD), f"{secrets.token_hex(6)}@example.com"
    async with Person(stack.connection["site_url"], "198.51.100.4") as person:
        await person.log_in(email, PASSWORD)
        organisation_id = await organisations.create(person)
        await organisations.invite(person, invited, stack.home / "mails")
        await person.visit(organisations.PAGE)
        owner_id = dict(person.form(f"{organisations.PAGE}/role").fields)["account_id"]
        revocation = person.form(f"{organisations.PAGE}/invitations/revoke")
        invitation_id = dict(revocation.fields)["invitation_id"]
    return organisation_id, owner_id, invitation_id


def unlike(identifier: str) -> str:
    """Return an unused id of the same form as `identifier`."""
    return identifier[:4] + identifier[4:].translate(str.maketrans(_HEX, _HEX[1:] + _HEX[0]))


async def listed(party: Party) -> list[dict[str, Any]]:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    listing = await party.http.post("/mcp?toolsets=all", json=message)
    return listing.json()["result"]["tools"]


async def test_every_tool_has_been_thought_of(owner: Party) -> None:
    assert {tool["name"] for tool in await listed(owner)} == set(TOOLS)


@pytest.mark.parametrize("name", [name for name, owned in TOOLS.items() if owned])
async def test_a_tool_responds_to_anothers_id_as_to_an_unknown_one(
    stranger: Party, things: Things, name: str
) -> None:
    for argument in TOOLS[name]:
        if argument == "idempotency_key":
            continue
        other_id, unused_id = things.named(argument), unlike(things.named(argument))
        responses = [
            await stranger.call(name, {**NEEDED.get(name, {}), argument: identifier})
            for identifier in (other_id, unused_id)
        ]
        outcomes = [
            (response.status_code, response.text.replace(identifier, "ID"))
            for response, identifier in zip(responses, (other_id, unused_id), strict=True)
        ]
        assert outcomes[0] == outcomes[1]
        assert outcomes[0][0] == 400, outcomes


async def test_an_idempotency_key_is_its_accounts_own(stranger: Party, things: Things) -> None:
    arguments = {"channel": f"UC{secrets.token_hex(11)}", "idempotency_key": things.idempotency_key}
    response = (await stranger.call("channel.import", arguments)).json()["result"]
    assert response["structuredContent"]["import_id"] != things.import_id


async def test_a_list_of_imports_has_none_of_anothers(stranger: Party, things: Things) -> None:
    assert things.import_id not in (await stranger.call("channel.imports", {"limit": 100})).text


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_anothers_task_is_as_unknown_as_none(
    owner: Party, stranger: Party, things: Things, method: str
) -> None:
    more: dict[str, Any] = {"inputResponses": {}} if method == "tasks/update" else {}
    outcomes: list[str] = []
    for identifier in (things.import_id, unlike(things.import_id)):
        response = await stranger.post_stateless(method, taskId=identifier, **more)
        assert response.status_code == 400, response.text
        outcomes.append(response.text.replace(identifier, "ID"))
    assert outcomes[0] == outcomes[1]
    owned = await owner.post_stateless("tasks/get", taskId=things.import_id)
    assert owned.json()["result"]["status"] == "working", owned.text


async def test_a_stream_reports_nothing_of_anothers_task(stranger: Party, things: Things) -> None:
    message: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "subscriptions/listen",
        "params": {
            "_meta": FOLLOWING,
            "notifications": {"toolsListChanged": True, "taskIds": [things.import_id]},
        },
    }
    headers = {
        "Authorization": f"Bearer {stranger.key}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    url = stranger.stack.connection["mcp_url"]
    async with (
        httpx2.AsyncClient(timeout=15) as http,
        http.stream("POST", url, json=message, headers=headers) as response,
    ):
        first = await anext(
            line async for line in response.aiter_lines() if line.startswith("data:")
        )
    assert "acknowledged" in first
    assert things.import_id not in first


async def test_no_resource_has_an_account_in_its_address(owner: Party) -> None:
    found = (await owner.rpc("resources/list")).json()["result"]["resources"]
    templates = (await owner.rpc("resources/templates/list")).json()["result"]["resourceTemplates"]
    addresses = {item["uri"] for item in found if not item["uri"].startswith("ui://")}
    assert addresses | {template["uriTemplate"] for template in templates} == RESOURCES
    for uri in ("sponsorgraph://account/usage?account_id=x", "sponsorgraph://account/other"):
        assert "error" in (await owner.rpc("resources/read", uri=uri)).json()


@pytest.mark.parametrize("path", NAMING)
async def test_a_form_responds_to_anothers_id_as_to_an_unknown_one(
    owner: Party, stranger: Party, things: Things, path: str
) -> None:
    field = NAMING[path]
    other_id = things.named(field)
    outcomes: list[tuple[int, str | None, str]] = []
    for identifier in (other_id, unlike(other_id)):
        response = await sent(stranger, path, {field: identifier})
        outcomes.append(
            (
                response.status_code,
                response.headers.get("location"),
                response.text.replace(identifier, "ID"),
            )
        )
    assert outcomes[0] == outcomes[1]
    for page, address in (
        ("/account/keys", ""),
        ("/account/apps", ""),
        ("/account/sessions", ""),
        ("/account/imports/cancel", "/account/imports"),
        ("/account/imports/bulk", f"/account/imports/bulk/channels?id={things.bulk_import_id}"),
        ("/account/alerts", ""),
    ):
        shown = (await owner.person.visit(address or page)).text
        if path.startswith(page):
            assert f'value="{other_id}"' in shown, "it is gone"


@pytest.mark.parametrize("path", NAMING_PAGES)
async def test_a_page_responds_to_anothers_id_as_to_an_unknown_one(
    owner: Party, stranger: Party, things: Things, path: str
) -> None:
    field = NAMING_PAGES[path]
    other_id = things.named(field)
    outcomes: list[tuple[int, str]] = []
    for identifier in (other_id, unlike(other_id)):
        response = await stranger.person.client.get(path, params={field: identifier})
        outcomes.append((response.status_code, response.text.replace(identifier, "ID")))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 404
    own = await owner.person.client.get(path, params={field: other_id})
    assert (own.status_code, other_id in own.text) == (200, True)


async def sent(party: Party, path: str, fields: dict[str, str]) -> httpx2.Response:
    """Submit a form with the CSRF token of the party's own session."""
    await party.person.visit("/account/settings")
    csrf = dict(party.person.form("/account/settings/password").fields)["csrf"]
    return await party.person.client.post(path, data={"csrf": csrf, **fields})


@pytest.mark.parametrize(
    "route",
    sorted(
        OWN_PAGES
        | {("POST", path) for path in NAMING}
        | {("GET", path) for path in NAMING_PAGES}
        | PASSKEYS
        | ALERTS
        | OPERATORS
    ),
)
async def test_nobody_gets_further_than_the_login(
    stack: RunningStack, route: tuple[str, str]
) -> None:
    method, path = route
    async with httpx2.AsyncClient(base_url=stack.connection["site_url"]) as client:
        response = await client.request(method, path)
    assert response.status_code == 303
    assert response.headers["location"].startswith("/login?next=")


@pytest.mark.parametrize("route", sorted(OPERATORS))
async def test_operators_pages_are_unknown_to_others(
    owner: Party, stranger: Party, route: tuple[str, str]
) -> None:
    method, path = route
    client = stranger.person.client
    if method == "GET":
        response = await client.get(path)
    else:
        response = await sent(stranger, path, {"account_id": "acc_x", "plan": "creator_agent"})
    unknown = await client.get(path + "-that-is-none")
    assert (response.status_code, response.text) == (404, unknown.text)
    assert (await owner.call("account.usage")).status_code == 200


def methods(service: str) -> list[tuple[str, Any]]:
    """Return the path and request class of every method of a gRPC service."""
    for file in FILES:
        for found in file.DESCRIPTOR.services_by_name.values():
            if found.full_name == service:
                return [
                    (f"/{service}/{method.name}", GetMessageClass(method.input_type))
                    for method in found.methods
                ]
    raise AssertionError(service)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()


async def status_of(
    stack: RunningStack, target: str, path: str, request: Any, **metadata: str
) -> tuple[Any, str]:
    """Return the status code and message with which a call ends."""
    token = Home(stack.home).secrets().grpc_token
    channel = grpc_client.open_channel(target, credentials=PeerCredentials((token,)))
    async with channel:
        streams = "/Watch" in path
        open_call: Any = channel.unary_stream if streams else channel.unary_unary
        call = open_call(path, request_serializer=_bytes)(
            request, timeout=10, metadata=tuple(metadata.items())
        )
        try:
            if streams:
                await anext(aiter(call))
            else:
                await call
        except grpc.aio.AioRpcError as error:
            return error.code(), error.details() or ""
    return grpc.StatusCode.OK, ""


@pytest.mark.parametrize(
    "path",
    [path for path, _ in methods("sponsorgraph.imports.v1.Imports") if "StartImport" not in path],
)
async def test_an_rpc_responds_to_anothers_import_as_to_an_unknown_one(
    stack: RunningStack, things: Things, path: str
) -> None:
    addresses = Home(stack.home).addresses()
    assert addresses is not None
    outcomes: list[tuple[Any, str]] = []
    for identifier in (things.import_id, unlike(things.import_id)):
        message = dict(methods("sponsorgraph.imports.v1.Imports"))[path]
        fields = {"cursor": identifier, "limit": 5} if "List" in path else {"import_id": identifier}
        request = message(account_id="acc_stranger", **fields)
        code, words = await status_of(stack, addresses.imports_grpc, path, request)
        outcomes.append((code, words.replace(identifier, "ID")))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pair
        for service, audience in RPCS.items()
        if audience == "operators"
        for pair in methods(service)
    ],
)  # fmt: skip
async def test_operators_rpcs_are_refused_to_others(
    stack: RunningStack, path: str, message: Any
) -> None:
    addresses = Home(stack.home).addresses()
    assert addresses is not None
    target = next(
        address
        for package, address in {
            "auth": addresses.auth_grpc,
            "catalog": addresses.catalog_grpc,
            "imports": addresses.imports_grpc,
        }.items()
        if f".{package}." in path
    )
    tokens: tuple[dict[str, str], ...] = ({}, {"x-operator-token": ""}, {"x-operator-token": "x"})
    for token in tokens:
        code, _ = await status_of(stack, target, path, message(), **token)
        assert code == grpc.StatusCode.PERMISSION_DENIED


MASS: Final = {
    "plan": "creator_agent",
    "plan_id": "creator_agent",
    "role": "operator",
    "is_operator": "true",
    "operator": "1",
    "account_id": "acc_other",
    "email_confirmed_at": "2026-01-01",
    "disabled_at": "",
}
"""Fields that nobody may set about themselves (OWASP API3)."""


async def test_further_fields_of_forms_change_nothing(stranger: Party) -> None:
    before = (await stranger.call("account.usage")).json()["result"]["structuredContent"]
    fields = {"current": PASSWORD, "password": PASSWORD, **MASS}
    for path in ("/account/settings/password", "/account/imports", "/account/sessions/end"):
        await sent(stranger, path, fields)
    after = (await stranger.call("account.usage")).json()["result"]["structuredContent"]
    assert (after["plan"], after["features"]) == (before["plan"], before["features"])
    assert (await stranger.person.visit("/operator")).status_code == 404


async def test_a_sign_up_with_further_fields_makes_a_free_account(
    stack: RunningStack,
) -> None:
    address = f"{secrets.token_hex(6)}@example.com"
    async with Person(stack.connection["site_url"], "198.51.100.3") as person:
        await person.visit("/signup")
        await person.submit("/signup", email=address, password=PASSWORD, **MASS)
        link = link_in(await newest_mail(stack.home / "mails", address))
        assert (await person.log_in(address, PASSWORD)).status_code == 401
        await person.visit(link)
        await person.submit("/confirm", **MASS)
    shown = stack.command("account", "show", address, "--json")
    assert '"plan": "free"' in shown.stdout, shown.stdout + shown.stderr


async def test_a_registration_with_further_fields_is_of_an_unverified_client_without_account(
    stack: RunningStack,
) -> None:
    body = {
        "client_name": "Mass",
        "redirect_uris": ["https://client.example/callback"],
        "client_id": "client_of_my_choice",
        "client_secret": "of my choice",
        "verified": True,
        "source": "document",
        **MASS,
    }
    async with httpx2.AsyncClient(base_url=stack.connection["site_url"]) as http:
        made = (await http.post("/oauth/register", json=body)).json()
    assert made["client_id"] != "client_of_my_choice"
    assert not {"client_secret", "verified", "source", *MASS} & made.keys()


@pytest.mark.parametrize("name", TOOLS)
async def test_no_tool_accepts_an_account_or_plan_as_an_argument(owner: Party, name: str) -> None:
    for field in MASS:
        response = await owner.call(name, {field: MASS[field]})
        assert response.status_code == 400
        assert field in response.json()["error"]["message"]
