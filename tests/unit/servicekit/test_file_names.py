"""Names of downloaded files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.file_names import file_name


@pytest.mark.parametrize(
    ("parts", "filters", "name"),
    [
        (["nordvpn", "youtubers"], {}, "nordvpn-youtubers.csv"),
        (
            ["sponsor", "top"],
            {"category": "tech", "since": "2023-01-01", "kinds": ["affiliate", "promo_code"]},
            "sponsor-top-category-tech-since-2023-01-01-kinds-affiliate-promo-code.csv",
        ),
        (["sponsor", "top"], {"min_confidence": 0.7}, "sponsor-top-min-confidence-0.7.csv"),
        (['a"\r\n/../b'], {}, "a-..-b.csv"),
        (["日", "youtubers"], {}, "youtubers.csv"),
        (["sponsor", "top"], {"category": None, "kinds": []}, "sponsor-top.csv"),
        (["sponsor", "top"], {"in_list": "Ünï"}, "sponsor-top-in-list-uni.csv"),
        (["日"], {}, "export.csv"),
        (["x" * 300], {}, "x" * 120 + ".csv"),
    ],
)
def test_a_file_is_named_by_what_is_in_it(
    parts: list[str], filters: dict[str, object], name: str
) -> None:
    assert file_name(parts, filters, "csv") == name


@given(st.lists(st.text(), min_size=1), st.dictionaries(st.text(), st.text()))
def test_a_name_is_one_segment_of_plain_characters(
    parts: list[str], filters: dict[str, str]
) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*\.csv", file_name(parts, filters, "csv"))


def test_values_in_other_alphabets_are_distinct() -> None:
    names = {file_name(["top"], {"in_list": words}, "csv") for words in ("日本", "中文", "Списък")}
    assert len(names) == 3
    assert all(re.fullmatch(r"top-in-list-[0-9a-f]{6}\.csv", name) for name in names)
