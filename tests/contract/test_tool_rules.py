"""Rules that every tool keeps, so that no client refuses it and no model guesses."""

import re
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import gateway.tools
from gateway.mcp.methods.tools_list import published
from gateway.prompts import ALL_PROMPTS
from gateway.resources import all_resources
from gateway.tools import FAMILIES, Tool, all_tools

ROOT = Path(__file__).resolve().parent.parent.parent
COMBINATORS = {"anyOf", "oneOf", "allOf", "not", "if", "$ref"}
EVERY_TOOL = pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)


def _generator() -> Any:
    spec = spec_from_file_location("gen_tools", ROOT / "scripts" / "gen_tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for shape in (schema, *schema.get("$defs", {}).values()):
        yield from shape["properties"].items()


@EVERY_TOOL
def test_both_names_are_ones_that_clients_take(tool: Tool) -> None:
    assert re.fullmatch(r"[a-z]+\.[a-z][a-zA-Z]+", tool.name)
    assert re.fullmatch(r"[a-zA-Z0-9_]{1,40}", tool.alias)


@EVERY_TOOL
def test_the_description_is_long_enough_to_choose_by_and_short_enough_to_read(tool: Tool) -> None:
    assert 40 <= len(tool.description) <= 1024
    assert tool.title


@EVERY_TOOL
def test_every_hint_is_explicit(tool: Tool) -> None:
    annotations = published(tool)["annotations"]
    hints = {name for name in annotations if name.endswith("Hint")}
    assert hints == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert all(isinstance(annotations[name], bool) for name in hints)
    assert annotations["title"] == tool.title


@EVERY_TOOL
def test_the_input_schema_is_a_plain_closed_object(tool: Tool) -> None:
    schema = tool.input_schema
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not COMBINATORS & schema.keys()
    assert "$defs" not in schema


@EVERY_TOOL
def test_every_argument_says_what_it_means_and_what_it_allows(tool: Tool) -> None:
    for name, field in _properties(tool.input_schema):
        assert field.get("description"), name
        assert not COMBINATORS & field.keys(), name
        if field["type"] in ("integer", "number"):
            assert {"minimum", "maximum"} <= field.keys(), name
        if field["type"] == "string":
            assert {"maxLength", "enum", "format", "pattern"} & field.keys(), name
        if "pattern" in field or field.get("format") == "date":
            assert field["examples"], name


@EVERY_TOOL
def test_the_output_schema_is_an_object_with_every_field_described(tool: Tool) -> None:
    schema = tool.output_schema
    assert schema["type"] == "object"
    for name, field in _properties(schema):
        assert field.get("description"), name


def test_names_are_unique() -> None:
    names = [name for tool in all_tools() for name in (tool.name, tool.alias)]
    assert len(set(names)) == len(names)


def test_no_file_of_tools_is_forgotten_in_the_families() -> None:
    folder = Path(gateway.tools.__file__).parent
    files = {path.stem for path in folder.glob("[a-z]*.py")} - {"registry"}
    assert files == {family.__name__.rpartition(".")[2] for family in FAMILIES}


def test_the_published_interface_is_the_agreed_one() -> None:
    generator = _generator()
    assert generator.snapshot(all_tools()) == generator.SNAPSHOT.read_text(), "run `make gen`"
    assert generator.page(all_tools()) == generator.PAGE.read_text(), "run `make gen`"
    surface = generator.surface(all_resources(), ALL_PROMPTS)
    assert surface == generator.SURFACE.read_text(), "run `make gen`"


def test_the_page_explains_every_field_of_every_object_within_results() -> None:
    page = _generator().PAGE.read_text()
    for tool in all_tools():
        for name, shape in tool.output_schema.get("$defs", {}).items():
            section = page.split(f"\n### {name}\n")[1].partition("\n#")[0]
            for field in shape["properties"]:
                assert f"- `{field}` (" in section, f"{name}.{field}"


def test_links_to_objects_lead_to_one_section_each() -> None:
    page = _generator().PAGE.read_text()
    headings = [
        re.sub(r"[^\w -]", "", line.lower())
        for line in re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    ]
    anchors = [heading.replace(" ", "-") for heading in headings]
    linked = set(re.findall(r"\]\(#([\w-]+)\)", page))
    assert [anchor for anchor in linked if anchors.count(anchor) != 1] == []
