"""CSV that no spreadsheet runs."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.csv_rows import csv_text, guarded

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\uff1d1", "\n=1"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_text_that_begins_a_formula_gets_an_apostrophe(cell: str) -> None:
    assert guarded(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", [-1, -0.5, None, True, "NordVPN", "a=b", "", "  ", "1-2"])
def test_everything_else_stays_as_it_is(cell: object) -> None:
    assert guarded(cell) is cell  # pyright: ignore[reportArgumentType]


@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\r\n\0"))), max_size=5))
def test_no_cell_that_is_read_begins_a_formula(rows: list[list[str]]) -> None:
    read = csv.reader(io.StringIO(csv_text(row for row in rows if row), newline=""))
    for row in read:
        for cell in row:
            assert cell.lstrip(" ")[:1] not in {*"=+-@\t"}


def test_a_line_ends_as_the_standard_has_it_and_quotes_are_doubled() -> None:
    assert csv_text([["a", 'b"c'], [1, None]]) == 'a,"b""c"\r\n1,\r\n'
