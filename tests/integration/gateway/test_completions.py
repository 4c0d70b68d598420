"""Completions: brands, creators and categories for arguments that are being typed."""

from typing import Any

import pytest
from mcp_types import PromptReference, ResourceTemplateReference

from gateway.completions import CompletionContext, brands, categories
from servicekit.errors import Unavailable
from shapes.catalog.categories import Categories, Category
from tests.fakes.backends import Backends
from tests.fakes.coverage import COVERAGE
from tests.fakes.gateway_ports import KEY, FakeCatalog, principal
from tests.integration.gateway.conftest import Service, request
from tests.integration.gateway.test_protocol_versions import post_stateless
from tests.integration.gateway.test_sdk_client import IN_BOTH_MODES, Mode, connected

PROMPT = {"type": "ref/prompt", "name": "brand_brief"}
TEMPLATE = {"type": "ref/resource", "uri": "sponsorgraph://sponsor/{id}"}
COMPLETED: list[tuple[dict[str, str], str, str, str]] = [
    (PROMPT, "brand", "SearchSponsors", "some slug"),
    ({"type": "ref/prompt", "name": "outreach_email"}, "channel", "SearchYoutubers", "some handle"),
    ({"type": "ref/prompt", "name": "new_in_category"}, "category", "ListCategories", "some id"),
    (TEMPLATE, "id", "SearchSponsors", "some slug"),
    (
        {"type": "ref/resource", "uri": "sponsorgraph://youtuber/{id}"},
        "id",
        "SearchYoutubers",
        "some handle",
    ),
    (
        {"type": "ref/resource", "uri": "sponsorgraph://category/{id}"},
        "id",
        "ListCategories",
        "some id",
    ),
]


def complete(ref: Any, name: Any, value: Any) -> dict[str, Any]:
    return request("completion/complete", ref=ref, argument={"name": name, "value": value})


class Known(FakeCatalog):
    """A catalog with a few categories."""

    async def query(self, name: Any, arguments: Any, result_type: Any) -> Any:
        self.requests.append((name, arguments))
        assert result_type is Categories
        names = {"vpn": "VPN and security", "games": "Games", "video_games": "Video games"}
        found = [Category(key, name, "sponsor", None, 1, 1, 1, 1, 0) for key, name in names.items()]
        return Categories(tuple(found), (), COVERAGE)


@pytest.mark.parametrize(("ref", "name", "rpc", "value"), COMPLETED)
async def test_values_come_from_the_catalog_and_cost_nothing(
    service: Service, ref: Any, name: str, rpc: str, value: str
) -> None:
    reply = await service.post(complete(ref, name, "some"))
    completion = reply.json()["result"]["completion"]
    assert completion["values"] == [value]
    assert completion["hasMore"] is (rpc != "ListCategories")
    assert [sent for sent, _ in service.backends.requests] == [rpc]
    assert await service.counted() == 0


@IN_BOTH_MODES
async def test_the_sdk_completes_arguments_and_templates(url: str, mode: Mode) -> None:
    prompt = PromptReference(type="ref/prompt", name="brand_brief")
    template = ResourceTemplateReference(type="ref/resource", uri="sponsorgraph://youtuber/{id}")
    async with connected(url, mode) as client:
        assert client.server_capabilities.completions
        brand = await client.complete(prompt, {"name": "brand", "value": "nor"})
        creator = await client.complete(template, {"name": "id", "value": "mk"})
    assert brand.completion.values == ["some slug"]
    assert creator.completion.values == ["some handle"]


async def test_an_address_under_way_is_completed_as_its_template_is(service: Service) -> None:
    ref = {"type": "ref/resource", "uri": "sponsorgraph://sponsor/nord"}
    reply = await service.post(complete(ref, "id", "nord"))
    assert reply.json()["result"]["completion"]["values"] == ["some slug"]


