"""Days that a text names in another form than YYYY-MM-DD."""

from datetime import date

import pytest

from servicekit.named_days import advice_on

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "first", "last", "unit"),
    [
        ("2023", "2023-01-01", "2023-12-31", "year"),
        ("2024-02", "2024-02-01", "2024-02-29", "month"),
        ("02/2023", "2023-02-01", "2023-02-28", "month"),
        ("March 2023", "2023-03-01", "2023-03-31", "month"),
        ("Sep. 2023", "2023-09-01", "2023-09-30", "month"),
        ("2023 dec", "2023-12-01", "2023-12-31", "month"),
        ("2023-Q1", "2023-01-01", "2023-03-31", "quarter"),
        ("Q4 2023", "2023-10-01", "2023-12-31", "quarter"),
    ],
)
def test_a_month_quarter_or_year_has_a_first_and_a_last_day(
    text: str, first: str, last: str, unit: str
) -> None:
    assert advice_on(text) == f"{first} is the first of that {unit}, {last} the last"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2023-01-01T00:00:00Z", "2023-01-01"),
        ("2023-01-31 23:59", "2023-01-31"),
        ("20230105", "2023-01-05"),
        ("2023/1/5", "2023-01-05"),
        ("March 5th, 2023", "2023-03-05"),
        ("5 March 2023", "2023-03-05"),
        ("Today", "2026-03-01"),
        ("yesterday", "2026-02-28"),
    ],
)
def test_a_time_or_word_is_of_one_day(text: str, day: str) -> None:
    assert advice_on(text, lambda: TODAY) == f"{day} is that day"


@pytest.mark.parametrize(
    "text",
    ["", "May", "01/02/2026", "2023-13", "2023-02-30T00:00", "Feb 30 2023", "Nay 2023", "2023-W05",
     "²023", "9" * 60, "2023-01-01Tx", "0000-01"],
)  # fmt: skip
def test_a_text_that_names_no_days_or_may_name_several_has_none(text: str) -> None:
    assert advice_on(text) is None
