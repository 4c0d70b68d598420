"""Resources: the results of tools under addresses, in both generations of the protocol."""

import json
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import TextResourceContents

from gateway.views import VIEWS
from servicekit.errors import NotFound, Unavailable
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import Service, request
from tests.integration.gateway.test_protocol_versions import post_stateless
from tests.integration.gateway.test_sdk_client import IN_BOTH_MODES, Mode, connected

USAGE = "sponsorgraph://account/usage"
SPONSOR = "sponsorgraph://sponsor/nordvpn"
SESSION_BASED = {"mcp_protocol_version": "2025-11-25"}
MATCHING: list[tuple[str, str, dict[str, str]]] = [
    (SPONSOR, "sponsor.get", {"sponsor": "nordvpn"}),
    ("sponsorgraph://youtuber/%40mkbhd", "youtuber.get", {"youtuber": "@mkbhd"}),
    ("sponsorgraph://youtuber/@mkbhd", "youtuber.get", {"youtuber": "@mkbhd"}),
    ("sponsorgraph://category/some%20id", "category.list", {}),
]


def read(uri: Any) -> dict[str, Any]:
    return request("resources/read", uri=uri)


@IN_BOTH_MODES
async def test_the_sdk_lists_resources_and_templates(url: str, mode: Mode) -> None:
    async with connected(url, mode) as client:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        assert client.server_capabilities.resources
        # Only stateless clients have subscriptions/listen.
        assert bool(client.server_capabilities.resources.subscribe) is (mode == "auto")
    uris = [resource.uri for resource in resources]
    assert uris == [USAGE, "sponsorgraph://alerts", *(view.uri for view in VIEWS)]
    assert [template.uri_template for template in templates] == [
        "sponsorgraph://sponsor/{id}",
        "sponsorgraph://youtuber/{id}",
        "sponsorgraph://category/{id}",
        "sponsorgraph://alerts/{id}",
    ]
    for item in (*resources, *templates):
        assert item.title
        assert item.description
    for item in (resources[0], *templates):
        assert item.mime_type == "application/json"
        assert item.icons


@IN_BOTH_MODES
@pytest.mark.parametrize(("uri", "tool", "arguments"), MATCHING)
async def test_the_sdk_reads_the_result_of_the_matching_tool(
    url: str, mode: Mode, uri: str, tool: str, arguments: dict[str, str]
) -> None:
    async with connected(url, mode) as client:
        (content,) = (await client.read_resource(uri)).contents
        called = await client.call_tool(tool, arguments)
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "application/json")
    assert json.loads(content.text) == called.structured_content


@pytest.mark.parametrize(("uri", "tool", "arguments"), MATCHING)
async def test_reading_counts_as_one_request_of_the_matching_tool(
    service: Service, uri: str, tool: str, arguments: dict[str, str]
) -> None:
    reply = await service.post(read(uri), **SESSION_BASED)
    assert await service.counted() == 1
    assert reply.json()["result"]["_meta"]["sponsorgraph/quota"]["remaining"] == 999
    assert "r=999" in reply.headers["ratelimit"]


async def test_reading_the_usage_is_free_and_returns_it(service: Service) -> None:
    await service.post(read(SPONSOR))
    text = (await service.post(read(USAGE))).json()["result"]["contents"][0]["text"]
    assert json.loads(text)["requests_used"] == 1
    assert await service.counted() == 1


async def test_a_category_comes_with_those_within_it(service: Service) -> None:
    reply = await service.post(read("sponsorgraph://category/some%20id"))
    found = json.loads(reply.json()["result"]["contents"][0]["text"])["categories"]
    assert {item["id"] for item in found} == {"some id"}


@pytest.mark.parametrize(
    "uri",
    [
        "sponsorgraph://sponsor/",
        "sponsorgraph://sponsor/a/b",
        "sponsorgraph://sponsor/a?b=1",
        "sponsorgraph://sponsor/a#b",
        "sponsorgraph://nothing/here",
        "sponsorgraph://account/usage/more",
        "SPONSORGRAPH://sponsor/nordvpn",
        "file:///etc/passwd",
        "sponsorgraph://sponsor/" + "x" * 5000,
        "",
    ],
)
async def test_an_unknown_address_gets_the_code_of_its_revision_and_costs_nothing(
    service: Service, uri: str
) -> None:
    new = await post_stateless(service, "resources/read", uri=uri)
    assert (new.status_code, new.json()["error"]["code"]) == (400, -32602)
    old = await service.post(read(uri), **SESSION_BASED)
    assert (old.status_code, old.json()["error"]["code"]) == (200, -32002)
    script = await service.post(read(uri))
    assert (script.status_code, script.json()["error"]["code"]) == (400, -32602)
    for reply in (new, old, script):
        assert reply.json()["error"]["data"]["uri"] == uri[:1000]
        assert len(reply.json()["error"]["message"]) < 500
    assert await service.counted() == 0


