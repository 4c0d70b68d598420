"""Kinds of sponsorship narrow every list and figure; rankings and the like are of paid work."""

from typing import Any

import pytest

from servicekit.errors import InvalidInput
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog

EVERY = ["paid_sponsorship", "promo_code", "affiliate", "free_product"]
PAID = EVERY[:3]
YEAR = {"from_date": "2023-01-01", "to_date": "2023-12-31"}
CUT = {"from_date": "2023-01-02", "to_date": "2023-12-30"}
PERIODS = pytest.mark.parametrize("period", [{}, YEAR, CUT], ids=["open", "months", "days"])


def by_kind(response: Any) -> dict[str, tuple[int, int]]:
    return {part.key: (part.videos, part.sponsorships) for part in response.by_kind}


@PERIODS
async def test_a_ranking_is_of_paid_work_and_shows_free_products_apart(
    catalog: Catalog, period: dict[str, str]
) -> None:
    response = await catalog.call("TopSponsors", **period)
    assert list(response.kinds) == PAID
    assert [(item.sponsor.slug, item.videos, item.free_products) for item in response.sponsors] == [
        ("azura-vpn", 3, 0),
        ("brightmeal", 2, 1),
        ("dexter-games", 2, 0),
    ]
    assert by_kind(response) == {
        "paid_sponsorship": (4, 4),
        "promo_code": (2, 2),
        "affiliate": (1, 1),
        "free_product": (1, 1),
    }


@PERIODS
async def test_kinds_of_a_ranking_are_those_that_the_request_names(
    catalog: Catalog, period: dict[str, str]
) -> None:
    response = await catalog.call("TopSponsors", kinds=EVERY, **period)
    totals = response.totals
    assert (totals.videos, totals.sponsorships, totals.views) == (7, 8, 8_100)
    assert {item.sponsor.slug: item.videos for item in response.sponsors}["brightmeal"] == 3
    response = await catalog.call("TopSponsors", kinds=["free_product"], **period)
    assert [(item.sponsor.slug, item.videos) for item in response.sponsors] == [("brightmeal", 1)]
    assert (response.totals.videos, response.sponsors[0].share) == (1, 1.0)
    assert "promo_code" in by_kind(response)


@PERIODS
async def test_figures_of_a_sponsor_are_of_all_kinds_and_its_share_of_voice_of_paid_work(
    catalog: Catalog, period: dict[str, str]
) -> None:
    response = await catalog.call("GetSponsorStats", sponsor="brightmeal", **period)
    assert list(response.kinds) == EVERY
    assert (response.totals.videos, response.totals.sponsorships) == (3, 3)
    assert by_kind(response) == {"paid_sponsorship": (2, 2), "free_product": (1, 1)}
    voice = response.share_of_voice
    assert (voice.category_videos, voice.category_sponsorships, list(voice.kinds)) == (2, 2, PAID)
    only_free = await catalog.call(
        "GetSponsorStats", sponsor="brightmeal", kinds=["free_product"], **period
    )
    assert (only_free.totals.videos, only_free.totals.views) == (1, 300)
    assert list(only_free.share_of_voice.kinds) == ["free_product"]
    assert only_free.share_of_voice.category_sponsorships == 1


async def test_figures_of_a_youtuber_count_videos_once_and_split_by_kind(catalog: Catalog) -> None:
    response = await catalog.call("GetYoutuberStats", youtuber="ada")
    assert (response.sponsored_videos, response.sponsorships, list(response.kinds)) == (3, 4, EVERY)
    assert by_kind(response) == {
        "paid_sponsorship": (2, 2),
        "promo_code": (1, 1),
        "affiliate": (1, 1),
    }
    assert {part.key: part.share for part in response.by_category} == {
        "security": 0.5, "food": 0.25, "games": 0.25,
    }  # fmt: skip
    narrow = await catalog.call("GetYoutuberStats", youtuber="ada", kinds=["promo_code"])
    assert (narrow.sponsored_videos, narrow.sponsorships, narrow.sponsors) == (1, 1, 1)


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("ListSponsorVideos", {"sponsor": "brightmeal"}, 3),
        ("ListSponsorVideos", {"sponsor": "brightmeal", "kinds": PAID}, 2),
        ("ListSponsorVideos", {"sponsor": "brightmeal", "kind": "free_product"}, 1),
        ("ListSponsorVideos", {"sponsor": "azura-vpn", "kinds": ["promo_code", "affiliate"]}, 2),
        ("ListSponsorYoutubers", {"sponsor": "azura-vpn", "kinds": ["promo_code"]}, 2),
        ("ListSponsorYoutubers", {"sponsor": "azura-vpn", "kinds": ["paid_sponsorship"]}, 1),
        ("ListYoutuberSponsors", {"youtuber": "ada", "kinds": ["promo_code", "affiliate"]}, 2),
        ("ListYoutuberSponsors", {"youtuber": "ada", "kind": "affiliate"}, 1),
        ("ListYoutuberVideos", {"youtuber": "ada", "sponsored": True, "kinds": ["affiliate"]}, 1),
        ("ListYoutuberVideos", {"youtuber": "ada", "sponsored": False, "kinds": ["affiliate"]}, 3),
    ],
)
async def test_lists_take_kinds(
    catalog: Catalog, method: str, arguments: dict[str, Any], expected: int
) -> None:
    response = await catalog.call(method, **arguments)
    (entries,) = (
        value
        for name in ("videos", "youtubers", "sponsors")
        if (value := getattr(response, name, None)) is not None
    )
    assert len(entries) == expected


