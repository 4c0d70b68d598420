"""Rows of faults are written into docs/reliability.md."""

import pytest

from tests.faults.reliability import HEAD, PAGE, Row, merged

EMPTY = "# Page\n\n<!-- rows: a -->\n<!-- end: a -->\n\nMore.\n<!-- rows: b -->\n<!-- end: b -->\n"


def row(fault: str, section: str = "a", **changes: object) -> Row:
    facts: dict[str, object] = {
        "promised": "nothing goes",
        "requests": 1_200,
        "errors": {"cut": 1, "503 unavailable": 20},
        "lost": 0,
        "double": 0,
        "seconds": 0.42,
    }
    return Row(section=section, fault=fault, **(facts | changes))  # type: ignore[arg-type]


def test_a_row_stands_in_its_section_and_the_rest_stays() -> None:
    page = merged(EMPTY, [row("killed")])
    line = "| killed | nothing goes | 1,200 | 20 × 503 unavailable, 1 × cut | 0 | 0 | 0.4 s |\n"
    assert page == EMPTY.replace("<!-- rows: a -->\n", f"<!-- rows: a -->\n{HEAD}{line}")


def test_a_later_run_replaces_the_row_of_the_same_fault_alone() -> None:
    first = merged(EMPTY, [row("killed", requests=1), row("hung", requests=2)])
    later = merged(first, [row("killed", requests=3)])
    assert later == merged(EMPTY, [row("killed", requests=3), row("hung", requests=2)])


def test_a_row_without_errors_or_recovery_says_so() -> None:
    assert "| none | 0 | 0 | – |" in merged(EMPTY, [row("slow", errors={}, seconds=None)])


def test_a_section_that_the_page_lacks_is_no_place_for_a_row() -> None:
    with pytest.raises(LookupError, match="no section c"):
        merged(EMPTY, [row("killed", section="c")])


@pytest.mark.parametrize("section", ["processes", "postgres", "peers", "rush"])
def test_the_page_has_every_section(section: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert merged(page, [row("a fault of this test", section=section)]) != page