async def test_an_entity_that_the_catalog_does_not_know_is_an_unknown_resource(
    service: Service,
) -> None:
    service.backends.catalog_error = NotFound("No sponsor is called nordvpn.")
    new = await post_stateless(service, "resources/read", uri=SPONSOR)
    assert (new.status_code, new.json()["error"]["code"]) == (400, -32602)
    old = await service.post(read(SPONSOR), **SESSION_BASED)
    assert (old.status_code, old.json()["error"]["code"]) == (200, -32002)
    assert old.json()["error"]["message"] == "No sponsor is called nordvpn."
    assert await service.counted() == 0


@pytest.mark.parametrize("uri", [None, 5, ["a"], {"a": 1}])
async def test_an_address_that_is_no_string_is_refused(service: Service, uri: Any) -> None:
    reply = await service.post(read(uri))
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


async def test_a_used_up_month_is_reported_in_words_without_a_broken_connection(
    service: Service,
) -> None:
    service.backends.access.used = 1000
    for reply in (
        await service.post(read(SPONSOR), **SESSION_BASED),
        await post_stateless(service, "resources/read", uri=SPONSOR),
    ):
        assert reply.status_code == 200
        assert reply.json()["error"]["data"]["code"] == "quota_exceeded"
        assert "/plans" in reply.json()["error"]["message"]
    script = await service.post(read(SPONSOR))
    assert script.status_code == 429
    assert script.headers["retry-after"]
    assert (await service.post(read(USAGE))).status_code == 200


async def test_an_outage_is_reported_and_costs_nothing(service: Service) -> None:
    service.backends.catalog_error = Unavailable("The catalog is away.", retry_after=2)
    client = await service.post(read(SPONSOR), **SESSION_BASED)
    assert (client.status_code, client.json()["error"]["data"]["code"]) == (200, "unavailable")
    assert (await service.post(read(SPONSOR))).status_code == 503
    assert await service.counted() == 0


async def test_a_credential_without_the_scope_is_challenged(service: Service) -> None:
    service.backends.access.give(KEY, principal(scopes=("channels:import",)))
    reply = await service.post(read(SPONSOR), **SESSION_BASED)
    assert reply.status_code == 403
    assert "insufficient_scope" in reply.headers["www-authenticate"]


async def test_a_stateless_client_may_cache_resources_but_not_its_usage(service: Service) -> None:
    brand = (await post_stateless(service, "resources/read", uri=SPONSOR)).json()["result"]
    assert (brand["cacheScope"], brand["ttlMs"]) == ("private", 300_000)
    usage = (await post_stateless(service, "resources/read", uri=USAGE)).json()["result"]
    assert (usage["cacheScope"], usage["ttlMs"]) == ("private", 0)
    for method in ("resources/list", "resources/templates/list"):
        listed = (await post_stateless(service, method)).json()["result"]
        assert (listed["cacheScope"], listed["resultType"]) == ("public", "complete")


@pytest.mark.parametrize("method", ["resources/list", "resources/templates/list"])
async def test_a_cursor_of_a_list_of_one_page_was_never_given(
    service: Service, method: str
) -> None:
    reply = await service.post(request(method, cursor="abc"))
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)


async def test_old_revisions_get_no_icons(service: Service) -> None:
    reply = await service.post(request("resources/list"), mcp_protocol_version="2025-06-18")
    assert "icons" not in reply.json()["result"]["resources"][0]


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
async def test_subscriptions_that_no_session_could_keep_are_not_pretended(
    service: Service, method: str
) -> None:
    reply = await service.post(request(method, uri=SPONSOR), **SESSION_BASED)
    assert (reply.status_code, reply.json()["error"]["code"]) == (200, -32601)
    assert "read the resource again" in reply.json()["error"]["message"]


@pytest.mark.parametrize(("mode", "code"), [("auto", -32602), ("legacy", -32002)])
async def test_the_sdk_raises_the_code_of_its_revision(
    url: str, mode: Mode, code: int, backends: Backends
) -> None:
    async with connected(url, mode) as client:
        with pytest.raises(MCPError) as raised:
            await client.read_resource("sponsorgraph://nothing/here")
    assert raised.value.error.code == code
    assert backends.requests == []
