"""`sponsorgraph call`: arguments by their types, and results as rows that are safe to open."""

import csv
import io
from typing import Any

import pytest

from cli.commands.call import _json
from cli.service import rows
from cli.service.arguments import arguments_of, type_of
from cli.service.errors import ArgumentError
from cli.service.tools import ListedTool
from cli.text import one_line
from gateway.tools import all_tools

TOOL = ListedTool(
    "sponsor.top",
    "Rank",
    "",
    {
        "search": {"type": "string"},
        "limit": {"type": "integer"},
        "share": {"type": "number"},
        "active": {"type": "boolean"},
        "since": {"type": "string", "format": "date"},
        "sort": {"type": "string", "enum": ["views", "videos"]},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
        "ids": {"type": "array", "items": {"type": "string"}},
        "other": {"type": "object"},
    },
    (),
)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["search=a=b, c"], {"search": "a=b, c"}),
        (["search="], {"search": ""}),
        (["search=7", "limit=7"], {"search": "7", "limit": 7}),
        (["share=0.5", "active=true"], {"share": 0.5, "active": True}),
        (["active=No"], {"active": False}),
        (["since=2026-01-01", "sort=views"], {"since": "2026-01-01", "sort": "views"}),
        (["kinds=a,b", "kinds=c"], {"kinds": ["a", "b", "c"]}),
        (['ids=["x, y", "z"]'], {"ids": ["x, y", "z"]}),
        (['other={"a": 1}'], {"other": {"a": 1}}),
        ([], {}),
    ],
)
def test_arguments_have_the_types_of_the_tools_schema(
    words: list[str], arguments: dict[str, Any]
) -> None:
    assert arguments_of(TOOL, words) == arguments


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("limit", "write key=value"),
        ("=x", "write key=value"),
        ("limit=x", "whole number"),
        ("limit=1.5", "whole number"),
        ("share=x", "a number"),
        ("active=maybe", "true or false"),
        ("sort=name", "one of views, videos"),
        ("kinds=a,d", "one of a, b, c"),
        ("other={", "no JSON"),
        ("limt=1", "Did you mean limit"),
        ("zzz=1", "It takes search"),
    ],
)
def test_a_wrong_argument_is_named(word: str, sentence: str) -> None:
    with pytest.raises(ArgumentError, match=sentence):
        arguments_of(TOOL, [word])


def test_an_argument_that_is_missing_or_there_twice_is_named() -> None:
    needy = ListedTool("a.b", "", "", TOOL.arguments, ("search", "limit"))
    with pytest.raises(ArgumentError, match="needs limit: give limit="):
        arguments_of(needy, ["search=x"])
    with pytest.raises(ArgumentError, match="given twice"):
        arguments_of(TOOL, ["limit=1", "limit=2"])


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_every_argument_of_every_tool_has_a_type_that_can_be_written(tool: Any) -> None:
    for schema in tool.listed_input_schema()["properties"].values():
        kind = schema["type"]
        assert kind in ("string", "integer", "number", "boolean", "array")
        assert type_of(schema)
        if kind == "array":
            assert schema["items"]["type"] == "string"


RESULT = {
    "period": {"from_date": "2026-01-01"},
    "sponsors": [
        {"rank": 1, "sponsor": {"name": "A", "tags": ["x", "y"]}, "views": -5, "known": None},
        {"rank": 2, "sponsor": {"name": "B"}, "fresh": True},
    ],
    "by_kind": [{"key": "paid"}],
    "nothing": [],
    "note": "hm",
}


def test_rows_are_those_of_the_first_list_or_of_the_one_that_is_named() -> None:
    assert [row["rank"] for row in rows.rows_of(RESULT)] == [1, 2]
    assert rows.rows_of(RESULT, "by_kind") == [{"key": "paid"}]
    assert rows.rows_of(RESULT, "nothing") == []
    assert rows.rows_of({"plan": "free", "used": 1}) == [{"plan": "free", "used": 1}]
    assert rows.rows_of({"sponsors": [], "note": "none"}) == []
    with pytest.raises(ArgumentError, match="It has sponsors, by_kind"):
        rows.rows_of(RESULT, "zzz")


def test_csv_has_a_column_for_every_field_of_every_row() -> None:
    text = rows.as_csv(rows.rows_of(RESULT))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["rank", "sponsor.name", "sponsor.tags", "views", "known", "fresh"],
        ["1", "A", "x; y", "-5", "", ""],
        ["2", "B", "", "", "", "true"],
    ]
    assert rows.as_csv([]) == ""


STATEMENT = {
    "columns": [{"name": "name", "type": "text"}, {"name": "count", "type": "bigint"}],
    "rows": [["NordVPN", 12], ["=1+1", None]],
    "row_count": 2,
}


def test_rows_of_a_statement_have_the_names_of_its_columns() -> None:
    for name in ("", "rows"):
        found, head = rows.rows_of(STATEMENT, name), rows.head_of(STATEMENT, name)
        assert rows.as_csv(found, head) == "name,count\r\nNordVPN,12\r\n'=1+1,\r\n"
        assert rows.as_markdown(found, head) == (
            "| name | count |\n| --- | --- |\n| NordVPN | 12 |\n| =1+1 |  |\n"
        )
    assert rows.rows_of(STATEMENT, "columns")[0] == {"name": "name", "type": "text"}
    assert rows.head_of(STATEMENT, "columns") == ()


def test_a_statement_without_rows_has_its_head() -> None:
    result = {**STATEMENT, "rows": []}
    assert rows.as_csv(rows.rows_of(result), rows.head_of(result)) == "name,count\r\n"


def test_columns_of_one_name_stay_apart() -> None:
    columns = [{"name": name} for name in ("a", "a", "a_2", "a")]
    result = {"columns": columns, "rows": [[1, 2, 3, 4]]}
    assert rows.rows_of(result) == [{"a": 1, "a_3": 2, "a_2": 3, "a_4": 4}]


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://evil.example")',
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n=1",
        "\uff1d1+1",
        "\uff20x",
        "\xa0=1",
        "\x00=1",
    ],
)
@pytest.mark.parametrize("position", ["value", "list", "column"])
def test_no_text_of_others_is_a_formula(text: str, position: str) -> None:
    row: dict[str, Any] = {
        "value": {"name": text},
        "list": {"names": [text, "b"]},
        "column": {text: 1},
    }[position]
    cells = [cell for line in csv.reader(io.StringIO(rows.as_csv([row]))) for cell in line]
    for cell in cells:
        assert not cell.lstrip().startswith(("=", "+", "-", "@", "\uff1d", "\uff20")), cell
        assert cell.isprintable()


def test_quotes_commas_and_lines_stay_in_their_cell() -> None:
    text = rows.as_csv([{"a": 'x","=1', "b": "two\r\nlines"}])
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ['x","=1', "two  lines"]]


def test_markdown_has_no_column_link_or_markup_of_others() -> None:
    text = rows.as_markdown([{"a": "x | y", "b": "<b>`c`\n[d](e)"}])
    assert text == "| a | b |\n| --- | --- |\n| x \\| y | \\<b>\\`c\\` \\[d](e) |\n"
    assert rows.as_markdown([]) == "No rows.\n"


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "a\u202eb", "\x07"])
def test_nothing_steers_the_terminal(text: str) -> None:
    assert all(item == "\n" or item.isprintable() for item in _json({"name": text}))
    assert one_line(text).isprintable()
    assert text not in rows.as_markdown([{"name": text}])
