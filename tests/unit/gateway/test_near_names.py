"""What refused arguments may have meant."""

from typing import Any

import pytest

from gateway.domain.errors import InvalidArguments
from gateway.tools import ToolCatalogue, all_tools
from gateway.tools._near_names import _ARGUMENTS, _VALUES

CATALOGUE = ToolCatalogue(all_tools())


def _refusal(tool: str, arguments: dict[str, Any]) -> str:
    with pytest.raises(InvalidArguments) as caught:
        CATALOGUE.find(tool).params.parse(arguments)
    return caught.value.public_message


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("sponsor.top", {"kinds": ["paid"]}, "paid_sponsorship"),
        ("sponsor.top", {"kinds": ["gifted"]}, "free_product"),
        ("sponsor.top", {"kinds": ["promo code"]}, "promo_code"),
        ("sponsor.top", {"kinds": ["Promo-Codes"]}, "promo_code"),
        ("sponsor.top", {"metric": "Creators"}, "creators"),
        ("sponsor.top", {"metric": "channel"}, "creators"),
        ("sponsor.youtubers", {"sponsor": "x", "status": "inactive"}, "lapsed"),
        ("catalog.resolve", {"names": ["x"], "type": "brand"}, "sponsor"),
        ("watch.create", {"about": "brand", "subject": "x"}, "sponsor"),
        ("category.list", {"scope": "brands"}, "sponsor"),
        ("video.search", {"about": "x", "format": "shorts"}, "short"),
        ("sponsor.trends", {"direction": "risng"}, "rising"),
    ],
)
def test_an_enumerated_value_that_is_nearly_one_means_it(
    tool: str, arguments: dict[str, Any], meant: str
) -> None:
    assert _refusal(tool, arguments).endswith(f'. Did you mean "{meant}"?')


@pytest.mark.parametrize("value", ["x", "", "best", 5, None, ["videos"]])
def test_a_value_that_is_none_of_them_by_far_gets_no_proposal(value: object) -> None:
    assert "Did you mean" not in _refusal("sponsor.top", {"kinds": [value, 1]})


@pytest.mark.parametrize(
    ("tool", "arguments", "meant"),
    [
        ("sponsor.top", {"kinds": "paid_sponsorship"}, '["paid_sponsorship"]'),
        ("sponsor.top", {"kinds": "paid, promo code"}, '["paid_sponsorship","promo_code"]'),
        ("sponsor.top", {"fields": "sponsor.name"}, '["sponsor.name"]'),
        ("sponsor.top", {"fields": "sponsors.{videos,views}"}, '["sponsors.{videos,views}"]'),
        ("sponsor.compare", {"sponsors": "nordvpn, surfshark"}, '["nordvpn","surfshark"]'),
    ],
)
def test_a_text_for_a_list_means_the_list(tool: str, arguments: dict[str, Any], meant: str) -> None:
    assert _refusal(tool, arguments).endswith(f". Did you mean {meant}?")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("sponsor.compare", {"sponsors": "nordvpn"}),
        ("sponsor.top", {"kinds": "paid," * 1_000}),
        ("sponsor.top", {"kinds": "paid, nonsense"}),
        ("sponsor.top", {"kinds": ", "}),
    ],
)
def test_a_text_that_is_no_list_which_would_be_taken_gets_no_proposal(
    tool: str, arguments: dict[str, Any]
) -> None:
    assert "Did you mean" not in _refusal(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "name", "meant"),
    [
        ("sponsor.search", "query", "search"),
        ("sponsor.search", "q", "search"),
        ("sponsor.search", "name", "search"),
        ("sponsor.get", "query", "sponsor"),
        ("sponsor.get", "name", "sponsor"),
        ("youtuber.get", "channelId", "youtuber"),
        ("video.search", "query", "about"),
        ("video.get", "url", "video"),
        ("sponsor.search", "maxResults", "limit"),
        ("sponsor.search", "sortBy", "sort"),
        ("catalog.export", "limit", "rows"),
        ("sponsor.top", "startDate", "since"),
        ("sponsor.top", "end", "until"),
        ("sponsor.search", "from", "active_since"),
        ("sponsor.search", "offset", "cursor"),
        ("sponsor.compare", "brands", "sponsors"),
        ("youtuber.sharedSponsors", "creators", "youtubers"),
        ("youtuber.sponsors", "creator", "youtuber"),
        ("catalog.resolve", "name", "names"),
        ("list.add", "name", "names"),
        ("channel.import", "channels", "channel"),
        ("channel.bulkImport", "channel_id", "channels"),
        ("list.create", "list_name", "name"),
        ("youtuber.get", "youtube_id", "youtuber"),
        ("sponsorship.report", "brand_name", "brand"),
    ],
)
def test_a_name_for_another_argument_means_that_of_the_tool(
    tool: str, name: str, meant: str
) -> None:
    assert f"`{name}` is not an argument. Did you mean `{meant}`?" in _refusal(tool, {name: "x"})


def test_a_name_for_an_argument_that_the_tool_lacks_does_not_mean_one_that_looks_alike() -> None:
    assert "`query` is not an argument. This tool takes" in _refusal(
        "sponsor.trends", {"query": "x"}
    )


def test_every_argument_that_is_proposed_is_one_of_some_tool() -> None:
    names = {name for tool in all_tools() for name in tool.input_schema["properties"]}
    assert {item for _, meant in _ARGUMENTS for item in meant} <= names


def test_every_group_of_words_has_a_value_of_some_tool() -> None:
    values = set[str]()
    for tool in all_tools():
        for field in tool.input_schema["properties"].values():
            enumerated = field.get("enum", field.get("items", {}).get("enum", ()))
            values |= {value.casefold().removesuffix("s") for value in enumerated}
    assert not [words for words in _VALUES if not words & values]
