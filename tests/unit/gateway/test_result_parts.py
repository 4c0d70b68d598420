"""Parts of answers: what `fields` and `detail` choose, and that what they leave out is named."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.domain.errors import InvalidArguments
from gateway.tools import PartsArguments, Tool, all_tools, paths, selection
from gateway.tools._schema import PARTS

LARGE = [tool for tool in all_tools() if tool.brief]
EVERY_LARGE_TOOL = pytest.mark.parametrize("tool", LARGE, ids=lambda tool: tool.name)
TOP = next(tool for tool in LARGE if tool.name == "sponsor.top")
RESULT: dict[str, Any] = {
    "period": {"from_date": "2023-01-01", "to_date": None},
    "sponsors": [
        {"rank": 1, "sponsor": {"id": "sp_1", "name": "Acme"}, "videos": 3},
        {"rank": 2, "sponsor": {"id": "sp_2", "name": "Brand"}, "videos": 1},
    ],
    "next_cursor": "more",
    "note": "Read me.",
}


def parse(tool: Tool, **arguments: object) -> Any:
    required = dict.fromkeys(tool.input_schema.get("required", ()), "x")
    lists = {
        name: ["a", "b"]
        for name in required
        if tool.input_schema["properties"][name]["type"] == "array"
    }
    return tool.params.parse(required | lists | arguments)


def part(tool: Tool, whole: object, **arguments: object) -> Any:
    chosen = selection(parse(tool, **arguments), tool.result_type, tool.brief)
    return json.loads(chosen.of(json.dumps(whole).encode()))


def test_a_field_is_chosen_by_its_path_through_lists_and_objects() -> None:
    assert part(TOP, RESULT, fields=["sponsors.sponsor.name", "period"]) == {
        "period": {"from_date": "2023-01-01", "to_date": None},
        "sponsors": [{"sponsor": {"name": "Acme"}}, {"sponsor": {"name": "Brand"}}],
        "next_cursor": "more",
        "note": "Read me.",
        "fields_left_out": [
            "metric",
            "totals",
            "kinds",
            "by_kind",
            "coverage",
            "sponsors.{rank,videos,youtubers,views,share,free_products,metric_share}",
            "sponsors.sponsor.{id,slug,domain,category}",
        ],
    }


def test_a_path_stands_for_all_below_it_in_whatever_order() -> None:
    for fields in (
        ["sponsors", "sponsors.sponsor.id"],
        ["sponsors.sponsor.id", "sponsors"],
    ):
        assert part(TOP, RESULT, fields=fields)["sponsors"] == RESULT["sponsors"]


def test_what_was_left_out_can_be_sent_as_fields() -> None:
    first = part(TOP, RESULT, fields=["sponsors.rank"])
    rest = part(TOP, RESULT, fields=first["fields_left_out"])
    assert rest["sponsors"] == [
        {"sponsor": row["sponsor"], "videos": row["videos"]} for row in RESULT["sponsors"]
    ]
    assert rest["fields_left_out"] == ["sponsors.rank"]


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("sponsor.name", "sponsors.sponsor.name"),
        ("sponsors.sponsor.nmae", "sponsors.sponsor.name"),
        ("free_products", "sponsors.free_products"),
        ("coverage.video", "coverage.videos"),
    ],
)
def test_an_unknown_field_is_refused_with_the_nearest_one(field: str, meant: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        part(TOP, RESULT, fields=["sponsors.rank", field])
    message = refused.value.public_message
    assert f"`fields` has `{field}`, which is no field of this answer." in message
    assert f"Did you mean `{meant}`?" in message


def test_a_field_that_is_like_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidArguments, match=r"`zzzzzzzz`.* It has `period`, `metric`, `totals`"):
        part(TOP, RESULT, fields=["zzzzzzzz"])


@EVERY_LARGE_TOOL
def test_a_brief_result_has_fields_of_the_result_and_names_all_others(tool: Tool) -> None:
    chosen = selection(parse(tool, detail="brief"), tool.result_type, tool.brief)
    assert chosen.left_out
    every = set(paths(tool.result_type))
    assert set(tool.brief) <= every
    named = selection(
        parse(tool, fields=list(chosen.left_out)), tool.result_type, tool.brief
    ).chosen
    for path in every:
        names, sides = path.split("."), [chosen.chosen, named]
        for name in names:
            # The empty tree is the whole of what it stands for.
            sides = [side if not side else side.get(name) for side in sides if side is not None]
        assert [side for side in sides if side is not None], path


@EVERY_LARGE_TOOL
def test_what_is_chosen_of_an_result_changes_nothing_in_the_query(tool: Tool) -> None:
    plain, brief = parse(tool), parse(tool, detail="brief", fields=["coverage"])
    assert brief.cache_key() == plain.cache_key()
    assert brief.provided() == plain.provided()
    assert not set(PARTS) & plain.provided().keys()
    assert (plain.chooses_parts, brief.chooses_parts) == (False, True)
    assert not parse(tool, detail="standard").chooses_parts
    assert not parse(tool, detail="full").chooses_parts


def test_a_full_result_has_the_record_unless_it_is_refused() -> None:
    for tool in LARGE:
        if "record" not in tool.input_schema["properties"]:
            continue
        assert parse(tool, detail="full").provided()["record"] is True
        assert parse(tool, detail="full", record=False).provided()["record"] is False
        assert parse(tool, detail="full", record=None).provided()["record"] is True
        assert parse(tool, detail="full").cache_key() == parse(tool, record=True).cache_key()
        assert parse(tool).provided()["record"] is False


@pytest.mark.parametrize("name", ["youtuber.get", "sponsor.get"])
@pytest.mark.parametrize(
    "path", ["record", "record.renewal", " record.renewal.rate", "record.{renewal,paid_videos}"]
)
def test_a_field_of_the_record_computes_the_record(name: str, path: str) -> None:
    tool = next(tool for tool in LARGE if tool.name == name)
    for more in ({}, {"record": False}, {"detail": "brief"}):
        assert parse(tool, fields=["coverage", path], **more).provided()["record"] is True
    assert parse(tool, fields=["youtuber.recorded"]).provided()["record"] is False
    assert parse(tool, fields=["coverage"]).provided()["record"] is False


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_tools_with_large_result_and_no_others_take_parts(tool: Tool) -> None:
    assert issubclass(tool.params, PartsArguments) is bool(tool.brief)
    listed = tool.listed_input_schema()["properties"]
    chosen = tool.listed_input_schema(frozenset({"sponsors"}))["properties"]
    assert not set(PARTS) & listed.keys()
    assert [name for name in chosen if name not in listed] == list(PARTS if tool.brief else ())
    assert all(listed[name] == chosen[name] for name in listed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
)


def _is_part(some: Any, whole: Any) -> bool:
    if isinstance(some, dict) and isinstance(whole, dict):
        members = cast("dict[str, Any]", some).items()
        return all(name in whole and _is_part(member, whole[name]) for name, member in members)
    if isinstance(some, list) and isinstance(whole, list):
        pairs = zip(cast("list[Any]", some), cast("list[Any]", whole), strict=True)
        return all(_is_part(*pair) for pair in pairs)
    return some == whole


@given(
    whole=st.fixed_dictionaries({}, optional=dict.fromkeys(RESULT, JSON)),
    fields=st.lists(st.sampled_from(paths(TOP.result_type)), min_size=1, max_size=5),
)
def test_a_part_has_nothing_that_the_result_lacks(whole: Any, fields: list[str]) -> None:
    found = part(TOP, whole, fields=fields)
    assert found.pop("fields_left_out") is not None
    assert _is_part(found, whole)
