"""Arguments and the catalogue."""

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gateway.domain.errors import InvalidArguments
from gateway.tools import ToolCatalogue, UnknownTool, all_tools

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


def test_a_country_is_accepted_in_either_case() -> None:
    assert _parsed("sponsor.search", {"country": "us"})["country"] == "US"


def test_days_are_dates_and_periods_have_the_names_of_the_wire() -> None:
    period = _parsed("sponsor.top", {"from": "2026-01-01", "to": "2026-01-01"})
    assert str(period["from_date"]) == str(period["to_date"]) == "2026-01-01"


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
    assert CATALOGUE.offered(["channel_import"]) == all_tools()
    without = [tool for tool in all_tools() if tool.feature is None]
    assert list(CATALOGUE.offered(())) == without != list(all_tools())