async def test_sponsorships_of_other_kinds_are_not_shown_with_a_video(catalog: Catalog) -> None:
    response = await catalog.call("ListYoutuberVideos", youtuber="ada", kinds=["promo_code"])
    shown = {
        item.video.published_at: [claim.kind for claim in item.sponsorships]
        for item in response.videos
    }
    assert shown["2023-02-15"] == ["promo_code"]
    assert shown["2023-01-10"] == []


async def test_a_free_product_makes_no_similarity_unless_the_request_names_it(
    catalog: Catalog,
) -> None:
    assert list((await catalog.call("ListSimilarSponsors", sponsor="azura-vpn")).kinds) == PAID
    by_promo = await catalog.call("ListSimilarSponsors", sponsor="azura-vpn", kinds=["promo_code"])
    assert not by_promo.sponsors
    either = await catalog.call(
        "ListSimilarSponsors", sponsor="azura-vpn", kinds=["promo_code", "affiliate"]
    )
    assert [
        (item.sponsor.slug, item.shared_youtubers, item.similarity) for item in either.sponsors
    ] == [("dexter-games", 1, 0.5)]
    free = await catalog.call("ListProspects", youtuber="bob", kinds=["free_product"])
    assert (list(free.prospects), list(free.kinds)) == ([], ["free_product"])
    paid = await catalog.call("ListProspects", youtuber="bob")
    assert {item.sponsor.slug for item in paid.prospects} == {"azura-vpn", "dexter-games"}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"kinds": ["sponsored"]}, "kinds"),
        ({"kinds": ["promo_code", ""]}, "kinds"),
        ({"kind": "promo_code", "kinds": ["affiliate"]}, "kinds"),
        ({"kind": "promo_code", "kinds": ["promo_code", "affiliate"]}, "kinds"),
    ],
)
async def test_kinds_that_are_unknown_or_contradict_the_old_argument_are_refused(
    catalog: Catalog, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await catalog.call("ListSponsorVideos", sponsor="azura-vpn", **arguments)
    assert f"`{field}`" in str(refused.value)


async def test_the_old_argument_and_the_new_one_may_say_the_same(catalog: Catalog) -> None:
    response = await catalog.call(
        "ListSponsorVideos", sponsor="azura-vpn", kind="promo_code", kinds=["promo_code"]
    )
    assert len(response.videos) == 2


async def test_a_cursor_holds_for_its_own_kinds(catalog: Catalog) -> None:
    first = await catalog.call("TopSponsors", limit=1)
    assert first.next_cursor
    with pytest.raises(InvalidInput, match="cursor"):
        await catalog.call("TopSponsors", limit=1, kinds=EVERY, cursor=first.next_cursor)


async def test_a_brand_of_review_units_alone_gets_the_kind_to_give(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [
            example.sponsor("orchard", "Orchard", "orchard.example", "tech"),
            example.video("unit", "bob", "2023-03-03", 1, example.claim("orchard", "free_product", 0.9)),
        ]
    )  # fmt: skip
    similar = await own_catalog.call("ListSimilarSponsors", sponsor="orchard")
    assert similar.note == (
        "No similar brand is known. Of the sponsored videos of Orchard 1 are known, from 2023-03-03 to 2023-03-03. All of them are "
        "`free_product`: give that as `kinds`."
    )
    named = await own_catalog.call("ListSimilarSponsors", sponsor="orchard", kinds=["free_product"])
    assert "give that as" not in named.note
