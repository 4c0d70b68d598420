"""The console's form of an input schema, its values as arguments, and the call in other languages."""

import ast
import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain.explore.calls import ToolCall
from auth_service.domain.explore.console import (
    arguments_of,
    as_curl,
    as_python,
    as_typescript,
    tool_of,
)
from gateway.tools import ToolCatalogue, all_tools
from servicekit.errors import InvalidInput

LISTED: dict[str, dict[str, Any]] = {
    tool.name: {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.listed_input_schema(),
    }
    for tool in ToolCatalogue(all_tools())
}
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1)


@pytest.mark.parametrize("name", LISTED)
def test_every_tool_has_a_form_whose_values_its_schema_takes(name: str) -> None:
    tool = tool_of(LISTED[name])
    samples = {
        "number": "5",
        "date": "2026-01-02",
        "flag": "true",
        "lines": "a\nb\n",
        "text": "abc",
    }

    def values(argument: str) -> list[str]:
        field = next(field for field in tool.fields if field.name == argument)
        return list(field.options[:1]) if field.options else [samples[field.form]]

    arguments = arguments_of(tool, values)
    assert set(arguments) == {field.name for field in tool.fields}
    schema: dict[str, Any] = LISTED[name]["inputSchema"]["properties"]
    types = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list}
    for argument, value in arguments.items():
        assert isinstance(value, types[schema[argument]["type"]]), argument


def test_fields_that_are_left_empty_are_no_arguments() -> None:
    tool = tool_of(LISTED["sponsor.top"])
    assert arguments_of(tool, lambda _: ["  "]) == {}
    assert arguments_of(tool, lambda _: []) == {}


def test_a_number_that_is_none_is_refused_by_name() -> None:
    tool = tool_of(LISTED["sponsor.top"])
    with pytest.raises(InvalidInput, match="limit"):
        arguments_of(tool, lambda name: ["ten"] if name == "limit" else [])


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(text: str) -> None:
    tool = tool_of(LISTED["sponsor.top"])
    with pytest.raises(InvalidInput, match="min_confidence"):
        arguments_of(tool, lambda name: [text] if name == "min_confidence" else [])


def test_a_deprecated_argument_is_not_offered() -> None:
    fields = tool_of(LISTED["sponsor.recentVideos"]).fields
    assert "kind" not in {field.name for field in fields}


def test_a_tool_with_a_view_names_it() -> None:
    listed = {
        **LISTED["sponsor.stats"],
        "_meta": {"ui": {"resourceUri": "ui://sponsorgraph/sponsor-stats"}},
    }
    assert tool_of(listed).view == "sponsor-stats"
    assert tool_of(LISTED["sponsor.get"]).view is None


@given(NAMES)
def test_the_call_says_the_same_in_every_language(name: str) -> None:
    call = ToolCall("sponsor.compare", {"sponsors": [name, "it's"], "flag": True})
    expected = {"name": "sponsor.compare", "arguments": dict(call.arguments)}
    words = shlex.split(as_curl("https://a.example/mcp", call).replace("\\\n", " "))
    assert json.loads(words[words.index("-d") + 1])["params"] == expected
    program = ast.parse(as_python("https://a.example/mcp", call))
    sent = next(
        keyword.value
        for node in ast.walk(program)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "json"
    )
    assert ast.literal_eval(sent)["params"] == expected
    body = re.search(
        r"JSON\.stringify\((.*)\),\n", as_typescript("https://a.example/mcp", call), re.DOTALL
    )
    assert body is not None
    assert json.loads(body[1])["params"] == expected
