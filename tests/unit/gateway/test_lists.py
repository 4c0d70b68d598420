"""The tools of saved lists, and the filters by them: what they take, need and hand on."""

from typing import Any

import pytest

from gateway.domain.errors import InvalidArguments
from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolCatalogue, ToolContext, all_tools
from tests.fakes.gateway_ports import RESET, SILENT, FakeAlerts, FakeCatalog, FakeImports, principal

TOOLS = ToolCatalogue(all_tools())


async def run(name: str, arguments: dict[str, Any]) -> list[tuple[str, Any]]:
    """Run a tool for the account acc-7, and return what the catalog was sent."""
    catalog = FakeCatalog()
    quota = QuotaState(10, 9, RESET, RESET)
    context = ToolContext(
        principal(account_id="acc-7"), quota, Backends(catalog, FakeImports(), FakeAlerts()), SILENT
    )
    tool = TOOLS.find(name)
    await tool.run(tool.params.parse(arguments), context)
    return catalog.requests


@pytest.mark.parametrize(
    ("name", "arguments", "rpc"),
    [
        ("list.create", {"name": "Mine", "type": "sponsor", "names": ["x"]}, "CreateList"),
        ("list.add", {"list": "Mine", "names": ["x"]}, "AddToList"),
        ("list.remove", {"list": "Mine", "names": ["x"]}, "RemoveFromList"),
        ("list.get", {"list": "Mine", "limit": 5}, "GetList"),
        ("list.delete", {"list": "Mine"}, "DeleteList"),
        ("list.all", {}, "ListSavedLists"),
    ],
)
async def test_the_account_is_the_callers_own(
    name: str, arguments: dict[str, Any], rpc: str
) -> None:
    key = (
        {"idempotency_key": "k"}
        if "idempotency_key" in TOOLS.find(name).params.model_fields
        else {}
    )
    assert await run(name, arguments | key) == [(rpc, arguments | {"account_id": "acc-7"})]


@pytest.mark.parametrize("name", ["list.create", "list.add", "list.remove", "list.delete"])
def test_writing_needs_a_plan_that_imports_and_reading_does_not(name: str) -> None:
    tool = TOOLS.find(name)
    assert (tool.feature, tool.scope, tool.hints.read_only) == (
        "channel_import",
        "channels:import",
        False,
    )
    for reading in ("list.get", "list.all"):
        assert (TOOLS.find(reading).feature, TOOLS.find(reading).cost) == (None, 0)


@pytest.mark.parametrize(("count", "cost"), [(1, 1), (25, 1), (26, 2), (100, 4)])
def test_names_are_counted_by_25(count: int, cost: int) -> None:
    tool = TOOLS.find("list.add")
    assert tool.cost_of is not None
    assert tool.cost_of(tool.params.parse({"list": "Mine", "names": ["x"] * count})) == cost


async def test_an_account_is_named_only_where_a_list_is() -> None:
    ((_, without),) = await run("sponsor.search", {"category": "vpn"})
    assert "account_id" not in without
    ((_, sent),) = await run("sponsor.search", {"in_list": "Mine"})
    assert (sent["in_list"], sent["account_id"]) == ("Mine", "acc-7")


def test_an_account_cannot_be_named_by_a_caller() -> None:
    with pytest.raises(InvalidArguments, match="`account_id` is not an argument"):
        TOOLS.find("sponsor.search").params.parse({"in_list": "Mine", "account_id": "acc-8"})


@pytest.mark.parametrize("field", ["in_list", "not_in_list"])
def test_results_of_filters_by_lists_are_shared_with_nobody(field: str) -> None:
    params = TOOLS.find("sponsor.search").params
    assert params.parse({field: "Mine"}).is_of_account
    assert not params.parse({"category": "vpn"}).is_of_account
