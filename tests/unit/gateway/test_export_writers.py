"""Files of exports: what is written reads back, and nothing in them begins a formula."""

import csv
import html
import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from gateway.domain.exports import Format
from gateway.exports.columns import (
    Column,
    ColumnType,
    Value,
    cells_of,
    columns_of,
    columns_of_rows,
    row_of,
)
from gateway.exports.planning import columns_of_tool
from gateway.exports.writers import FILE_TYPES
from gateway.tools import Tool, all_tools
from servicekit.csv_rows import guarded
from shapes.catalog.sponsors import RankedSponsor, SponsorVideo
from shapes.catalog.youtubers import YoutuberVideo

_parquet: Any = parquet
Table = tuple[tuple[Column, ...], list[list[tuple[Value, ...]]]]

TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
HOSTILE: Final = st.one_of(
    TEXTS,
    st.builds(
        str.__add__, st.sampled_from([*"=+-@'\t\r\n |`<", "＝", "\u2028", ',"', " ="]), TEXTS
    ),
)
VALUES: Final[dict[ColumnType, st.SearchStrategy[Value]]] = {
    "text": HOSTILE,
    "json": st.lists(HOSTILE, max_size=3).map(json.dumps),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "date": st.dates().map(date.isoformat),
    "instant": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Columns, and parts of rows with values of their kinds."""
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=5))
    items = {"json": str}
    names = draw(
        st.lists(HOSTILE.filter(bool), min_size=len(kinds), max_size=len(kinds), unique=True)
    )
    columns = tuple(
        Column(name, kind, items.get(kind)) for name, kind in zip(names, kinds, strict=True)
    )
    row = st.tuples(*(st.none() | VALUES[kind] for kind in kinds))
    return columns, draw(st.lists(st.lists(row, max_size=4), max_size=3))


def written(table: Table, file_format: Format) -> bytes:
    columns, parts = table
    writer = FILE_TYPES[file_format].writer(columns)
    return b"".join([writer.begin(), *map(writer.rows, parts), writer.end()])


def rows_of(table: Table) -> list[tuple[Value, ...]]:
    return [row for part in table[1] for row in part]


def as_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@given(tables())
def test_json_lines_read_back(table: Table) -> None:
    columns, _ = table
    lines = written(table, "jsonl").decode().split("\n")[:-1]
    assert [json.loads(line) for line in lines] == [
        {
            column.name: json.loads(str(value)) if column.kind == "json" and value else value
            for column, value in zip(columns, row, strict=True)
        }
        for row in rows_of(table)
    ]


def unguarded(cell: str) -> str:
    return cell.removeprefix("'")


@given(tables())
def test_csv_reads_back_and_no_text_begins_a_formula(table: Table) -> None:
    columns, _ = table
    text = written(table, "csv").decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert [unguarded(name) for name in header] == [column.name for column in columns]
    assert [[unguarded(cell) for cell in row] for row in rows] == [
        [as_text(value) for value in row] for row in rows_of(table)
    ]
    texts = [
        cell for row in rows for cell, column in zip(row, columns, strict=True) if is_text(column)
    ]
    for cell in [*header, *texts]:
        assert not begins_formula(cell)


def is_text(column: Column) -> bool:
    return column.kind not in {"integer", "number"}


def begins_formula(cell: str) -> bool:
    bare = cell.lstrip()
    return cell[:1] in {"\t", "\r", "\n"} or bare[:1] in set("=+-@＝＋－＠")


@given(HOSTILE)
def test_a_guard_is_taken_away_without_loss(text: str) -> None:
    assert str(guarded(text)).removeprefix("'") == text


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://x")',
        "+1",
        "-1+cmd|' /C calc'!A0",
        "@SUM(1)",
        "\t=1",
        " =1",
        "＝1",
        "'=1",
    ],
)
def test_formulas_are_texts(text: str) -> None:
    assert guarded(text) == f"'{text}"


def test_handles_are_without_their_sign_in_csv_and_begin_no_formula() -> None:
    columns = tuple(Column(name, "text") for name in ("youtuber.handle", "handle", "name"))
    rows: list[tuple[Value, ...]] = [
        ("@nordlicht", "@=1", "@nordlicht"),
        (None, "x", "@SUM(A1)"),
    ]
    table: Table = (columns, [rows])
    lines = written(table, "csv").decode().splitlines()
    assert lines[1:] == ["nordlicht,'=1,'@nordlicht", ",x,'@SUM(A1)"]
    assert json.loads(written(table, "jsonl").splitlines()[0])["handle"] == "@=1"


def test_other_texts_stay_as_they_are() -> None:
    for text in ("", "NordVPN", "a=b", "1-2", "100 %"):
        assert guarded(text) == text


@given(tables())
def test_markdown_reads_back(table: Table) -> None:
    columns, _ = table
    lines = written(table, "markdown").decode().split("\n")
    assert lines.pop() == ""
    header, rule, *rows = [cells_of_line(line) for line in lines]
    assert rule == ["---"] * len(columns)
    assert header == [column.name for column in columns]
    assert rows == [[as_text(value) for value in row] for row in rows_of(table)]


def cells_of_line(line: str) -> list[str]:
    found = re.fullmatch(r"\| (.*) \|", line)
    assert found, line
    return [html.unescape(cell) for cell in found[1].split(" | ")]


def test_markdown_has_no_markup_of_its_texts() -> None:
    table: Table = ((Column("name", "text"),), [[("<b>[x](http://x) `a|b`\n# c",)]])
    line = written(table, "markdown").decode().split("\n")[2]
    assert not set("<>[]()`#") & set(re.sub(r"&(?:#\d+|lt|gt|amp);", "", line))


def test_ids_in_markdown_are_as_they_are() -> None:
    table: Table = ((Column("free_products", "text"),), [[("sp_5730",)], [("_x_ a__b",)]])
    header, _, first, second, _ = written(table, "markdown").decode().split("\n")
    assert (header, first) == ("| free_products |", "| sp_5730 |")
    assert "_" not in second


@given(tables())
def test_parquet_reads_back(table: Table) -> None:
    columns, _ = table
    found = _parquet.read_table(io.BytesIO(written(table, "parquet")))
    assert found.schema.names == [column.name for column in columns]
    for index, column in enumerate(columns):
        values = found.column(index).to_pylist()
        assert values == [typed(row[index], column.kind) for row in rows_of(table)]


def typed(value: Value, kind: ColumnType) -> Any:
    if value is None:
        return None
    if kind == "json":
        return json.loads(str(value))
    if kind == "date":
        return date.fromisoformat(str(value))
    return datetime.fromisoformat(str(value)) if kind == "instant" else value


def test_fields_of_fields_are_columns_under_their_names() -> None:
    names = [column.name for column in columns_of(RankedSponsor)]
    assert names[:3] == ["rank", "sponsor.id", "sponsor.slug"]
    kinds = {column.name: column.kind for column in columns_of(SponsorVideo)}
    assert kinds["video.published_at"] == "date"
    assert kinds["confidence"] == "number"
    assert kinds["evidence.segment.start"] == "integer"


def test_what_an_entry_lacks_is_null() -> None:
    columns = (Column("a.b", "text"), Column("c", "json"))
    assert row_of({"a": None, "c": ["x", 1]}, columns) == (None, '["x",1]')


@pytest.mark.parametrize(
    ("sql_type", "values", "kind"),
    [
        ("smallint", [1, None], "integer"),
        ("bigint", [None], "integer"),
        ("numeric", [1, 2.5, "0.56388888888888888889"], "number"),
        ("numeric(30,2)", ["-123456789012345678.90"], "number"),
        ("numeric", ["9" * 400], "text"),
        ("double precision", [None, 0.5], "number"),
        ("boolean", [True], "boolean"),
        ("date", ["2026-11-02"], "date"),
        ("date", ["2026-11-02", "infinity"], "text"),
        ("timestamp with time zone", ["2026-11-02T10:00:00.25+00:00"], "instant"),
        ("timestamp with time zone", ["0044-03-15 00:00:00+00 BC"], "text"),
        ("timestamp without time zone", ["2026-11-02T10:00:00"], "text"),
        ("text", ["2026-11-02"], "text"),
        ("text[]", [["x"], None], "json"),
        ("interval", ["1 day"], "text"),
    ],
)
def test_columns_of_sql_are_of_its_types(
    sql_type: str, values: Sequence[Any], kind: ColumnType
) -> None:
    rows = [[value] for value in values]
    columns = columns_of_rows([("c", sql_type)], rows)
    assert [(column.name, column.kind) for column in columns] == [("c", kind)]
    table: Table = (columns, [[cells_of(row, columns) for row in rows]])
    assert _parquet.read_table(io.BytesIO(written(table, "parquet"))).num_rows == len(rows)


def test_columns_of_one_name_get_numbers() -> None:
    typed = [(name, "text") for name in ("a", "a_2", "a", "b", "a", "a_2")]
    names = [column.name for column in columns_of_rows(typed, [])]
    assert names == ["a", "a_2", "a_3", "b", "a_4", "a_2_2"]


def test_decimals_of_many_digits_are_numbers_in_every_file() -> None:
    rows = [["-0.56388888888888888889", ["x"]]]
    columns = columns_of_rows([("mean", "numeric"), ("names", "text[]")], rows)
    table: Table = (columns, [[cells_of(row, columns) for row in rows]])
    number = -0.56388888888888888889
    assert written(table, "csv").endswith(b'\r\n-0.56388888888888888889,"[""x""]"\r\n')
    assert json.loads(written(table, "jsonl")) == {"mean": number, "names": ["x"]}
    (row,) = _parquet.read_table(io.BytesIO(written(table, "parquet"))).to_pylist()
    assert row == {"mean": number, "names": ["x"]}


@pytest.mark.parametrize(
    ("sql_type", "values", "found"),
    [
        ("text[]", [["x", None], [], None], [["x", None], [], None]),
        ("bigint[]", [[1, 2], None], [[1, 2], None]),
        ("boolean[]", [[True]], [[True]]),
        ("numeric[]", [["0.56388888888888888889", 2]], [[0.5638888888888889, 2.0]]),
        ("date[]", [["2026-11-02"]], [[date(2026, 11, 2)]]),
        (
            "timestamp with time zone[]",
            [["2026-11-02T10:00:00+00:00"]],
            [[datetime(2026, 11, 2, 10, tzinfo=UTC)]],
        ),
        # What no type of items has stays text.
        ("date[]", [["2026-11-02", "infinity"]], ['["2026-11-02","infinity"]']),
        ("integer[]", [[[1, 2], [3, 4]]], ["[[1,2],[3,4]]"]),
    ],
)
def test_lists_of_sql_are_lists_of_their_type_in_parquet(
    sql_type: str, values: Sequence[Any], found: list[Any]
) -> None:
    rows = [[value] for value in values]
    columns = columns_of_rows([("c", sql_type)], rows)
    table: Table = (columns, [[cells_of(row, columns) for row in rows]])
    read = _parquet.read_table(io.BytesIO(written(table, "parquet")))
    assert read.column(0).to_pylist() == found


def test_lists_of_entries_are_lists_of_objects_in_parquet() -> None:
    # An older answer may lack fields.
    sponsorship = {"sponsor": {"slug": "a"}, "confidence": 0.5, "evidence": {"segment": {"end": 2}}}
    columns = [column for column in columns_of(YoutuberVideo) if column.name == "sponsorships"]
    row = row_of({"sponsorships": [sponsorship]}, columns)
    table: Table = (tuple(columns), [[row], [(None,)]])
    read = _parquet.read_table(io.BytesIO(written(table, "parquet")))
    first, second = read.column(0).to_pylist()
    (found,) = first
    assert (found["sponsor"]["slug"], found["confidence"], found["code"]) == ("a", 0.5, None)
    assert found["evidence"]["segment"]["end"] == 2
    assert second is None


@pytest.mark.parametrize(
    "tool", [tool for tool in all_tools() if tool.rows], ids=lambda tool: tool.name
)
def test_every_list_of_a_tool_has_a_type_in_parquet(tool: Tool) -> None:
    columns = columns_of_tool(tool) or ()
    assert all(column.items is not None for column in columns if column.kind == "json")
    read = _parquet.read_table(io.BytesIO(written((columns, []), "parquet")))
    assert read.schema.names == [column.name for column in columns]


def test_the_end_of_a_cut_file_says_so_where_the_format_has_a_place_for_it() -> None:
    columns = (Column("a", "integer"),)
    ends = {name: FILE_TYPES[name].writer(columns).end("Only one.") for name in FILE_TYPES}
    assert (ends["csv"], ends["jsonl"]) == (b"", b"")
    assert ends["markdown"] == b"\nOnly one.\n"
    file = _parquet.ParquetFile(io.BytesIO(ends["parquet"]))
    assert file.metadata.metadata[b"cut_off"] == b"Only one."