async def test_arguments_without_proposals_get_none(service: Service) -> None:
    ref = {"type": "ref/prompt", "name": "compare_brands"}
    reply = await service.post(complete(ref, "since", "20"))
    assert reply.json()["result"]["completion"] == {"values": [], "hasMore": False}
    assert service.backends.requests == []


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": PROMPT},
        {"argument": {"name": "brand", "value": "x"}},
        {"ref": PROMPT, "argument": {"name": "brand"}},
        {"ref": PROMPT, "argument": {"name": "brand", "value": 5}},
        {"ref": PROMPT, "argument": {"name": "nothing", "value": "x"}},
        {"ref": PROMPT, "argument": "brand"},
        {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "brand", "value": "x"}},
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "brand", "value": "x"}},
        {"ref": {"type": "ref/tool", "name": "x"}, "argument": {"name": "brand", "value": "x"}},
        {"ref": {"type": "ref/resource", "uri": "a:b"}, "argument": {"name": "id", "value": "x"}},
        {"ref": TEMPLATE, "argument": {"name": "brand", "value": "x"}},
    ],
)
async def test_an_argument_that_cannot_be_completed_is_named(
    service: Service, params: dict[str, Any]
) -> None:
    script = await service.post(request("completion/complete", **params))
    assert (script.status_code, script.json()["error"]["code"]) == (400, -32602)
    new = await post_stateless(service, "completion/complete", **params)
    assert (new.status_code, new.json()["error"]["code"]) == (400, -32602)
    old = await service.post(
        request("completion/complete", **params), mcp_protocol_version="2025-11-25"
    )
    assert (old.status_code, old.json()["error"]["code"]) == (200, -32602)


async def test_completions_share_the_burst_bucket(service: Service) -> None:
    slow = principal(burst_requests=2, burst_refill_per_second=0.001)
    service.backends.access.give(KEY, slow)
    message = complete(PROMPT, "brand", "n")
    for _ in range(2):
        assert (await service.post(message)).status_code == 200
    client = await service.post(message, mcp_protocol_version="2025-11-25")
    assert (client.status_code, client.json()["error"]["data"]["code"]) == (200, "rate_limited")
    script = await service.post(message)
    assert script.status_code == 429
    assert script.headers["retry-after"]


async def test_a_used_up_month_still_completes(service: Service) -> None:
    service.backends.access.used = 1000
    assert (await service.post(complete(PROMPT, "brand", "n"))).status_code == 200


async def test_an_outage_of_the_catalog_is_reported(service: Service, backends: Backends) -> None:
    backends.catalog_error = Unavailable("The catalog is away.", retry_after=2)
    message = complete(PROMPT, "brand", "n")
    client = await service.post(message, mcp_protocol_version="2025-11-25")
    assert (client.status_code, client.json()["error"]["data"]["code"]) == (200, "unavailable")
    assert (await service.post(message)).status_code == 503


async def test_a_credential_without_the_scope_completes_nothing(service: Service) -> None:
    service.backends.access.give(KEY, principal(scopes=("channels:import",)))
    reply = await service.post(complete(PROMPT, "brand", "n"))
    assert reply.status_code == 403
    assert service.backends.requests == []


async def test_nothing_typed_proposes_the_most_active_brands() -> None:
    catalog = FakeCatalog()
    await brands("  ", CompletionContext(catalog))
    await brands("nord" * 100, CompletionContext(catalog))
    (_, empty), (_, long) = catalog.requests
    assert empty == {"limit": 50, "sort": "videos"}
    assert (len(str(long["search"])), long["sort"]) == (200, "relevance")


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ("vpn", "games", "video_games")),
        ("GAM", ("games", "video_games")),
        ("vid", ("video_games",)),
        ("sec", ("vpn",)),
        ("zzz", ()),
    ],
)
async def test_categories_that_begin_so_come_before_those_that_contain_it(
    typed: str, values: tuple[str, ...]
) -> None:
    assert (await categories(typed, CompletionContext(Known()))).values == values
