"""Searches by typing errors, ids, addresses and other alphabets find what a lookup finds."""

from collections.abc import AsyncGenerator, Callable

import pytest

from servicekit.errors import NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import ADA_CHANNEL, claim, sponsor, video, youtuber

PAID = "paid_sponsorship"
MORE = [
    sponsor("raycon", "Raycon", "rayconglobal.com", "electronics"),
    sponsor("raycommerce", "Raycommerce", "raycommerce.com", "retail"),
    sponsor("soraycom", "Soraycom", "soraycom.com", "telecom"),
    sponsor("motion-array", "Motion Array", "motionarray.com", "software"),
    sponsor("ray", "Rays of Light", "ray.com", "software"),
    sponsor("nordvpn", "NordVPN", "nordvpn.com", "security", aliases=["NordVPN.net"]),
    sponsor("ford", "Ford", "ford.com", "automotive"),
    sponsor("yandex", "Яндекс", "ya.ru", "software"),
    sponsor("laugh", "\U0001f602" * 100, "laugh.com", None),
    sponsor("wide", "\ufdfa" * 200, "wide.com", None),
    sponsor("long", "Wulkramindopestavilzonurketarmipolsuvandrikesomalturi GmbH", "wulk.com", None),
    youtuber("eve", "Ева Хайруллина"),
    sponsor("zqx-free", "Zqx Free", "zqx-free.com", "software"),
    sponsor("pro-zqx", "ProZqx", "prozqx.com", "software"),
    sponsor("zqy", "Zqy", "zqy.com", "software"),
    sponsor("qvark-home", "Qvark Home", "qvarkhome.com", "retail"),
    sponsor("qvarkoon", "Qvarkoon", "qvarkoon.com", "retail"),
    sponsor("surfqvark", "Surfqvark", "surfqvark.com", "security"),
    sponsor("wox-de", "Wox.de", "wox.de", "retail"),
    sponsor("woxplus", "WoxPlus", "woxplus.com", "electronics"),
    sponsor("hvoz", "Hvoz", "hvoz.com", "retail", aliases=["HVS"]),
    sponsor("hvoz-store", "Hvoz Store", "hvozstore.com", "retail"),
    sponsor("hvsmart", "HVSmart", "hvsmart.com", "retail"),
    youtuber("yan", "Yan"),
    video("y1", "yan", "2023-05-01", 1, claim("pro-zqx", PAID, 0.9), claim("zqy", PAID, 0.9)),
    video("y2", "yan", "2023-05-02", 1, claim("surfqvark", PAID, 0.9), claim("woxplus", PAID, 0.9)),
    video(
        "y3", "yan", "2023-05-03", 1, claim("hvoz-store", PAID, 0.9), claim("hvsmart", PAID, 0.9)
    ),
]


