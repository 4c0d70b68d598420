"""Other people's texts neither style nor steer the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import RenderableType
from rich.status import Status
from rich.table import Table

from cli.text import PlainConsole, lines, one_line, plain_updates


@given(st.text())
def test_every_text_is_one_printable_line_as_long_as_before(text: str) -> None:
    assert one_line(text).isprintable()
    assert len(one_line(text)) == len(text)


@pytest.mark.parametrize("text", ["[/b]", "[red]No[/red]", ":bomb:"])
def test_what_looks_like_markup_is_shown_as_it_was_written(text: str) -> None:
    assert _printed(text) == f"{text}\n"


def test_a_text_steers_no_terminal() -> None:
    assert _printed("k\x1b]0;title\x07\x1b[2J\x9b2J") == "k ]0;title  [2J 2J\n"


def test_cells_of_a_table_are_plain_as_well() -> None:
    table = Table("name")
    table.add_row("[/b]\x1b[2J")

    assert "[/b] [2J" in _printed(table)


def test_a_text_beside_a_spinner_is_plain_and_keeps_its_tabs() -> None:
    status = Status("", console=PlainConsole())
    plain_updates(status)("\tUploading a[/b].tar\x07")
    assert str(status.status) == "\tUploading a[/b].tar "


def _printed(item: RenderableType) -> str:
    console = PlainConsole(width=80)
    with console.capture() as capture:
        console.print(item)
    return capture.get()


@given(st.text())
def test_lines_and_tabs_stay_and_nothing_else_that_is_not_printed(text: str) -> None:
    assert len(lines(text)) == len(text)
    assert lines(text).count("\n") == text.count("\n")
    assert all(item.isprintable() or item in "\n\t" for item in lines(text))
