"""The requirements on an endpoint of all revisions, one test each; details are elsewhere.

The eighteenth is the official conformance suite: tests/conformance.

Every message is held against the JSON Schema of its revision by the fixtures `service` and `url`.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp_types import Implementation

from gateway.app import open_app
from gateway.mcp.versions import SESSION_BASED, STATELESS, SUPPORTED
from gateway.tools import all_tools
from servicekit.errors import Unavailable
from servicekit.http.server import serve_http
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.listed_tools import LISTED
from tests.integration.gateway.conftest import Service, request, settings_for, until
from tests.integration.gateway.test_progress import BOTH, import_call, steps
from tests.integration.gateway.test_protocol_versions import META, initialize, names, post_stateless
from tests.integration.gateway.test_sdk_client import IN_BOTH_MODES, Mode, connected

CLIENT = {"mcp_protocol_version": "2025-11-25"}
LISTEN = "subscriptions/listen"
HEADERS = {"authorization": f"Bearer {KEY}", "accept": BOTH, "mcp-protocol-version": STATELESS}


def code_of(reply: httpx2.Response) -> tuple[int, int]:
    return reply.status_code, reply.json()["error"]["code"]


async def test_01_the_kind_of_client_is_found_in_the_body_and_then_in_the_header(
    service: Service,
) -> None:
    message = request("tools/list", _meta=META)
    assert code_of(await service.post(message)) == (400, -32020)
    other = {"mcp_protocol_version": "2025-11-25", "mcp_method": "tools/list"}
    assert code_of(await service.post(message, **other)) == (400, -32020)
    bare = await service.post(request("tools/list"), mcp_protocol_version=STATELESS)
    assert code_of(bare) == (400, -32602)
    assert (await post_stateless(service, "tools/list")).status_code == 200
    assert (await service.post(request("tools/list"), **CLIENT)).status_code == 200


async def test_01_capabilities_that_are_no_object_are_refused(service: Service) -> None:
    meta = META | {"io.modelcontextprotocol/clientCapabilities": True}
    message = request("tools/list", _meta=meta)
    reply = await service.post(message, mcp_protocol_version=STATELESS, mcp_method="tools/list")
    assert code_of(reply) == (400, -32602)


async def test_02_initialize_begins_a_session_and_session_methods_are_not_stateless(
    service: Service,
) -> None:
    for version in (*SESSION_BASED, "1999-01-01"):
        message = request("initialize", protocolVersion=version, capabilities={}, clientInfo={})
        reply = await service.post(message, mcp_protocol_version=STATELESS)
        agreed = version if version in SESSION_BASED else SESSION_BASED[0]
        assert reply.json()["result"]["protocolVersion"] == agreed
    for method in (
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ):
        assert code_of(await post_stateless(service, method)) == (404, -32601)


async def test_02_the_server_info_fits_the_revision(service: Service) -> None:
    results = {
        version: (await initialize(service, version)).json()["result"] for version in SESSION_BASED
    }
    fields = {version: set(result["serverInfo"]) for version, result in results.items()}
    assert fields["2024-11-05"] == fields["2025-03-26"] == {"name", "version"}
    assert fields["2025-06-18"] == {"name", "version", "title"}
    full = {"name", "version", "title", "description", "websiteUrl", "icons"}
    assert fields["2025-11-25"] == full
    assert "completions" not in results["2024-11-05"]["capabilities"]
    assert {"tools", "resources", "prompts", "completions", "extensions"} == results["2025-03-26"][
        "capabilities"
    ].keys()
    found = (await post_stateless(service, "server/discover")).json()["result"]
    info = found["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert set(info) == full
    assert Implementation.model_validate(info).icons
    assert info["icons"][0]["src"].startswith("data:image/svg+xml,")
    assert found["capabilities"]["tools"] == {"listChanged": True}


async def test_02_a_session_client_may_set_a_level_of_logs_that_never_come(
    service: Service,
) -> None:
    reply = await service.post(request("logging/setLevel", level="debug"), **CLIENT)
    assert reply.json()["result"] == {}
    wrong = await service.post(request("logging/setLevel", level="loud"), **CLIENT)
    assert code_of(wrong) == (200, -32602)
    capabilities = (await initialize(service)).json()["result"]["capabilities"]
    assert "logging" not in capabilities


async def test_03_a_bare_script_needs_no_handshake(service: Service) -> None:
    key = {"authorization": f"Bearer {KEY}"}
    for method, params in (("tools/list", {}), ("tools/call", {"name": "category.list"})):
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        reply = await service.http.post("/mcp", content=message, headers=key)
        assert reply.status_code == 200
        assert reply.headers["content-type"] == "application/json"


async def test_04_json_unless_a_stream_is_accepted_and_needed(service: Service) -> None:
    service.backends.import_steps = steps(0, 100)
    for accept in ("*/*", "application/json", "application/json;q=1, text/html"):
        reply = await service.post(import_call(), accept=accept, **CLIENT)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    needless = await service.post(request("tools/list"), accept=BOTH, **CLIENT)
    assert needless.headers["content-type"] == "application/json"
    streamed = await service.post(import_call(), accept=BOTH, **CLIENT)
    assert streamed.headers["content-type"] == "text/event-stream"
    assert streamed.headers["x-accel-buffering"] == "no"
    text = await service.post(request("ping"), content_type="text/plain")
    assert text.status_code == 415
    assert "application/json" in text.json()["error"]["message"]


async def test_05_all_revisions_are_listed_newest_first_everywhere(service: Service) -> None:
    found = (await post_stateless(service, "server/discover")).json()["result"]["supportedVersions"]
    unknown = await service.post(request("tools/list"), mcp_protocol_version="2099-01-01")
    assert code_of(unknown) == (400, -32022)
    assert found == unknown.json()["error"]["data"]["supported"] == list(SUPPORTED)
    assert found == sorted(found, reverse=True)
    assert len(found) == 5


async def test_06_only_post_and_the_headers_that_pages_may_send_and_read(service: Service) -> None:
    session = (await initialize(service)).headers["mcp-session-id"]
    key = {"authorization": f"Bearer {KEY}", "mcp-session-id": session}
    for method in ("GET", "DELETE"):
        reply = await service.http.request(method, "/mcp", headers=key)
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    page = {
        "origin": "http://localhost:6274",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, mcp-name, mcp-param-x",
    }
    allowed = (await service.http.options("/mcp", headers=page)).headers
    assert allowed["access-control-allow-headers"] == "authorization, mcp-name, mcp-param-x"
    reply = await service.post(request("ping"), origin="http://localhost:6274")
    exposed = set(reply.headers["access-control-expose-headers"].split(", "))
    assert {"WWW-Authenticate", "Retry-After", "Mcp-Session-Id"} <= exposed


async def test_07_pages_of_strangers_are_refused(service: Service) -> None:
    refused = await service.post(request("ping"), origin="https://evil.example.com")
    assert refused.status_code == 403
    assert "id" not in refused.json()
    for origin in ("http://localhost:1", "http://127.0.0.1:8000"):
        assert (await service.post(request("ping"), origin=origin)).status_code == 200
    assert (await service.post(request("ping"))).status_code == 200


async def test_08_errors_name_their_request_and_notifications_get_202(service: Service) -> None:
    for item in ("abc", 0, -5):
        reply = await service.post(request("nope") | {"id": item}, **CLIENT)
        assert (reply.status_code, reply.json()["id"]) == (200, item)
    for headers in ({}, CLIENT, {"mcp_protocol_version": STATELESS}):
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        reply = await service.post(message, **headers)
        assert (reply.status_code, reply.content) == (202, b"")


async def test_09_batches_belong_to_one_revision(service: Service) -> None:
    batch = [request("ping") | {"id": n} for n in range(3)]
    for headers in ({}, {"mcp_protocol_version": "2025-03-26"}):
        assert [item["id"] for item in (await service.post(batch, **headers)).json()] == [0, 1, 2]
    for version in set(SUPPORTED) - {"2025-03-26"}:
        reply = await service.post(batch, mcp_protocol_version=version)
        assert code_of(reply) == (400, -32600)
    assert code_of(await service.post(batch * 7)) == (400, -32600)


@pytest.mark.parametrize(
    ("method", "params", "scope"),
    [
        ("server/discover", {}, "public"),
        ("tools/list", {}, "private"),
        ("resources/list", {}, "public"),
        ("resources/templates/list", {}, "public"),
        ("resources/read", {"uri": "sponsorgraph://account/usage"}, "private"),
        ("prompts/list", {}, "public"),
        ("tools/call", {"name": "category.list"}, None),
        ("prompts/get", {"name": "brand_brief", "arguments": {"brand": "x"}}, None),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "brand_brief"},
                "argument": {"name": "brand", "value": "x"},
            },
            None,
        ),
    ],
)
async def test_10_stateless_results_name_their_type_and_lifetime(
    service: Service, method: str, params: dict[str, Any], scope: str | None
) -> None:
    new = (await post_stateless(service, method, **params)).json()["result"]
    assert new["resultType"] == "complete"
    assert new["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "sponsorgraph"
    assert new.get("cacheScope") == scope
    assert isinstance(new.get("ttlMs"), int) is (scope is not None)
    if method != "server/discover":
        old = (await service.post(request(method, **params), **CLIENT)).json()["result"]
        assert not {"resultType", "ttlMs", "cacheScope"} & old.keys()
        assert "io.modelcontextprotocol/serverInfo" not in old.get("_meta", {})


async def test_11_the_tools_have_one_order_and_names_that_all_clients_accept(
    service: Service,
) -> None:
    first, second = [
        (await post_stateless(service, "tools/list")).json()["result"] for _ in range(2)
    ]
    assert first == second
    assert [tool["name"] for tool in first["tools"]] == [tool.alias for tool in LISTED]
    assert all(tool["icons"] for tool in first["tools"])
    assert all(re.fullmatch(r"[a-zA-Z0-9_]{1,40}", tool["name"]) for tool in first["tools"])
    # The header is held against the name as it was sent, not against the other name of the tool.
    for name in ("category.list", "category_list"):
        assert (await post_stateless(service, "tools/call", name=name)).status_code == 200
    message = request("tools/call", name="category.list", _meta=META)
    mixed = {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call"}
    reply = await service.post(message, **mixed, mcp_name="category_list")
    assert code_of(reply) == (400, -32020)


async def test_12_structured_content_is_an_object_of_the_published_shape(
    service: Service,
) -> None:
    for tool in all_tools():
        fields = tool.input_schema["properties"]
        arguments: dict[str, Any] = {
            name: ["nordvpn", "surfshark"] if fields[name].get("type") == "array" else "nordvpn"
            for name in tool.input_schema.get("required", [])
        }
        if tool.name == "sponsorship.report":
            arguments |= {"kind": "missing", "brand": "nordvpn"}
        if "type" in arguments:
            arguments |= {"type": "sponsor"}
        if tool.name == "watch.create":
            arguments |= {"about": "sponsor", "subject": "nordvpn"}
        for variant in (arguments, {"no such argument": 1}):
            reply = await service.call(tool.name, variant, **CLIENT)
            result = reply.json()["result"]
            assert isinstance(result["structuredContent"], dict)
            shape: Any = Draft202012Validator(tool.output_schema)
            shape.validate(result["structuredContent"])
        good = (await service.call(tool.name, arguments, **CLIENT)).json()["result"]
        if not good["isError"]:
            assert json.loads(good["content"][0]["text"]) == good["structuredContent"]


async def test_13_an_import_returns_at_once_and_is_followed_by_tools(service: Service) -> None:
    """So it is for clients without the tasks extension; test_tasks.py has those with it."""
    started = await post_stateless(
        service, "tools/call", name="channel.import", arguments={"channel": "@example"}
    )
    started_import = started.json()["result"]["structuredContent"]
    assert {"import_id", "state"} <= started_import.keys()
    offered = names(await service.post(request("tools/list")))
    assert {"channel.importStatus", "channel.imports", "channel.cancelImport"} <= set(offered)
    query = service.backends.requests[-1][1]
    assert getattr(query, "account_id", None) == "account-1"


@IN_BOTH_MODES
async def test_14_listening_is_for_stateless_clients(
    url: str, mode: Mode, backends: Backends
) -> None:
    async with connected(url, mode) as client:
        if mode == "legacy":
            assert client.server_capabilities.tools
            assert client.server_capabilities.tools.list_changed is False
            return
        async with client.listen(tools_list_changed=True, prompts_list_changed=True) as stream:
            assert stream.honored.tools_list_changed
            assert not stream.honored.prompts_list_changed
            backends.access.give(KEY, principal(features=()))
            await anext(aiter(stream))
            tools = (await client.list_tools()).tools
    assert "account_usage" in {tool.name for tool in tools}
    assert "channel_import" not in {tool.name for tool in tools}


async def test_14_the_stream_acknowledges_first_tags_filters_and_ends_with_a_result(
    backends: Backends, fresh_valkey: str
) -> None:
    filters = {"toolsListChanged": False, "resourceSubscriptions": ["sponsorgraph://sponsor/a"]}
    async with (
        gateway_on_socket(backends, fresh_valkey) as (web, url),
        listening_to(url, filters) as events,
    ):
        acknowledged = await anext(events)
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == {}
        web.end_streams()
        last = await anext(events)
    assert last["id"] == "my stream"
    assert last["result"]["resultType"] == "complete"
    for meta in (acknowledged["params"]["_meta"], last["result"]["_meta"]):
        assert meta["io.modelcontextprotocol/subscriptionId"] == "my stream"


async def test_14_a_credential_that_ends_ends_its_stream(
    backends: Backends, fresh_valkey: str
) -> None:
    async with (
        gateway_on_socket(backends, fresh_valkey) as (_, url),
        listening_to(url, {"toolsListChanged": True}) as events,
    ):
        assert (await anext(events))["params"]["notifications"] == {"toolsListChanged": True}
        backends.access.holders.clear()
        assert "result" in await anext(events)


async def test_14_a_quiet_stream_stays_alive(
    backends: Backends, fresh_valkey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.mcp.transport.sse.KEEP_ALIVE_SECONDS", 0.05)
    async with (
        gateway_on_socket(backends, fresh_valkey) as (_, url),
        httpx2.AsyncClient() as http,
        http.stream("POST", url, **listen_request({})) as reply,
    ):
        async for line in reply.aiter_lines():
            if line.startswith(":"):
                break


@pytest.mark.parametrize("notifications", [None, [], {"toolsListChanged": "yes"}])
async def test_14_a_filter_that_is_none_is_refused(service: Service, notifications: Any) -> None:
    assert code_of(await post_stateless(service, LISTEN, notifications=notifications)) == (
        400,
        -32602,
    )


async def test_14_without_a_stream_there_is_nothing_to_listen_to(service: Service) -> None:
    reply = await post_stateless(service, LISTEN, notifications={})
    assert code_of(reply) == (400, -32600)
    assert "text/event-stream" in reply.json()["error"]["message"]


async def test_14_an_account_has_only_so_many_streams(
    backends: Backends, fresh_valkey: str
) -> None:
    async with gateway_on_socket(backends, fresh_valkey, max_subscriptions_per_account=1) as (
        _,
        url,
    ):
        async with listening_to(url, {}) as events:
            await anext(events)
            async with listening_to(url, {}) as second:
                assert (await anext(second))["error"]["code"] == 429
        # Leaving is noticed, and frees the slot.
        async with asyncio.timeout(5):
            while True:
                async with listening_to(url, {}) as third:
                    if "method" in await anext(third):
                        return


async def test_14_an_account_may_have_a_limit_of_streams_of_its_own(
    backends: Backends, fresh_valkey: str
) -> None:
    backends.access.give(KEY, principal(concurrent_streams=2))
    async with (
        gateway_on_socket(backends, fresh_valkey, max_subscriptions_per_account=1) as (_, url),
        listening_to(url, {}) as first,
    ):
        assert "method" in await anext(first)
        async with listening_to(url, {}) as second:
            assert "method" in await anext(second)
            async with listening_to(url, {}) as third:
                error = (await anext(third))["error"]
    assert (error["code"], "has 2 streams open" in error["message"]) == (429, True)


async def test_15_an_unknown_resource_has_the_code_of_its_revision_and_its_address(
    service: Service,
) -> None:
    uri = "sponsorgraph://nothing/here"
    new = await post_stateless(service, "resources/read", uri=uri)
    old = await service.post(request("resources/read", uri=uri), **CLIENT)
    assert (code_of(new), code_of(old)) == ((400, -32602), (200, -32002))
    assert new.json()["error"]["data"] == old.json()["error"]["data"] == {"uri": uri}


@pytest.mark.parametrize("revision", SUPPORTED)
async def test_16_a_failure_is_reported_to_clients_in_words_and_to_scripts_by_status(
    service: Service, revision: str
) -> None:
    """The table of errors by kind of caller; each real client is tried in tests/e2e."""
    fake = service.backends

    async def both(tool: str, arguments: Any) -> tuple[str, int]:
        script = await service.call(tool, arguments)
        if revision == STATELESS:
            client = await post_stateless(service, "tools/call", name=tool, arguments=arguments)
        else:
            client = await service.call(tool, arguments, mcp_protocol_version=revision)
        assert client.status_code == 200
        result = client.json()["result"]
        assert result["isError"] is True
        # Each reads its own name of the tool.
        said = script.json()["error"]["message"].replace("channel.import", "channel_import")
        assert result["content"][0]["text"] == said
        return result["structuredContent"]["error"]["code"], script.status_code

    assert await both("sponsor.get", {}) == ("invalid_arguments", 400)
    fake.catalog_error = Unavailable("The catalog is away.", retry_after=1)
    assert await both("sponsor.top", {}) == ("unavailable", 503)
    fake.catalog_error = None
    fake.access.give(KEY, principal(features=()))
    await service.wait_for_pushes()
    await service.valkey.publish(REVOCATION_CHANNEL, json.dumps({"account_id": "account-1"}))

    async def imports_are_gone() -> bool:
        return "channel.import" not in names(await service.post(request("tools/list")))

    await until(imports_are_gone)
    assert await both("channel.import", {"channel": "@x"}) == ("plan_required", 403)


@IN_BOTH_MODES
async def test_16_the_sdk_hands_on_the_words(url: str, mode: Mode, backends: Backends) -> None:
    backends.access.used = 1000
    async with connected(url, mode) as client:
        result = await client.call_tool("sponsor.top", {})
    assert result.is_error
    assert result.structured_content
    assert result.structured_content["error"]["code"] == "quota_exceeded"


async def test_17_the_resource_says_where_tokens_come_from_and_keys_work(
    service: Service,
) -> None:
    """The authorization server's own part is in tests/integration/auth_service and tests/e2e."""
    well_known = "/.well-known/oauth-protected-resource"
    for path in (well_known, f"{well_known}/mcp"):
        document = (await service.http.get(path)).json()
        assert document["resource"] == f"{service.settings.base_url}/mcp"
        assert document["authorization_servers"] == [service.settings.issuer]
    nobody = await service.http.post("/mcp", json=request("ping"))
    assert nobody.status_code == 401
    assert f"{well_known}/mcp" in nobody.headers["www-authenticate"]
    assert (await service.post(request("ping"))).status_code == 200


