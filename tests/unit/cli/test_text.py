"""Other people's texts neither style nor steer the terminal."""

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from cli.text import lines, one_line, printable


@given(st.text())
def test_every_text_is_one_printable_line_as_long_as_before(text: str) -> None:
    assert one_line(text).isprintable()
    assert len(one_line(text)) == len(text)


def test_markup_is_shown_as_it_was_written() -> None:
    assert Text.from_markup(printable("[red]No[/red]\x1b[2J")).plain == "[red]No[/red] [2J"


@given(st.text())
def test_lines_stay_and_nothing_else_that_is_not_printed(text: str) -> None:
    assert len(lines(text)) == len(text)
    assert lines(text).count("\n") == text.count("\n")
    assert all(item.isprintable() or item == "\n" for item in lines(text))