@pytest.fixture(scope="module")
async def catalog(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    async with running_catalog(new_settings(fresh_database())) as running:
        assert not (await running.ingest([*example.FACTS, *MORE])).rejected
        yield running


async def sponsors(catalog: Catalog, search: str, **more: str) -> list[str]:
    response = await catalog.call("SearchSponsors", search=search, **more)
    return [card.slug for card in response.sponsors]


async def youtubers(catalog: Catalog, search: str) -> list[str]:
    response = await catalog.call("SearchYoutubers", search=search)
    return [card.name for card in response.youtubers]


async def test_a_match_inside_does_not_hide_a_typing_error(catalog: Catalog) -> None:
    assert await sponsors(catalog, "raycom") == ["raycommerce", "raycon", "soraycom"]


async def test_brands_with_videos_come_first_and_few_letters_are_part_of_a_name(
    catalog: Catalog,
) -> None:
    assert await sponsors(catalog, "zqx") == ["pro-zqx", "zqy", "zqx-free"]
    assert await sponsors(catalog, "zqx free") == ["zqx-free"]


@pytest.mark.parametrize(
    ("search", "slugs"),
    [
        ("qvark", ["surfqvark", "qvark-home", "qvarkoon"]),
        # The first part of a domain is no name.
        ("wox", ["woxplus", "wox-de"]),
        ("wox.de", ["wox-de"]),
        # A name is exact with and without videos, and so is an alias.
        ("hvoz", ["hvoz", "hvoz-store"]),
        ("hvs", ["hvoz", "hvsmart"]),
    ],
)
async def test_brands_with_videos_come_before_all_without_but_an_exact_name(
    catalog: Catalog, search: str, slugs: list[str]
) -> None:
    assert await sponsors(catalog, search) == slugs
    first = await catalog.call("SearchSponsors", search=search, limit=1)
    assert [card.slug for card in first.sponsors] == slugs[:1]


async def test_the_suffix_of_a_domain_is_no_part_of_a_name(catalog: Catalog) -> None:
    assert await sponsors(catalog, "ray.com") == ["ray"]
    assert await sponsors(catalog, "motionarray.com") == ["motion-array"]
    assert (await sponsors(catalog, "motionaray.com"))[0] == "motion-array"
    assert "motion-array" not in await sponsors(catalog, "rayco")
    with pytest.raises(NotFound, match="Did you mean Raycommerce"):
        await catalog.call("GetSponsor", sponsor="raycom")
    assert (await catalog.call("GetSponsor", sponsor="ray.com")).sponsor.slug == "ray"


@pytest.mark.parametrize(
    ("search", "slug"),
    [
        ("fodr", "ford"),
        ("fod", "ford"),
        ("foord", "ford"),
        ("fxord", "ford"),
        ("lord", "ford"),
        ("ehco", "echo-books"),
        ("nrodvpn", "nordvpn"),
    ],
)
async def test_one_typing_error_is_found_in_short_names_too(
    catalog: Catalog, search: str, slug: str
) -> None:
    assert (await sponsors(catalog, search))[0] == slug


async def test_a_letter_that_moved_far_is_no_typing_error(catalog: Catalog) -> None:
    assert "ford" not in await sponsors(catalog, "ordf")


async def test_an_exact_name_is_not_followed_by_what_it_might_have_been(catalog: Catalog) -> None:
    assert await sponsors(catalog, "ford") == ["ford"]


async def test_typing_errors_are_found_in_creators_too(catalog: Catalog) -> None:
    assert await youtubers(catalog, "bbo cooks") == ["Bob Cooks"]
    assert await youtubers(catalog, "ADaleove") == ["Ada Löve"]


@pytest.mark.parametrize(
    "search",
    [
        "azuravpn.com",
        "https://go.azuravpn.com/aff_c?offer_id=15&aff_id=1",
        "https://azuravpn.com",
        "https://azura.sjv.io/Xy12",
        "azuravpn.onelink.me/9Z?pid=1",
        "azura-vpn",
    ],
)
async def test_a_sponsor_is_searched_by_what_a_lookup_takes(catalog: Catalog, search: str) -> None:
    assert await sponsors(catalog, search) == ["azura-vpn"]
    assert (await catalog.call("GetSponsor", sponsor=search)).sponsor.slug == "azura-vpn"


async def test_an_id_finds_its_sponsor_and_filters_still_hold(catalog: Catalog) -> None:
    number = (await catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor.id
    assert await sponsors(catalog, number) == ["azura-vpn"]
    assert await sponsors(catalog, number, country="PA") == ["azura-vpn"]
    assert await sponsors(catalog, number, country="US") == []
    assert await sponsors(catalog, "sp_999999") == []


async def test_an_unknown_address_of_a_brand_is_searched_by_its_name(catalog: Catalog) -> None:
    assert (await sponsors(catalog, "https://www.nordvpn.example/deal"))[0] == "nordvpn"
    assert await sponsors(catalog, "https://__.com/x") == []


@pytest.mark.parametrize(
    "search",
    [
        "https://youtu.be/aaaaaaaaaa1?t=3",
        "youtube.com/watch?v=aaaaaaaaaa1",
        "aaaaaaaaaa1",
        "Who sponsored https://youtu.be/aaaaaaaaaa1?",
    ],
)
async def test_a_video_finds_its_sponsors_and_its_creator(catalog: Catalog, search: str) -> None:
    assert await sponsors(catalog, search) == ["azura-vpn"]
    assert await youtubers(catalog, search) == ["Ada Löve"]
    assert (await catalog.call("GetYoutuber", youtuber=search)).youtuber.name == "Ada Löve"
    video = (await catalog.call("ListYoutuberVideos", youtuber="ada", limit=50)).videos[-1].video
    assert await youtubers(catalog, video.id) == ["Ada Löve"]


async def test_a_name_that_looks_like_the_id_of_a_video_is_still_a_name(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [sponsor("proton", "Proton-VPN1", "p.example", None), youtuber("l", "Lab-Muffin9")]
    )
    assert await sponsors(own_catalog, "Proton-VPN1") == ["proton"]
    assert await sponsors(own_catalog, "Proton-VPM1") == ["proton"]
    assert await youtubers(own_catalog, "Lab-Muffin9") == ["Lab-Muffin9"]
    assert (await own_catalog.call("GetSponsor", sponsor="Proton-VPN1")).sponsor.slug == "proton"


async def test_what_a_video_says_before_the_name_is_left_out(catalog: Catalog) -> None:
    assert await sponsors(catalog, "This video is sponsored by Azura VPN") == ["azura-vpn"]
    assert (await sponsors(catalog, "this episode was brought to you by nordvpn"))[0] == "nordvpn"


async def test_a_short_link_names_no_sponsor(catalog: Catalog) -> None:
    assert await sponsors(catalog, "https://bit.ly/azura") == []


async def test_an_unknown_video_finds_nothing(catalog: Catalog) -> None:
    assert await sponsors(catalog, "https://youtu.be/zzzzzzzzzzz") == []
    assert await youtubers(catalog, "https://youtu.be/zzzzzzzzzzz") == []


@pytest.mark.parametrize(
    "search",
    [ADA_CHANNEL, f"https://www.youtube.com/channel/{ADA_CHANNEL}", "@adaloeve", "@adalove"],
)
async def test_a_creator_is_searched_by_id_url_and_handle(catalog: Catalog, search: str) -> None:
    assert await youtubers(catalog, search) == ["Ada Löve"]


@pytest.mark.parametrize(
    ("search", "slug"),
    [("НордВПН", "nordvpn"), ("Форд", "ford"), ("Yandeks", "yandex"), ("яндекс", "yandex")],
)
async def test_names_are_found_across_alphabets(catalog: Catalog, search: str, slug: str) -> None:
    assert (await sponsors(catalog, search))[0] == slug
    assert (await catalog.call("GetSponsor", sponsor=search)).sponsor.slug == slug


async def test_a_creator_is_found_in_latin_letters(catalog: Catalog) -> None:
    assert await youtubers(catalog, "eva khayrullina") == ["Ева Хайруллина"]


async def test_names_that_grow_when_they_are_written_out_are_stored(catalog: Catalog) -> None:
    assert await sponsors(catalog, "\ufdfa" * 200) == ["wide"]


async def test_more_letters_than_a_suffix_holds_are_found_inside_a_name(catalog: Catalog) -> None:
    inside = "ramindopestavilzonurketarmipolsuvandrikesomal"

    assert await sponsors(catalog, inside) == ["long"]


@pytest.mark.parametrize("words", ["①②③", "'qvark'", "qvark\\", "qvark':* | 'a"])
async def test_signs_of_a_text_search_are_left_out_of_words(catalog: Catalog, words: str) -> None:
    letters = "".join(filter(str.isalnum, words))

    assert await sponsors(catalog, words) == await sponsors(catalog, letters)
