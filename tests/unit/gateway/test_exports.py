"""`catalog.export`: which lists it takes, what they may cost, and who may have them."""

from dataclasses import replace
from typing import Any

import pytest

from gateway.domain.errors import InsufficientScope, InvalidArguments, PlanRequired
from gateway.exports.columns import columns_of
from gateway.exports.links import EndedLinks, ExportLinks
from gateway.exports.planning import ExportPlanner, columns_of_tool
from gateway.quota.errors import QuotaExceeded
from gateway.quota.models import QuotaState
from gateway.tools import Backends, ToolCatalogue, ToolContext, all_tools
from servicekit.errors import NotFound
from tests.fakes.gateway_ports import RESET, SILENT, FakeAlerts, FakeCatalog, FakeImports, principal

TOOLS = ToolCatalogue(all_tools())
PLANNER = ExportPlanner(TOOLS, ExportLinks("a secret", "https://mcp.example", EndedLinks()))


async def export(
    remaining: int = 1_000, catalog: FakeCatalog | None = None, **arguments: Any
) -> Any:
    """Run the tool for a caller with so many requests left."""
    backends = Backends(catalog or FakeCatalog(), FakeImports(), FakeAlerts(), file_exports=PLANNER)
    context = ToolContext(principal(), QuotaState(1_000, remaining, RESET, RESET), backends, SILENT)
    tool = TOOLS.find("catalog.export")
    return await tool.run(tool.params.parse(arguments), context)


@pytest.mark.parametrize(
    ("tool", "arguments", "rows", "planned"),
    [
        ("sponsor.top", {}, 10_000, (10_000, 200)),
        ("sponsor.top", {}, 51, (51, 2)),
        ("sponsor.top", {}, 1, (1, 1)),
        ("sponsor.similar", {"sponsor": "x"}, 50, (50, 1)),
        ("list.get", {"list": "Mine"}, 1_000, (1_000, 0)),
        ("catalog.query", {"sql": "SELECT 1"}, 500, (500, 5)),
    ],
)
async def test_a_dry_run_returns_rows_and_requests(
    tool: str, arguments: dict[str, Any], rows: int, planned: tuple[int, int]
) -> None:
    found = await export(tool=tool, arguments=arguments, rows=rows, dry_run=True)
    assert (found.max_rows, found.max_requests) == planned
    assert (found.url, found.resource_link) == (None, None)


@pytest.mark.parametrize(
    ("tool", "arguments", "max_rows"),
    [
        ("catalog.query", {"sql": "SELECT 1"}, 500),
        ("sponsor.similar", {"sponsor": "x"}, 50),
    ],
)
async def test_more_rows_than_a_list_can_have_are_refused_and_the_default_is_what_it_can(
    tool: str, arguments: dict[str, Any], max_rows: int
) -> None:
    with pytest.raises(
        InvalidArguments, match=f"`rows` is 1,001, .* at most {max_rows} rows"
    ) as refused:
        await export(tool=tool, arguments=arguments, rows=1_001)
    assert refused.value.details == {"field": "rows"}
    assert (await export(tool=tool, arguments=arguments)).max_rows == max_rows
    assert (await export(tool=tool, arguments=arguments, rows=1_000)).max_rows == max_rows


async def test_a_statement_is_exported_with_what_it_may_not_have_meant_and_not_as_a_dry_run() -> (
    None
):
    catalog = FakeCatalog()
    found = await export(tool="catalog.query", arguments={"sql": "SELECT 1"}, catalog=catalog)
    ((_, request),) = catalog.requests
    assert request["dry_run"] is True
    assert "Not run" not in found.note


async def test_a_quota_that_is_too_small_makes_no_link() -> None:
    with pytest.raises(QuotaExceeded, match="may need 20 requests, and 19 are left"):
        await export(19, tool="sponsor.top", rows=1_000)
    assert (await export(20, tool="sponsor.top", rows=1_000)).url
    assert (await export(0, tool="sponsor.top", rows=1_000, dry_run=True)).max_requests == 20


async def test_an_export_beyond_the_month_is_refused_as_other_calls_are() -> None:
    with pytest.raises(QuotaExceeded, match="and 1 is left this month"):
        await export(1, tool="sponsor.top", rows=1_000)
    with pytest.raises(QuotaExceeded, match="All 1,000 requests of this account's plan"):
        await export(0, tool="sponsor.top", rows=1_000)
    assert (await export(0, tool="list.get", arguments={"list": "Mine"})).url


