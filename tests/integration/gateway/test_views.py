"""MCP Apps through the endpoint: whose tools point at views, and how views are had."""

from typing import Any

import pytest

from gateway.mcp.versions import STATELESS
from gateway.views import EXTENSION, MIME_TYPE, VIEWS
from tests.integration.gateway.conftest import Service, request

APPS: dict[str, Any] = {"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}}


async def _post_stateless(service: Service, method: str, capabilities: Any, **params: Any) -> Any:
    meta = {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    headers = {"mcp_protocol_version": STATELESS, "mcp_method": method}
    if "uri" in params:
        headers["mcp_name"] = params["uri"]
    return (await service.post(request(method, **params, _meta=meta), **headers)).json()


async def _session(service: Service, capabilities: Any) -> str:
    reply = await service.post(
        request(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities=capabilities,
            clientInfo={"name": "x", "version": "1"},
        )
    )
    offered = reply.json()["result"]["capabilities"]
    assert EXTENSION in offered["extensions"]
    assert "resources" in offered
    return reply.headers["mcp-session-id"]


def _pointers(listed: Any) -> dict[str, str]:
    return {
        tool["name"]: tool["_meta"]["ui"]["resourceUri"]
        for tool in listed["result"]["tools"]
        if "_meta" in tool
    }


@pytest.mark.parametrize(("capabilities", "points"), [(APPS, True), ({}, False)])
async def test_tools_point_at_views_for_clients_that_declare_the_extension(
    service: Service, capabilities: Any, *, points: bool
) -> None:
    stateless = await _post_stateless(service, "tools/list", capabilities)
    session = await _session(service, capabilities)
    session_based = (await service.post(request("tools/list"), mcp_session_id=session)).json()
    assert bool(_pointers(stateless)) is bool(_pointers(session_based)) is points


async def test_a_client_of_which_nothing_is_known_gets_the_pointers(service: Service) -> None:
    found = _pointers((await service.post(request("tools/list"))).json())
    assert found["sponsor.stats"] == "ui://sponsorgraph/sponsor-stats"
    assert set(found.values()) <= {view.uri for view in VIEWS}


async def test_every_view_that_is_listed_can_be_read(service: Service) -> None:
    listed = (await service.post(request("resources/list"))).json()["result"]
    assert {view.uri for view in VIEWS} <= {resource["uri"] for resource in listed["resources"]}
    assert "ttlMs" not in listed
    shown = [resource for resource in listed["resources"] if resource["uri"].startswith("ui:")]
    for entry in shown:
        read = (await service.post(request("resources/read", uri=entry["uri"]))).json()
        (content,) = read["result"]["contents"]
        assert content["uri"] == entry["uri"]
        assert content["mimeType"] == entry["mimeType"]
        assert len(content["text"].encode()) == entry["size"]


async def test_stateless_clients_learn_how_long_views_are_fresh(service: Service) -> None:
    for method, params in (("resources/list", {}), ("resources/read", {"uri": VIEWS[0].uri})):
        result = (await _post_stateless(service, method, APPS, **params))["result"]
        assert result["resultType"] == "complete"
        assert result["ttlMs"] > 0
        assert result["cacheScope"] == "public"


async def test_views_cost_no_request(service: Service) -> None:
    await service.post(request("resources/read", uri=VIEWS[0].uri))
    assert await service.counted() == 0
