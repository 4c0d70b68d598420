"""The format of answers' texts, and the parts of answers, as connections choose them."""

import json
from typing import Any

import pytest

from gateway.tools import all_tools
from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.conftest import CATALOG_VERSION, OpenGateway, Service, request
from tests.integration.gateway.test_protocol_versions import META

CALL: Any = request("tools/call", name="sponsor.search", arguments={"search": "nordvpn"})
OLD = {"mcp_protocol_version": "2025-03-26"}


async def text(service: Service, message: Any = CALL, **headers: str) -> str:
    result = (await service.post(message, **headers)).json()["result"]
    assert isinstance(result["structuredContent"], dict)
    return result["content"][0]["text"]


async def test_the_text_is_markdown_where_structured_content_is_not_read(service: Service) -> None:
    assert (await text(service, **OLD)).startswith("\nsponsors (")
    for headers in (
        {},
        {"accept": "application/json, text/event-stream"},
        {"mcp_protocol_version": "2025-06-18"},
        {"mcp_protocol_version": "2025-11-25"},
    ):
        assert json.loads(await text(service, **headers))["sponsors"]


async def test_a_session_of_an_old_revision_gets_markdown_without_the_version_header(
    service: Service,
) -> None:
    begin = request("initialize", protocolVersion="2024-11-05", capabilities={})
    session = (await service.post(begin)).headers["mcp-session-id"]
    assert (await text(service, mcp_session_id=session)).startswith("\nsponsors (")


async def test_a_connection_chooses_the_format_by_its_address_or_a_header(service: Service) -> None:
    whole = json.loads(await text(service))
    assert json.loads(await text(service, sponsorgraph_text="JSON", **OLD)) == whole
    assert (await text(service, sponsorgraph_text="markdown")).startswith("\nsponsors (")
    by_query = await service.http.post(
        "/mcp?text=toon",
        json=CALL,
        headers={"authorization": f"Bearer {KEY}", "sponsorgraph-text": "markdown"},
    )
    result = by_query.json()["result"]
    assert result["content"][0]["text"].startswith("sponsors[")
    assert result["structuredContent"] == whole


async def test_an_operator_chooses_the_format_for_all_and_a_connection_for_itself(
    open_gateway: OpenGateway,
) -> None:
    async with open_gateway(text_format="toon") as service:
        assert (await text(service, **OLD)).startswith("sponsors[")
        assert json.loads(await text(service, sponsorgraph_text="auto"))["sponsors"]


async def test_an_unknown_format_is_refused_with_those_that_there_are(service: Service) -> None:
    reply = await service.post(CALL, sponsorgraph_text="xml")
    assert reply.status_code == 400
    assert reply.json()["error"]["message"] == (
        "Unknown format of texts: xml. There are json, markdown, toon and auto."
    )


async def test_failures_are_in_words_whatever_the_format(service: Service) -> None:
    wrong = request("tools/call", name="sponsor.search", arguments={"limit": 99})
    reply = await service.post(wrong, sponsorgraph_text="toon", **OLD)
    assert reply.json()["result"]["content"][0]["text"].startswith("`limit` was 99; it must be")


async def chosen(service: Service, **arguments: Any) -> Any:
    reply = await service.call("sponsor.search", {"search": "nordvpn", **arguments})
    return reply.json()["result"]["structuredContent"]


async def test_parts_of_an_result_come_from_the_cached_whole(service: Service) -> None:
    await service.valkey.set(CATALOG_VERSION, 1)
    whole = await chosen(service)
    before = len(service.backends.requests)
    brief = await chosen(service, detail="brief")
    names = await chosen(service, fields=["sponsors.name"])
    assert await chosen(service, detail="standard") == whole
    assert len(service.backends.requests) == before
    assert [set(row) for row in names["sponsors"]] == [{"name"}] * len(whole["sponsors"])
    assert "coverage" in names["fields_left_out"]
    assert set(brief) == {*whole, "fields_left_out"}
    assert "fields_left_out" not in whole
    assert await service.counted() == 4


async def test_a_part_is_the_text_too(service: Service) -> None:
    arguments = {"search": "nordvpn", "fields": ["sponsors.name"]}
    call = request("tools/call", name="sponsor.search", arguments=arguments)
    assert json.loads(await text(service, call)) == await chosen(service, fields=["sponsors.name"])
    assert "\n|name|\n|-|\n" in await text(service, call, **OLD)


@pytest.mark.parametrize("arguments", [{"fields": ["sponsors.nam"]}, {"detail": "short"}])
async def test_a_part_that_there_is_not_costs_nothing(service: Service, arguments: Any) -> None:
    reply = await service.call("sponsor.search", {"search": "nordvpn", **arguments})
    assert reply.status_code == 400
    message = reply.json()["error"]["message"]
    assert "`sponsors.name`" in message or 'one of "brief", "standard", "full"' in message
    assert not service.backends.requests
    assert await service.counted() == 0


async def test_parts_are_listed_where_toolsets_are_chosen(service: Service) -> None:
    async def listed(**headers: str) -> dict[str, set[str]]:
        tools = (await service.post(request("tools/list", _meta=META), **headers)).json()["result"]
        return {tool["name"]: {*tool["inputSchema"]["properties"]} for tool in tools["tools"]}

    modern = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}
    plain = await listed(**modern)
    every = await listed(sponsorgraph_toolsets="all", **modern)
    assert not [name for name, arguments in plain.items() if arguments & {"detail", "fields"}]
    for tool in all_tools():
        assert ({"detail", "fields"} <= every[tool.alias]) is bool(tool.brief)
