"""Arguments and the catalogue."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gateway.domain.errors import InvalidArguments
from gateway.tools import Tool, ToolCatalogue, UnknownTool, all_tools
from tests.fakes.listed_tools import LISTED

CATALOGUE = ToolCatalogue(all_tools())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
NAMES = sorted({name for tool in all_tools() for name in tool.input_schema["properties"]})


def _parsed(tool: str, arguments: dict[str, Any]) -> dict[str, object]:
    return CATALOGUE.find(tool).params.parse(arguments).provided()


def test_null_counts_as_absent() -> None:
    assert _parsed("sponsor.search", {"search": None, "category": None}) == {
        "limit": 10,
        "sort": "relevance",
    }


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_arguments_mean_the_same_with_every_other_one_null(tool: Tool) -> None:
    """Those that fit as they are take a shorter way than those that have to be fitted."""
    properties = tool.input_schema["properties"]
    required: dict[str, Any] = {
        name: ["nordvpn", "surfshark"] if schema.get("type") == "array" else "@mkbhd"
        for name, schema in properties.items()
        if name in tool.input_schema.get("required", ())
    }
    if "about" in required:
        required |= {"about": "sponsor"} if tool.name == "watch.create" else {}
    if "type" in required:
        required |= {"type": "sponsor"}
    if "kind" in required:
        required |= {"kind": "wrong", "video": "v_3", "sponsor": "nordvpn"}
    has_limit = "limit" in properties
    as_listed = {**required, **({"limit": 7} if has_limit else {})}
    nulls = dict.fromkeys(properties.keys() - required.keys())
    to_be_fitted = {**nulls, **required, **({"limit": 7.0} if has_limit else {})}
    assert tool.params.parse(to_be_fitted).cache_key() == tool.params.parse(as_listed).cache_key()


def test_blanks_of_optional_arguments_count_as_absent() -> None:
    """Models that have to send every argument send these for what they leave out."""
    blanks: dict[str, object] = {
        "category": "",
        "country": "",
        "kinds": [],
        "since": "",
        "cursor": "",
        "metric": "",
    }
    assert _parsed("sponsor.top", blanks) == _parsed("sponsor.top", {})


def test_a_required_argument_is_not_blank() -> None:
    required: dict[str, dict[str, object]] = {
        "sponsor.get": {"sponsor": ""},
        "sponsor.compare": {"sponsors": []},
    }
    for tool, arguments in required.items():
        with pytest.raises(InvalidArguments):
            _parsed(tool, arguments)


def test_a_country_is_accepted_in_either_case() -> None:
    assert _parsed("sponsor.search", {"country": "us"})["country"] == "US"


def test_blanks_around_a_code_and_a_country_are_no_part_of_them() -> None:
    assert _parsed("code.search", {"code": "  boss "})["code"] == "boss"
    assert _parsed("sponsor.top", {"country": " de "})["country"] == "DE"


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "sponsor.top",
            {"country": "Germany"},
            '`country` was "Germany"; it must be a country code of two letters (ISO 3166-1 alpha-2), such as "US": DE is Germany\'s.',
        ),
        (
            "sponsor.top",
            {"since": "2023"},
            '`since` was "2023"; it must be a day as YYYY-MM-DD: 2023-01-01 is the first of that year, 2023-12-31 the last.',
        ),
        (
            "sponsor.top",
            {"since": "2024-02-30"},
            '`since` was "2024-02-30": the calendar has no such day.',
        ),
        (
            "code.search",
            {"code": "bo ss"},
            '`code` was "bo ss"; it must be a string of 2 to 60 characters without blanks, such as "NORD20".',
        ),
    ],
)
def test_a_refused_string_says_what_it_lacks(
    tool: str, arguments: dict[str, Any], expected: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        _parsed(tool, arguments)
    assert caught.value.public_message == expected


def test_days_are_dates_and_periods_have_the_names_of_the_wire() -> None:
    period = _parsed("sponsor.top", {"since": "2026-01-01", "until": "2026-01-01"})
    assert str(period["from_date"]) == str(period["to_date"]) == "2026-01-01"


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "sponsor.compare",
            {"sponsors": ["nordvpn"]},
            '`sponsors` was ["nordvpn"]; it must be a list of 2 to 5 strings of 1 to 200 characters.',
        ),
        (
            "sponsor.compare",
            {"sponsors": []},
            "`sponsors` was []; it must be a list of 2 to 5 strings of 1 to 200 characters.",
        ),
        (
            "youtuber.sharedSponsors",
            {},
            "`youtubers` is required: a list of 2 to 5 strings of 1 to 200 characters. Two to five "
            "creators: id, channel id (UC…), @handle, channel URL or name of each.",
        ),
        (
            "list.create",
            {"name": "Prospects", "type": "sponsor", "names": "nordvpn"},
            '`names` was "nordvpn"; it must be a list of up to 100 strings of 1 to 200 characters (default []). '
            'Did you mean ["nordvpn"]?',
        ),
        (
            "watch.create",
            {"about": "quota", "kinds": ["x"]},
            'Entry 1 of `kinds` was "x"; it must be one of "sponsorship.new", "sponsorship.first", '
            '"relation.lapsed", "import.finished", "quota.reached", "report.decided".',
        ),
    ],
)
def test_a_refused_list_says_how_many_of_what_it_takes(
    tool: str, arguments: dict[str, Any], expected: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        _parsed(tool, arguments)
    assert caught.value.public_message == expected


# How fast values are made says something about the machine only.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(all_tools()), st.dictionaries(st.sampled_from(NAMES) | st.text(), VALUES))
def test_any_arguments_are_accepted_or_refused_in_words(
    tool: Any, arguments: dict[str, Any]
) -> None:
    words = "Taken."
    try:
        tool.params.parse(arguments)
    except InvalidArguments as refusal:
        words = refusal.public_message
    assert words.endswith((".", "?"))


@given(st.text())
def test_any_unknown_name_is_refused_in_few_words(name: str) -> None:
    assume(name not in {n for tool in all_tools() for n in (tool.name, tool.alias)})
    with pytest.raises(UnknownTool) as caught:
        CATALOGUE.find(name)
    assert len(caught.value.public_message) < 250


def test_the_order_of_the_list_is_the_order_of_the_families() -> None:
    assert CATALOGUE.offered(["channel_import"]) == LISTED
    without = [tool for tool in LISTED if tool.feature is None]
    assert list(CATALOGUE.offered(())) == without != list(LISTED)


def test_a_tool_that_is_not_listed_by_default_is_listed_for_its_toolset_and_can_be_called() -> None:
    common, rare = CATALOGUE.find("sponsor.search"), CATALOGUE.find("sponsor.get")
    catalogue = ToolCatalogue([common, replace(rare, by_default=False)])
    assert [tool.name for tool in catalogue.offered(())] == ["sponsor.search"]
    assert [tool.name for tool in catalogue.offered((), frozenset({"sponsors"}))] == [
        "sponsor.search",
        "sponsor.get",
    ]
    assert catalogue.find("sponsor.get").name == "sponsor.get"
