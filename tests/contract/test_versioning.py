"""The released interface stays: later versions only add to it (docs/versioning.md).

`scripts/gen_tools.py --release` writes the promise, at a release and never to silence this test.
"""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.mcp.methods.tools_list import META_DEPRECATED, published
from gateway.tools import Deprecation, Tool, all_tools

RELEASED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "snapshots" / "released_tools.json").read_text()
)
ANNOUNCED: list[dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "announced_changes.toml").read_text()
)["change"]
TODAY = {tool.name: tool for tool in all_tools()}
EVERY_RELEASED = pytest.mark.parametrize("old", RELEASED, ids=lambda old: old["name"])


def tool_of(old: dict[str, Any]) -> Tool:
    assert old["name"] in TODAY, "a released tool is gone"
    return TODAY[old["name"]]


@EVERY_RELEASED
def test_a_released_tool_keeps_its_names_needs_and_price(old: dict[str, Any]) -> None:
    tool = tool_of(old)
    assert tool.alias == old["alias"]
    assert (tool.scope, tool.feature) == (old["scope"], old["feature"])
    assert tool.cost <= old["cost"]


@EVERY_RELEASED
def test_a_released_tool_still_takes_what_it_took(old: dict[str, Any]) -> None:
    schema = tool_of(old).input_schema
    assert set(schema.get("required", [])) <= set(old["inputSchema"].get("required", []))
    former = tool_of(old).params.former_names
    for released, was in old["inputSchema"]["properties"].items():
        # A former name is announced, and accepted all the same.
        name = former.get(released, released)
        assert name in schema["properties"], f"the argument {name} is gone"
        field = schema["properties"][name]
        assert field["type"] == was["type"], name
        now = _announced(old, "argument", name, was.get("default"))
        assert field.get("default") == now, name
        assert set(was.get("enum", [])) <= set(field.get("enum", was.get("enum", []))), name
        for low in ("minimum", "minLength"):
            assert field.get(low, 0) <= was.get(low, 0), name
        for high in ("maximum", "maxLength"):
            if high in field:
                assert field[high] >= was[high], name


@EVERY_RELEASED
def test_a_former_name_of_an_argument_means_what_it_meant(old: dict[str, Any]) -> None:
    params = tool_of(old).params
    needed = {
        name: [f"{name} a", f"{name} b"]
        if old["inputSchema"]["properties"][name]["type"] == "array"
        else "wrong"
        for name in old["inputSchema"].get("required", [])
    }
    for former, listed in params.former_names.items():
        assert former not in tool_of(old).input_schema["properties"]
        by_former = params.parse(needed | {former: "2026-01-31"})
        assert by_former == params.parse(needed | {listed: "2026-01-31"})
        assert by_former != params.parse(needed)


@EVERY_RELEASED
def test_a_released_tool_still_returns_what_it_returned(old: dict[str, Any]) -> None:
    schema = tool_of(old).output_schema
    was = old["outputSchema"]
    _still_there(old, was, schema)
    for name, shape in was.get("$defs", {}).items():
        _still_there(old, shape, schema["$defs"][name])


def _announced(old: dict[str, Any], part: str, name: str, was: Any) -> Any:
    """Return what was announced in place of `was`; `was` itself if nothing was."""
    for change in ANNOUNCED:
        if (change["tool"], change.get(part), change["was"]) == (old["name"], name, was):
            return change["now"]
    return was


def _still_there(old: dict[str, Any], was: dict[str, Any], now: dict[str, Any]) -> None:
    for name, field in was["properties"].items():
        assert name in now["properties"], f"the field {name} is gone"
        # What was never null must not become it, so types stay as they are.
        promised = json.loads(_announced(old, "field", name, json.dumps(_type(field))))
        assert _type(now["properties"][name]) == promised, name


def _type(field: dict[str, Any]) -> dict[str, Any]:
    return {key: field[key] for key in ("type", "$ref", "anyOf") if key in field}


def test_a_deprecation_is_announced_in_words_and_to_programs() -> None:
    end = Deprecation("2026-12-01", "2027-06-01", "Use sponsor.search instead.")
    old = replace(all_tools()[0], deprecated=end)
    assert published(old)["_meta"] == {META_DEPRECATED: end}
    assert "will be removed after 2027-06-01. Use sponsor.search instead." in end.notice
    assert "_meta" not in published(all_tools()[0])
