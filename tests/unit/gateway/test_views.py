"""Views: small, closed in themselves, and reading only fields of their tools' results."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from gateway.mcp import views
from gateway.mcp.methods.tools_list import published
from gateway.tools import ToolCatalogue, all_tools
from gateway.views import EXTENSION, MIME_TYPE, VIEWS, View, tool_meta, view_of
from tests.fakes import view_results

CATALOGUE = ToolCatalogue(all_tools())
EVERY_VIEW = pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
RESULTS = {
    "sponsor.stats": view_results.sponsor_stats(),
    "sponsor.top": view_results.sponsor_top(),
    "sponsor.compare": view_results.sponsor_compare(),
    "sponsor.trends": view_results.sponsor_trends(),
    "youtuber.stats": view_results.youtuber_stats(),
    "channel.importStatus": view_results.import_status(),
}
APPS: dict[str, Any] = {"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}}


def _reads(view: View) -> dict[str, list[str]]:
    found = re.search(r"^const READS = (\{.*?^\});", view.html(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def _resolved(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield root["$defs"][schema["$ref"].rpartition("/")[2]]
    for option in schema.get("anyOf", []):
        yield from _resolved(option, root)
    yield schema


def _has(schema: dict[str, Any], path: str) -> bool:
    schemas = [schema]
    for step in path.split("."):
        name = step.removesuffix("[]")
        schemas = [
            subschema["properties"][name]
            for parent in schemas
            for subschema in _resolved(parent, schema)
            if name in subschema.get("properties", {})
        ]
        if step.endswith("[]"):
            schemas = [
                subschema["items"] for subschema in schemas if subschema.get("type") == "array"
            ]
    return bool(schemas)


@EVERY_VIEW
def test_a_view_is_small_and_a_document_of_its_own(view: View) -> None:
    document = view.html()
    assert len(document.encode()) < 40_000
    assert document.startswith("<!doctype html>")
    assert document.count("<script>") == document.count("</script>") == 1
    assert view.html() is document


@EVERY_VIEW
def test_a_view_refers_to_nothing_outside_of_itself(view: View) -> None:
    document = view.html().replace('"http://www.w3.org/2000/svg"', "")
    for outside in ("://", "url(", "@import", "src=", "href=", "import(", "fetch(", "<link"):
        assert outside not in document, outside


@EVERY_VIEW
def test_a_view_makes_neither_markup_nor_code_of_text(view: View) -> None:
    maker = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\b"
        r"|new Function|setTimeout\(\s*[\"'`]|\son[a-z]+\s*=\s*[\"']|javascript:"
    )
    assert re.findall(maker, view.html()) == []


@EVERY_VIEW
def test_every_field_that_a_view_reads_is_one_that_the_tool_returns(view: View) -> None:
    reads = _reads(view)
    assert view.tools[0] in reads
    for tool in {*reads, *view.tools}:
        paths = reads[tool if tool in reads else view.tools[0]]
        missing = [path for path in paths if not _has(CATALOGUE.find(tool).output_schema, path)]
        assert missing == [], tool


def test_a_field_that_no_tool_has_would_be_found() -> None:
    schema = CATALOGUE.find("sponsor.top").output_schema
    assert _has(schema, "sponsors[].sponsor.name")
    for wrong in (
        "sponsors[].nme",
        "sponsors[].sponsor.nme",
        "sponsors.rank",
        "period[].from_date",
    ):
        assert not _has(schema, wrong)


@pytest.mark.parametrize("tool", RESULTS)
def test_the_results_that_the_browser_tests_show_are_ones_of_the_tools(tool: str) -> None:
    jsonschema.validate(RESULTS[tool], CATALOGUE.find(tool).output_schema)


def test_every_view_has_its_address_and_loads_from_no_domain() -> None:
    for view in VIEWS:
        assert view.uri.startswith("ui://sponsorgraph/")
        assert view_of(view.uri) is view
        for description in (view.listed, view.content):
            assert description["mimeType"] == "text/html;profile=mcp-app"
            assert set(description["_meta"]["ui"]) == {"csp", "prefersBorder"}
            assert all(domains == [] for domains in description["_meta"]["ui"]["csp"].values())
    assert view_of("ui://sponsorgraph/other") is None


def test_every_pointed_at_tool_exists() -> None:
    for view in VIEWS:
        for tool in view.tools:
            assert CATALOGUE.find(tool).name == tool
            assert tool_meta(tool) == {
                "ui": {"resourceUri": view.uri},
                "ui/resourceUri": view.uri,
            }
    assert tool_meta("category.list") is None
    assert "_meta" not in published(CATALOGUE.find("sponsor.stats"))


@pytest.mark.parametrize(
    ("capabilities", "declared"),
    [
        (APPS, True),
        ({"extensions": {EXTENSION: {}}}, True),
        ({"extensions": {EXTENSION: {"mimeTypes": ["text/html"]}}}, False),
        ({"extensions": {EXTENSION: {"mimeTypes": "x"}}}, False),
        ({"extensions": {EXTENSION: None}}, False),
        ({"extensions": []}, False),
        ({EXTENSION: {}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_client_shows_views_if_it_declares_our_type(
    capabilities: object, *, declared: bool
) -> None:
    assert views.is_declared(capabilities) is declared
