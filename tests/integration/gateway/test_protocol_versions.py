"""Both generations of the protocol, and bare scripts, on one endpoint."""

from typing import Any

import httpx2
import pytest

from gateway.mcp.versions import SESSION_BASED, STATELESS, SUPPORTED
from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.conftest import OpenGateway, Service, request

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "some-client", "version": "1"},
}


async def post_stateless(service: Service, method: str, /, **params: Any) -> httpx2.Response:
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": method}
    named = params.get("name", params.get("uri"))
    if named is not None:
        headers["mcp_name"] = named
    return await service.post(request(method, **params, _meta=META), **headers)


async def initialize(service: Service, version: str = "2025-11-25", name: str = "x") -> Any:
    info = {"name": name, "version": "1"}
    return await service.post(
        request("initialize", protocolVersion=version, capabilities={}, clientInfo=info)
    )


def names(reply: httpx2.Response) -> list[str]:
    return [tool["name"] for tool in reply.json()["result"]["tools"]]


async def test_a_bare_script_lists_and_calls_without_a_handshake(service: Service) -> None:
    listed = await service.post(request("tools/list"))
    assert listed.headers["content-type"] == "application/json"
    assert "sponsor.search" in names(listed)
    called = await service.call("sponsor.search", {"search": "vpn"})
    result = called.json()["result"]
    assert result["isError"] is False
    assert result["structuredContent"]["sponsors"]
    assert "resultType" not in result


async def test_the_text_is_the_structured_content(service: Service) -> None:
    result = (await service.call("sponsor.top", {"metric": "views"})).json()["result"]
    (content,) = result["content"]
    assert content["type"] == "text"
    assert httpx2.Response(200, text=content["text"]).json() == result["structuredContent"]


@pytest.mark.parametrize(
    ("requested", "agreed"),
    [
        *zip(SESSION_BASED, SESSION_BASED, strict=True),
        ("2023-01-01", SESSION_BASED[0]),
        (STATELESS, SESSION_BASED[0]),
    ],
)
async def test_initialize_agrees_on_a_session_revision(
    service: Service, requested: str, agreed: str
) -> None:
    reply = await initialize(service, requested)
    result = reply.json()["result"]
    assert result["protocolVersion"] == agreed
    assert result["serverInfo"]["name"] == "sponsorgraph"
    assert "tools" in result["capabilities"]
    assert len(result["instructions"]) < 1000
    for tool in (
        "catalog_query",
        "catalog_schema",
        "catalog_export",
        "list_create",
        "watch_create",
    ):
        assert tool in result["instructions"]


async def test_initialize_begins_a_session_even_under_a_stateless_header(service: Service) -> None:
    message = request("initialize", protocolVersion="2025-11-25")
    reply = await service.post(message, mcp_protocol_version=STATELESS)
    assert reply.json()["result"]["protocolVersion"] == "2025-11-25"


async def test_initialize_without_a_version_has_invalid_params(service: Service) -> None:
    reply = await service.post(request("initialize"), accept="text/event-stream")
    assert reply.json()["error"]["code"] == -32602


async def test_a_session_id_is_accepted_by_any_gateway_with_the_secret(
    service: Service,
) -> None:
    session = (await initialize(service)).headers["mcp-session-id"]
    reply = await service.post(request("tools/list"), mcp_session_id=session)
    assert reply.status_code == 200


async def test_a_client_is_known_by_its_session_alone(service: Service) -> None:
    session = (await initialize(service)).headers["mcp-session-id"]
    reply = await service.call("sponsor.get", {}, mcp_session_id=session, accept="*/*")
    assert reply.status_code == 200
    assert reply.json()["result"]["isError"] is True


async def test_ping_gets_a_result_and_notifications_are_accepted(service: Service) -> None:
    assert (await service.post(request("ping"))).json()["result"] == {}
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/x"):
        reply = await service.post({"jsonrpc": "2.0", "method": method})
        assert (reply.status_code, reply.content) == (202, b"")


async def test_a_response_of_a_session_client_is_accepted_and_of_a_stateless_one_refused(
    service: Service,
) -> None:
    response: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (await service.post(response)).status_code == 202
    refused = await service.post(response, mcp_protocol_version=STATELESS)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32600)


async def test_discover_lists_all_revisions_newest_first(service: Service) -> None:
    result = (await post_stateless(service, "server/discover")).json()["result"]
    assert result["supportedVersions"] == list(SUPPORTED)
    assert result["resultType"] == "complete"
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] == "public"
    server = result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert server["name"] == "sponsorgraph"
    assert server["version"]


async def test_a_stateless_list_may_be_cached_by_its_owner(service: Service) -> None:
    result = (await post_stateless(service, "tools/list")).json()["result"]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
    assert isinstance(result["ttlMs"], int)


async def test_a_stateless_result_has_its_quota_in_meta(service: Service) -> None:
    result = (await post_stateless(service, "tools/call", name="category.list")).json()["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"]["sponsorgraph/quota"]["remaining"] == 999
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "sponsorgraph"


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "roots/list"]
)
async def test_a_stateless_request_of_a_session_method_is_not_found(
    service: Service, method: str
) -> None:
    reply = await post_stateless(service, method)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, -32601)


