"""Suggestions for a name that the catalogue does not know."""

import pytest

from servicekit.errors import NotFound
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import sponsor, youtuber

_NAMES = ["Evelinushka", "Paulinus", "Pro Linus Show", "Linusfan", "Linuz"]
_CALLS = [("GetYoutuber", "youtuber"), ("GetSponsor", "sponsor")]


async def _suggested(catalog: Catalog, rpc: str, field: str, text: str) -> str:
    with pytest.raises(NotFound) as caught:
        await catalog.call(rpc, **{field: text})
    return caught.value.public_message.partition("Did you mean ")[2].removesuffix("?")


async def _ingest(catalog: Catalog, names: list[str]) -> None:
    items = [youtuber(f"y{number}", name) for number, name in enumerate(names)]
    items += [
        sponsor(f"s-{number}", name, f"s{number}.example", None)
        for number, name in enumerate(names)
    ]
    assert not (await catalog.ingest(items)).rejected


@pytest.mark.parametrize(("rpc", "field"), _CALLS)
async def test_suggestions_have_the_text_as_a_word_before_they_are_spelled_like_it(
    empty_catalog: Catalog, rpc: str, field: str
) -> None:
    await _ingest(empty_catalog, _NAMES)
    found = await _suggested(empty_catalog, rpc, field, "Linus")
    assert found == "Pro Linus Show, Linusfan or Linuz"


@pytest.mark.parametrize(("rpc", "field"), _CALLS)
async def test_a_name_with_the_text_inside_of_a_longer_word_is_not_suggested(
    empty_catalog: Catalog, rpc: str, field: str
) -> None:
    await _ingest(empty_catalog, ["Evelinushka", "Paulinus"])
    assert await _suggested(empty_catalog, rpc, field, "Linus") == ""
    resolved = await empty_catalog.call("Resolve", names=["Linus"], type=field)
    assert resolved.resolutions[0].status == "unknown"
