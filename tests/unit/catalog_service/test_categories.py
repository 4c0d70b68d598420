"""The vocabularies of categories."""

import pytest

from catalog_service.domain import arguments, categories
from catalog_service.domain.categories import VOCABULARY, Scope
from catalog_service.domain.errors import BadArgument


@pytest.mark.parametrize("scope", ["sponsor", "content"])
def test_every_category_is_known_by_id_and_by_name(scope: Scope) -> None:
    for entry in VOCABULARY[scope]:
        assert categories.category_id(scope, entry.id) == entry.id
        named = categories.category_id(scope, f" {entry.name.upper()} ")
        assert named is not None
        assert categories.names(scope)[named].casefold() == entry.name.casefold()


def test_a_group_stands_for_itself_and_all_of_its_categories() -> None:
    gaming = arguments.sponsor_categories("category", "gaming")
    assert gaming == ("gaming", "games", "gaming-gear")
    assert arguments.sponsor_categories("category", "Technology") == arguments.sponsor_categories(
        "category", "tech"
    )
    assert arguments.sponsor_categories("category", "other") == ("other",)


def test_a_scope_holds_the_categories_that_its_name_stands_for() -> None:
    for entry in VOCABULARY["sponsor"]:
        held = {category for category, scope in categories.SCOPES if scope == entry.id}
        assert held == set(arguments.sponsor_categories("category", entry.id) or ())
    everything = {category for category, scope in categories.SCOPES if scope == categories.ALL}
    assert everything == {categories.ALL, *(entry.id for entry in VOCABULARY["sponsor"])}


@pytest.mark.parametrize(
    ("scope", "text", "expected"),
    [
        ("sponsor", "VPN", "security"),
        ("sponsor", "crypto", "crypto"),
        ("content", "technology", "science-technology"),
        ("content", "Howto & Style", "howto-style"),
        ("content", "vpn", None),
        ("sponsor", "music", None),
        ("sponsor", "gambling", "betting"),
        ("sponsor", "Sports", "sports-outdoors"),
        ("content", "sports", "sports"),
        ("sponsor", "Musical instruments", "instruments"),
        ("sponsor", "tickets", "events"),
        ("sponsor", "ticket", "events"),
        ("sponsor", "Lottery", "betting"),
        ("sponsor", "casino", "betting"),
        ("sponsor", "sport", "sports-outdoors"),
        ("sponsor", "bookmaker", "betting"),
        ("content", "vlog", "people-blogs"),
        ("content", "animal", "pets-animals"),
        ("sponsor", "s", None),
        ("sponsor", "", None),
    ],
)
def test_synonyms(scope: Scope, text: str, expected: str | None) -> None:
    assert categories.category_id(scope, text) == expected


def test_every_synonym_leads_to_a_category() -> None:
    for scope, spellings in categories._SPELLINGS.items():
        assert set(spellings.values()) <= set(categories.names(scope))


def test_an_unknown_category_names_the_nearest_and_what_is_allowed() -> None:
    with pytest.raises(BadArgument, match=r"Did you mean finance\?") as caught:
        arguments.sponsor_categories("category", "finanse")
    assert caught.value.details["field"] == "category"
    assert "gaming-gear" in caught.value.details["allowed"]
    with pytest.raises(BadArgument, match="content category") as caught:
        arguments.content_category("content_category", "finance")
    assert "Did you mean" not in caught.value.public_message


def test_a_category_of_the_other_vocabulary_is_named_with_the_argument_that_takes_it() -> None:
    with pytest.raises(BadArgument) as caught:
        arguments.content_category("content_category", "vpn", sponsor_field="category")
    assert caught.value.public_message == (
        "`content_category` 'vpn' is no content category. It is a sponsor category: give it as `category`."
    )
    assert "film-animation" in caught.value.details["allowed"]
    with pytest.raises(
        BadArgument, match="It is a content category: give it as `content_category`"
    ):
        arguments.sponsor_categories("category", "Music", content_field="content_category")


def test_a_category_of_the_other_vocabulary_that_no_argument_takes_is_said_to_be_one() -> None:
    with pytest.raises(
        BadArgument, match=r"a content category, which this tool does not take\. Allowed: tech"
    ):
        arguments.sponsor_categories("category", "science-technology")
