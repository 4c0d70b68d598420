"""Providers of models take every listed tool: its name, and its schema also where it is to be followed strictly."""

from typing import Any

import pytest

from gateway.tools import all_tools
from tests.frameworks.provider_rules import (
    OfferedTool,
    RefusedToolError,
    check_anthropic,
    check_gemini_name,
    check_openai,
)

EVERY_TOOL = pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)


def offered(tool: Any, *, is_strict: bool = False) -> OfferedTool:
    """The tool as frameworks hand it on, with every argument required where the schema is strict."""
    schema = tool.listed_input_schema()
    if is_strict:
        required = list(schema["properties"])
        schema = {**schema, "required": required, "additionalProperties": False}
    return OfferedTool(tool.name.replace(".", "_"), schema, is_strict)


@EVERY_TOOL
def test_providers_take_a_tool_as_it_is_listed(tool: Any) -> None:
    for check in (check_openai, check_anthropic, check_gemini_name):
        check(offered(tool))


@EVERY_TOOL
def test_openai_takes_a_tool_whose_schema_is_to_be_followed_strictly(tool: Any) -> None:
    check_openai(offered(tool, is_strict=True))


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("sponsor.top", {"type": "string"}),
        ("n" * 65, {"type": "string"}),
        ("sponsor_top", {"type": "string", "default": "videos"}),
        ("sponsor_top", {"type": "array"}),
        ("sponsor_top", {"type": "object", "properties": {}}),
    ],
)
def test_what_a_provider_does_not_take_is_refused(name: str, field: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"field": field},
        "required": ["field"],
        "additionalProperties": False,
    }
    with pytest.raises(RefusedToolError):
        check_openai(OfferedTool(name, schema, is_strict=True))