def listen_request(notifications: Any, meta: Any = META) -> dict[str, Any]:
    message = request(LISTEN, notifications=notifications, _meta=meta) | {"id": "my stream"}
    return {"json": message, "headers": HEADERS | {"mcp-method": LISTEN}}


@asynccontextmanager
async def listening_to(
    url: str, notifications: Any, meta: Any = META
) -> AsyncGenerator[AsyncGenerator[Any]]:
    """The messages of a subscription, one after the other."""

    async def messages(reply: httpx2.Response) -> AsyncGenerator[Any]:
        async for line in reply.aiter_lines():
            if line.startswith(("data: ", "{")):
                yield json.loads(line.removeprefix("data: "))

    async with (
        httpx2.AsyncClient(timeout=20) as http,
        http.stream("POST", url, **listen_request(notifications, meta)) as reply,
    ):
        events = messages(reply)
        yield events
        await events.aclose()


@asynccontextmanager
async def gateway_on_socket(
    backends: Backends, valkey: str, **changes: Any
) -> AsyncGenerator[tuple[Any, str]]:
    """A gateway that polls often."""
    facts = {"subscription_poll_seconds": 0.05, "credential_ttl_seconds": 0.05} | changes
    settings = settings_for(backends, valkey, **facts)
    async with open_app(settings) as web, serve_http(web, "127.0.0.1", 0, 5) as port:
        try:
            yield web, f"http://127.0.0.1:{port}/mcp"
        finally:
            web.end_streams()
