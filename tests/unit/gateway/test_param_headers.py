"""Headers that repeat arguments say what the arguments say."""

import base64
from dataclasses import fields
from functools import cached_property
from typing import Any

import pytest

from gateway.mcp.jsonrpc import ProtocolError
from gateway.mcp.methods.param_headers import check_headers
from gateway.mcp.transport.http import Request
from gateway.tools import Tool, all_tools


class Marked(Tool):
    @cached_property
    def input_schema(self) -> dict[str, Any]:
        nested = {"type": "boolean", "x-mcp-header": "Urgent"}
        return {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "limit": {"type": "integer", "x-mcp-header": "Limit"},
                "share": {"type": "number", "x-mcp-header": "Share"},
                "options": {"type": "object", "properties": {"urgent": nested}},
                "query": {"type": "string"},
            },
        }


PLAIN = all_tools()[0]
TOOL = Marked(**{field.name: getattr(PLAIN, field.name) for field in fields(PLAIN)})


def agrees(arguments: object, *, tool: Tool = TOOL, repeated: str = "", **headers: str) -> bool:
    raw_headers = {f"mcp-param-{name}".encode(): value.encode() for name, value in headers.items()}
    names = frozenset({repeated.encode()} if repeated else ())
    try:
        check_headers(tool, arguments, Request("POST", b"", raw_headers, names))
    except ProtocolError as error:
        return (error.code, error.status) != (-32020, 400)
    return True


def wrapped(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def test_a_tool_without_marks_reads_no_header() -> None:
    assert agrees({"query": "x"}, tool=PLAIN, region="elsewhere")


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "us-west1"}, {"region": "us-west1"}),
        ({"region": "us-west1"}, {"region": wrapped("us-west1")}),
        ({"region": "Köln\n"}, {"region": wrapped("Köln\n")}),
        ({"region": "=?base64?eA=="}, {"region": "=?base64?eA=="}),
        ({"region": ""}, {"region": ""}),
        ({"limit": 42}, {"limit": "42"}),
        ({"limit": 42}, {"limit": "42.0"}),
        ({"limit": -7}, {"limit": "-7"}),
        ({"share": 0.5}, {"share": "0.5"}),
        ({"share": 0.1}, {"share": "0.1"}),
        ({"share": 0.1}, {"share": "0.10"}),
        ({"share": 1e-7}, {"share": "0.0000001"}),
        ({"options": {"urgent": False}}, {"urgent": "false"}),
        ({"region": None, "query": "x"}, {}),
        ({"options": 5}, {}),
        ({}, {}),
        (None, {}),
    ],
)
def test_headers_with_the_same_values_are_accepted(arguments: Any, headers: dict[str, Any]) -> None:
    assert agrees(arguments, **headers)


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "us-west1"}, {}),
        ({"region": "us-west1"}, {"region": "us-east1"}),
        ({"region": "us-west1"}, {"region": "US-WEST1"}),
        ({"region": "Hello"}, {"region": "=?base64?SGVsbG8?="}),
        ({"region": "Hello"}, {"region": "=?base64?SGVs!!!bG8=?="}),
        ({"region": "Köln"}, {"region": "Köln"}),
        ({}, {"region": "us-west1"}),
        ({"region": None}, {"region": ""}),
        ({"limit": 42}, {"limit": "43"}),
        ({"share": 0.1}, {"share": "0.1000000000000000055511151231257827"}),
        ({"limit": 42}, {"limit": "many"}),
        ({"limit": 42}, {"limit": "sNaN"}),
        ({"options": {"urgent": True}}, {"urgent": "True"}),
        ({"options": {"urgent": True}}, {"urgent": "1"}),
    ],
)
def test_headers_that_say_something_else_are_refused(
    arguments: Any, headers: dict[str, Any]
) -> None:
    assert not agrees(arguments, **headers)


def test_a_header_that_came_twice_is_refused() -> None:
    assert not agrees({"region": "x"}, repeated="mcp-param-region", region="x")
