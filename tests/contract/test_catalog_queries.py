"""Tools, answers and the catalog's messages fit each other field by field."""

import dataclasses
from datetime import date
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

from gateway.domain.ports import AccountMethod, AlertMethod, CatalogQuery, ImportMethod
from gateway.exports.links import EndedLinks, ExportLinks
from gateway.exports.planning import ExportPlanner
from gateway.quota.models import QuotaState
from gateway.tools import Backends, Tool, ToolCatalogue, ToolContext, all_tools
from protos.alerts.v1 import alerts_pb2
from protos.catalog.v1 import catalog_pb2
from protos.imports.v1 import imports_pb2
from tests.fakes.gateway_ports import RESET, SILENT, FakeAlerts, FakeCatalog, FakeImports, principal

CATALOG = catalog_pb2.DESCRIPTOR.services_by_name["Catalog"].methods_by_name
IMPORTS = {
    name: method
    for service in ("Imports", "BulkImports", "Follows")
    for name, method in imports_pb2.DESCRIPTOR.services_by_name[service].methods_by_name.items()
}
ALERTS = alerts_pb2.DESCRIPTOR.services_by_name["Alerts"].methods_by_name
RPCS = {**CATALOG, **IMPORTS, **ALERTS}
FOR_ACCOUNTS = {*get_args(AccountMethod)}
LINKS = ExportLinks("a secret", "https://mcp.example", EndedLinks())
FOR_OTHERS = {"WatchImport", "WatchBulkImport", "RetryImport", "ListBulkImports"}
FOR_RESOURCES = {"ListAlerts", "ListAlertIds"}
FOR_THE_SITE = {"RenameList", "EraseLists"}
EVERY = all_tools()
EXPORTS = ExportPlanner(ToolCatalogue(EVERY), LINKS)
EVERY_TOOL = pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
EVERY_QUERYING_TOOL = pytest.mark.parametrize(
    # An export makes the query of the tool that it names.
    "tool",
    [tool for tool in EVERY if tool.name != "catalog.export"],
    ids=lambda tool: tool.name,
)


def _every_argument(tool: Tool) -> dict[str, Any]:
    """Valid arguments with a value for each."""
    return {name: _value(field) for name, field in tool.input_schema["properties"].items()}


def _value(field: dict[str, Any]) -> Any:
    if "enum" in field:
        return field["enum"][0]
    if "examples" in field:
        return field["examples"][0]
    return {"integer": 10, "number": 0.5, "boolean": True, "string": "text"}[field["type"]]


class RecordingCatalog:
    """The services that tools call, with the recorded calls."""

    def __init__(self) -> None:
        self.catalog, self.imports, self.alerts = FakeCatalog(), FakeImports(), FakeAlerts()

    @property
    def queries(self) -> list[tuple[str, Any]]:
        return [*self.catalog.requests, *self.imports.requests, *self.alerts.requests]


async def _call_tool(tool: Tool, catalog: RecordingCatalog) -> Any:
    arguments = _every_argument(tool)
    jsonschema.validate(arguments, tool.input_schema)
    context = ToolContext(
        principal(),
        QuotaState(1000, 999, RESET, RESET),
        Backends(catalog.catalog, catalog.imports, catalog.alerts, file_exports=EXPORTS),
        SILENT,
    )
    return msgspec.json.decode(
        msgspec.json.encode(await tool.run(tool.params.parse(arguments), context))
    )


def test_every_query_is_an_rpc_of_the_catalog() -> None:
    assert set(get_args(CatalogQuery)) == set(CATALOG) - {"Ingest"} - FOR_ACCOUNTS - FOR_THE_SITE
    assert set(get_args(ImportMethod)) == set(IMPORTS) - FOR_OTHERS
    assert set(get_args(AlertMethod)) == set(ALERTS)


@EVERY_QUERYING_TOOL
async def test_every_argument_is_a_field_of_the_request(tool: Tool) -> None:
    catalog = RecordingCatalog()
    await _call_tool(tool, catalog)
    for query, arguments in catalog.queries:
        fields = RPCS[query].input_type.fields_by_name
        assert set(arguments) == set(fields), query
        assert all(
            isinstance(argument, str | int | float | bool | date | list)
            for argument in arguments.values()
        )


@EVERY_QUERYING_TOOL
async def test_a_result_has_every_field_of_the_reply(tool: Tool) -> None:
    catalog = RecordingCatalog()
    result = await _call_tool(tool, catalog)
    for query, _ in catalog.queries:
        assert set(result) == set(RPCS[query].output_type.fields_by_name), query
        assert {field.name for field in dataclasses.fields(tool.result_type)} == set(result)


@EVERY_TOOL
async def test_a_result_and_an_error_are_both_valid_by_the_output_schema(tool: Tool) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    jsonschema.validate(await _call_tool(tool, RecordingCatalog()), tool.output_schema)
    error = {"error": {"code": "quota_exceeded", "message": "…", "retry_after_seconds": 5}}
    jsonschema.validate(error, tool.output_schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, tool.output_schema)


async def test_every_query_is_made_by_a_tool() -> None:
    catalog = RecordingCatalog()
    for tool in EVERY:
        await _call_tool(tool, catalog)
    known = {
        *get_args(CatalogQuery),
        *get_args(ImportMethod),
        *set(get_args(AlertMethod)) - FOR_RESOURCES,
        *FOR_ACCOUNTS,
    }
    assert {query for query, _ in catalog.queries} == known