@pytest.mark.parametrize(
    ("tool", "arguments", "rows", "note"),
    [
        ("catalog.query", {"sql": "SELECT 1"}, 500, "The file ends after 500 rows or 256 kB"),
        ("catalog.query", {"sql": "SELECT 1"}, 20, "The file ends after 20 rows or 256 kB"),
        ("sponsor.top", {}, 1_000, "has the first 1,000 entries of the list at most: `rows` takes up to 10,000."),
        ("sponsor.top", {}, 10_000, "The file has the first 10,000 entries of the list at most."),
        ("sponsor.trends", {}, 50, "The list has one page: the file has its first 50 entries at most."),
    ],
)  # fmt: skip
async def test_a_file_that_may_lack_entries_says_so(
    tool: str, arguments: dict[str, Any], rows: int, note: str
) -> None:
    found = await export(tool=tool, arguments=arguments, rows=rows, dry_run=True)
    assert note in found.note


@pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if tool.rows is not None], ids=lambda tool: tool.name
)
def test_every_list_has_columns_once(tool: Any) -> None:
    columns = columns_of_tool(tool)
    if tool.name == "catalog.query":
        assert columns is None
        return
    assert columns
    assert len({column.name for column in columns}) == len(columns)


def test_every_page_of_entries_can_be_exported() -> None:
    lists = {tool.name for tool in TOOLS if "next_cursor" in tool.output_schema["properties"]}
    exported = {tool.name for tool in TOOLS if tool.rows is not None}
    bulk_imports = {
        f"channel.{name}" for name in ("bulkImport", "bulkImportStatus", "cancelBulkImport")
    }
    own = {"channel.imports", "channel.following", "sponsorship.reports", *bulk_imports}
    assert lists - exported == own


@pytest.mark.parametrize("argument", ["cursor", "limit"])
async def test_pages_are_the_exports_own(argument: str) -> None:
    with pytest.raises(InvalidArguments, match=f"`arguments` has `{argument}`"):
        await export(tool="sponsor.top", arguments={argument: 3})


@pytest.mark.parametrize("argument", ["detail", "fields"])
async def test_files_have_all_columns(argument: str) -> None:
    with pytest.raises(InvalidArguments, match=f"`{argument}`: a file has all columns"):
        await export(tool="sponsor.top", arguments={argument: "brief"})


async def test_an_unknown_argument_is_refused_with_those_that_an_export_takes() -> None:
    with pytest.raises(InvalidArguments) as refused:
        await export(tool="sponsor.top", arguments={"categories": "vpn"})

    message = str(refused.value)
    assert "`categories` is not an argument. Did you mean `category`?" in message
    assert not [name for name in ("limit", "cursor", "fields", "detail") if f"`{name}`" in message]


@pytest.mark.parametrize("text", ["[1]", "{", '{"a":' + "[" * 7_000])
async def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="must be a JSON object"):
        await export(tool="sponsor.top", arguments=text)


async def test_arguments_that_no_link_holds_are_refused() -> None:
    with pytest.raises(InvalidArguments, match="longer than a link can hold"):
        await export(tool="catalog.query", arguments={"sql": "SELECT " + "1," * 2_000 + "1"})


async def test_arguments_are_measured_as_the_link_has_them() -> None:
    with pytest.raises(InvalidArguments, match="3,000 bytes"):
        await export(tool="catalog.query", arguments={"sql": "SELECT '" + "ß" * 1_500 + "'"})


@pytest.mark.parametrize(
    ("tool", "arguments", "rpc", "sent"),
    [
        ("catalog.query", {"sql": "SELECT nope FROM videos"}, "RunSql", {"dry_run": True}),
        ("sponsor.youtubers", {"sponsor": "nobody"}, "ListSponsorYoutubers", {"limit": 1}),
        ("list.get", {"list": "nothing"}, "GetList", {"limit": 1}),
    ],
)
async def test_a_list_that_can_only_fail_has_no_link(
    tool: str, arguments: dict[str, Any], rpc: str, sent: dict[str, Any]
) -> None:
    catalog = FakeCatalog(error=NotFound("There is none."))
    with pytest.raises(NotFound, match="There is none"):
        await export(tool=tool, arguments=arguments, catalog=catalog)
    ((name, request),) = catalog.requests
    assert (name, {key: request[key] for key in sent}) == (rpc, sent)
    catalog.error = None
    assert (await export(tool=tool, arguments=arguments, catalog=catalog)).url


def test_what_the_caller_may_not_call_it_may_not_export() -> None:
    gated = [
        replace(TOOLS.find("sponsor.top"), feature="channel_import"),
        replace(TOOLS.find("sponsor.top"), scope="channels:import"),
    ]
    caller = principal()
    poor = replace(
        caller, scopes=("catalog:read",), entitlements=replace(caller.entitlements, features=())
    )
    for tool, error in zip(gated, (PlanRequired, InsufficientScope), strict=True):
        planner = ExportPlanner(ToolCatalogue((tool,)), PLANNER.links)
        with pytest.raises(error):
            planner.plan(poor, "sponsor.top", {}, "csv", 10)


def test_columns_of_a_class_without_fields_are_none() -> None:
    assert columns_of(type("Empty", (), {"__dataclass_fields__": {}})) == ()
