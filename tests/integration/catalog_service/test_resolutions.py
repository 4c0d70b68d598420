"""Many names are turned into ids in one request."""

import pytest

from servicekit.errors import InvalidInput
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import ADA_CHANNEL


async def test_each_name_has_its_own_resolution_in_the_order_of_the_names(catalog: Catalog) -> None:
    names = [
        "azuravpn.com",
        "@adaloeve",
        "Echo",
        "azzura vpn",
        "qqqqzzzz",
        ADA_CHANNEL,
        "azuravpn.com",
    ]
    response = await catalog.call("Resolve", names=names, type="any")
    assert [item.name for item in response.resolutions] == names
    assert [item.status for item in response.resolutions] == [
        "found",
        "found",
        "several",
        "similar",
        "unknown",
        "found",
        "found",
    ]
    assert (response.found, response.unclear, response.unknown) == (4, 2, 1)
    azura, ada, echo, similar, unknown, channel, again = response.resolutions
    sponsor = await catalog.call("GetSponsor", sponsor="azura-vpn")
    youtuber = await catalog.call("GetYoutuber", youtuber="ada")
    assert azura.id == again.id == sponsor.sponsor.id
    assert ada.id == channel.id == youtuber.youtuber.id
    assert [match.hint.split(",")[0] for match in echo.matches] == [
        "echobooks.com",
        "echotools.com",
    ]
    assert not echo.HasField("id")
    assert {match.is_exact for match in echo.matches} == {True}
    assert similar.matches[0].name == "Azura VPN"
    assert {match.is_exact for match in similar.matches} == {False}
    assert not unknown.matches


async def test_a_type_leaves_out_what_is_no_name_of_it(catalog: Catalog) -> None:
    names = ["azura-vpn", "@adaloeve"]
    for kind, statuses in (("sponsor", ["found", "unknown"]), ("youtuber", ["unknown", "found"])):
        response = await catalog.call("Resolve", names=names, type=kind)
        assert [item.status for item in response.resolutions] == statuses
        for item in response.resolutions:
            assert {match.type for match in item.matches} <= {kind}


async def test_a_name_of_a_brand_and_a_creator_is_several(catalog: Catalog) -> None:
    sponsor = await catalog.call("GetSponsor", sponsor="azura-vpn")
    newest = await catalog.call("ListSponsorVideos", sponsor=sponsor.sponsor.id)
    video_id = newest.videos[0].video.id
    response = await catalog.call("Resolve", names=[video_id], type="any")
    (item,) = response.resolutions
    assert item.status == "several"
    assert {match.type for match in item.matches} == {"sponsor", "youtuber"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "1 to 100 names, not 0"),
        (["azura"] * 101, "1 to 100 names, not 101"),
        (["azura", " "], r"names\[1\]"),
        (["x" * 301], r"names\[0\]"),
    ],
    ids=["none", "too many", "an empty one", "a long one"],
)
async def test_a_bad_name_is_refused_by_its_place(
    catalog: Catalog, names: list[str], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        await catalog.call("Resolve", names=names, type="any")


async def test_what_is_only_near_to_a_name_is_similar_and_no_find(catalog: Catalog) -> None:
    names = ["echotools", "Азура VPN", "azura vpn", "azura-vpn", "https://azuravpn.com/x"]
    response = await catalog.call("Resolve", names=names, type="sponsor")
    statuses = {item.name: item.status for item in response.resolutions}
    assert statuses == {
        "echotools": "similar",
        "Азура VPN": "similar",
        "azura vpn": "found",
        "azura-vpn": "found",
        "https://azuravpn.com/x": "found",
    }
    assert not any(
        match.is_exact
        for item in response.resolutions
        if item.status == "similar"
        for match in item.matches
    )


async def test_a_page_of_another_site_is_no_creator(catalog: Catalog) -> None:
    names = ["https://evil.example/@adaloeve", "https://evil.example/adaloeve"]
    response = await catalog.call("Resolve", names=names, type="youtuber")
    assert [item.status for item in response.resolutions] == ["unknown", "unknown"]


async def test_a_channel_of_youtube_that_is_not_known_is_like_no_brand(catalog: Catalog) -> None:
    names = ["https://www.youtube.com/@azuravpn1", "https://m.youtube.com/@azuravpn1"]
    response = await catalog.call("Resolve", names=names, type="sponsor")
    assert [item.status for item in response.resolutions] == ["unknown", "unknown"]


async def test_a_category_is_said_to_be_one(catalog: Catalog) -> None:
    response = await catalog.call("Resolve", names=["Gaming", "azura-vpn"], type="any")
    assert response.resolutions[0].status in ("similar", "unknown")
    assert response.note.startswith("'Gaming' is a category, no brand or creator: `category.list`")
    without = await catalog.call("Resolve", names=["azura-vpn"], type="any")
    assert not without.HasField("note")


@pytest.mark.parametrize(
    ("kind", "name", "note"),
    [("sponsor", "Ada Loeve", "is a creator, no brand."), ("youtuber", "Azura VPN", "is a brand, no creator.")],
)  # fmt: skip
async def test_a_name_of_the_kind_that_is_left_out_is_said_to_be_one(
    catalog: Catalog, kind: str, name: str, note: str
) -> None:
    (known,) = (await catalog.call("Resolve", names=[name], type="any")).resolutions

    response = await catalog.call("Resolve", names=["qqqqzzzz", name], type=kind)
    both = await catalog.call("Resolve", names=[name], type="any")

    assert response.note == f"'{name}' ({known.id}) {note}"
    assert not both.HasField("note")