async def test_an_unknown_method_of_a_session_client_has_http_200(service: Service) -> None:
    reply = await service.post(request("tasks/list"), mcp_protocol_version="2025-11-25")
    assert (reply.status_code, reply.json()["error"]["code"]) == (200, -32601)


async def test_an_unknown_tool_of_a_stateless_client_is_a_bad_request(service: Service) -> None:
    reply = await post_stateless(service, "tools/call", name="sponsor.serch")
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": STATELESS},
        {"mcp_protocol_version": STATELESS, "mcp_method": "tools/list"},
        {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call"},
        {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call", "mcp_name": "sponsor_get"},
        {"mcp_protocol_version": STATELESS, "mcp_method": "tools/call", "mcp_name": "=?base64?!?="},
    ],
)
async def test_stateless_headers_that_differ_from_the_body_are_refused(
    service: Service, headers: dict[str, str]
) -> None:
    message = request("tools/call", name="sponsor.get", arguments={"sponsor": "x"}, _meta=META)
    reply = await service.post(message, **headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32020)


async def test_a_wrapped_name_is_unwrapped_before_it_is_compared(service: Service) -> None:
    reply = await service.post(
        request("tools/call", name="category.list", _meta=META),
        mcp_protocol_version=STATELESS,
        mcp_method="tools/call",
        mcp_name="=?base64?Y2F0ZWdvcnkubGlzdA==?=",
    )
    assert reply.status_code == 200


async def test_a_repeated_routing_header_is_refused(service: Service) -> None:
    message = request("tools/list", _meta=META)
    headers = [
        *service.http.headers.raw,
        *((b"mcp-protocol-version", STATELESS.encode()) for _ in range(2)),
        (b"mcp-method", b"tools/list"),
        (b"authorization", f"Bearer {KEY}".encode()),
    ]
    reply = await service.http.post("/mcp", json=message, headers=headers)
    assert reply.json()["error"]["code"] == -32020


async def test_a_stateless_header_without_meta_is_refused(service: Service) -> None:
    reply = await service.post(request("tools/list"), mcp_protocol_version=STATELESS)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


async def test_meta_without_capabilities_is_refused(service: Service) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": STATELESS}
    reply = await service.post(
        request("tools/list", _meta=meta), mcp_protocol_version=STATELESS, mcp_method="tools/list"
    )
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


async def test_a_stateless_version_to_come_learns_the_supported_ones(service: Service) -> None:
    meta = META | {"io.modelcontextprotocol/protocolVersion": "2027-07-28"}
    reply = await service.post(request("tools/list", _meta=meta), mcp_protocol_version="2027-07-28")
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32022)
    assert reply.json()["error"]["data"] == {
        "supported": list(SUPPORTED),
        "requested": "2027-07-28",
    }


async def test_a_batch_of_the_one_revision_that_has_them_gets_responses_in_order(
    service: Service,
) -> None:
    batch = [request("ping") | {"id": n} for n in range(3)]
    for headers in ({}, {"mcp_protocol_version": "2025-03-26"}):
        reply = await service.post(batch, **headers)
        assert [response["id"] for response in reply.json()] == [0, 1, 2]
    notified = await service.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert (notified.status_code, notified.content) == (202, b"")


async def test_lists_come_compressed_to_clients_that_accept_it(service: Service) -> None:
    for method in ("tools/list", "resources/list", "prompts/list"):
        packed = await service.post(request(method), accept_encoding="gzip")
        plain = await service.post(request(method), accept_encoding="identity")
        assert packed.json() == plain.json()
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["vary"] == "Accept-Encoding"
        assert "content-encoding" not in plain.headers
        assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    requests = [{**request(name), "id": name} for name in ("tools/list", "prompts/list")]
    batch = await service.post(requests)
    assert "content-encoding" not in batch.headers
    assert len(batch.json()) == 2


async def test_a_page_of_an_admitted_origin_may_read_the_response(service: Service) -> None:
    for origin in ("http://localhost:6274", "http://127.0.0.1:8000", "https://[::1]:5"):
        reply = await service.post(request("ping"), origin=origin)
        assert reply.headers["access-control-allow-origin"] == origin
        exposed = reply.headers["access-control-expose-headers"]
        assert {"WWW-Authenticate", "Retry-After", "Mcp-Session-Id"} <= set(exposed.split(", "))


async def test_a_preflight_needs_no_credential_and_admits_what_mcp_uses(service: Service) -> None:
    requested_headers = "authorization, content-type, mcp-method, mcp-param-limit, x-other"
    reply = await service.http.options(
        "/mcp",
        headers={
            "origin": "http://localhost:6274",
            "access-control-request-method": "POST",
            "access-control-request-headers": requested_headers,
        },
    )
    assert (reply.status_code, reply.content) == (204, b"")
    allowed = reply.headers["access-control-allow-headers"]
    assert allowed == "authorization, content-type, mcp-method, mcp-param-limit"


async def test_an_operator_can_admit_further_origins(open_gateway: OpenGateway) -> None:
    async with open_gateway(allowed_origins="https://app.example") as service:
        reply = await service.post(request("ping"), origin="https://app.example")
        assert reply.status_code == 200
