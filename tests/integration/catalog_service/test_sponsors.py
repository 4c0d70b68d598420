"""Answers about sponsors, against the example catalogue."""

from typing import Any

import pytest

from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import ADA_CHANNEL, video


def names(response: Any) -> list[str]:
    return [card.name for card in response.sponsors]


async def test_a_typo_still_finds_the_sponsor(catalog: Catalog) -> None:
    assert names(await catalog.call("SearchSponsors", search="azura vnp"))[0] == "Azura VPN"
    assert names(await catalog.call("SearchSponsors", search="brihgtmeal")) == ["BrightMeal"]


async def test_accents_case_and_spaces_do_not_matter(catalog: Catalog) -> None:
    assert names(await catalog.call("SearchSponsors", search="BRÏGHT meal")) == ["BrightMeal"]


async def test_a_prefix_comes_before_a_match_inside(catalog: Catalog) -> None:
    assert names(await catalog.call("SearchSponsors", search="e"))[:2] == ["Echo", "Echo"]
    assert names(await catalog.call("SearchSponsors", search="nest")) == ["Crypto Nest"]


async def test_a_domain_finds_its_sponsor(catalog: Catalog) -> None:
    assert names(await catalog.call("SearchSponsors", search="dexter.example")) == ["Dexter Games"]


async def test_all_sponsors_are_listed_by_videos_and_then_age(catalog: Catalog) -> None:
    response = await catalog.call("SearchSponsors")
    assert [(card.name, card.videos, card.youtubers, card.views) for card in response.sponsors] == [
        ("Azura VPN", 3, 2, 3000),
        ("BrightMeal", 3, 2, 2400),
        ("Dexter Games", 2, 2, 4700),
        ("Crypto Nest", 0, 0, 0),
        ("Echo", 0, 0, 0),
        ("Echo", 0, 0, 0),
    ]
    assert not response.HasField("next_cursor")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"category": "security"}, ["Azura VPN"]),
        ({"category": "tech"}, ["Azura VPN", "Echo"]),
        ({"category": "VPN & Security"}, ["Azura VPN"]),
        ({"country": "us"}, ["BrightMeal", "Echo"]),
        ({"active_since": "2023-02-20"}, ["BrightMeal", "Dexter Games"]),
        ({"min_videos": 3}, ["Azura VPN", "BrightMeal"]),
        ({"min_videos": 1, "sort": "views"}, ["Dexter Games", "Azura VPN", "BrightMeal"]),
        ({"min_videos": 1, "sort": "recent"}, ["Dexter Games", "BrightMeal", "Azura VPN"]),
        ({"min_videos": 1, "sort": "youtubers"}, ["Azura VPN", "BrightMeal", "Dexter Games"]),
        ({"search": "azura", "country": "US"}, []),
    ],
)
async def test_filters_and_sorts(
    catalog: Catalog, filters: dict[str, Any], expected: list[str]
) -> None:
    assert names(await catalog.call("SearchSponsors", **filters)) == expected


async def test_status_is_what_all_relations_of_a_sponsor_say(catalog: Catalog) -> None:
    response = await catalog.call("SearchSponsors", sort="name")
    assert {card.slug: card.status for card in response.sponsors} == {
        # The data about Ada, Bob and Cyd end too early, and too few of Ada's later videos are known.
        "azura-vpn": "unknown",
        "brightmeal": "unknown",
        "crypto-nest": "unseen",
        "dexter-games": "unknown",
        "echo-books": "unseen",
        "echo-tools": "unseen",
    }


async def test_a_sponsor_is_described_with_kinds_codes_and_youtubers(catalog: Catalog) -> None:
    response = await catalog.call("GetSponsor", sponsor="azura-vpn")
    card = response.sponsor
    assert (card.first_seen, card.last_seen) == ("2023-01-10", "2023-02-15")
    assert (card.domain, card.website) == ("azuravpn.com", "https://azuravpn.com")
    assert list(response.aliases) == ["Azura"]
    assert [(part.key, part.videos) for part in response.kinds] == [
        ("promo_code", 2),
        ("paid_sponsorship", 1),
    ]
    assert [(code.code, code.youtuber.name, code.last_seen) for code in response.latest_codes] == [
        ("ADA", "Ada Löve", "2023-02-15"),
        ("CYD", "Cyd Plays", "2023-01-31"),
    ]
    first = response.top_youtubers[0]
    assert (first.youtuber.name, first.videos, first.views) == ("Ada Löve", 2, 3000)
    assert first.youtuber.url == f"https://www.youtube.com/channel/{ADA_CHANNEL}"
    assert first.coverage.videos_scanned == 4


async def test_figures_of_a_period_have_no_holes(catalog: Catalog) -> None:
    response = await catalog.call(
        "GetSponsorStats", sponsor="azura-vpn", from_date="2023-01-01", to_date="2023-03-31"
    )
    assert [(p.start, p.videos, p.youtubers, p.views) for p in response.series] == [
        ("2023-01-01", 2, 2, 1000),
        ("2023-02-01", 1, 1, 2000),
    ]  # March has none, and would be the last
    assert response.granularity == "month"
    totals = response.totals
    assert (totals.videos, totals.youtubers, totals.views) == (3, 2, 3000)
    previous = response.previous_period
    assert (previous.from_date, previous.to_date) == ("2022-10-01", "2022-12-31")
    assert not response.HasField("previous_totals")
    assert not response.HasField("change")
    assert response.not_compared == (
        "The period before begins on 2022-10-01, and the data on 2023-01-10."
    )
    assert [(part.key, part.videos) for part in response.by_category] == [
        ("science-technology", 2),
        ("gaming", 1),
    ]
    assert [(part.key, part.share) for part in response.by_country] == [("DE", 1.0)]
    assert response.by_kind[0].share == pytest.approx(2 / 3)
    assert response.repeat_rate == 0.5


async def test_change_compares_with_the_period_before(own_catalog: Catalog) -> None:
    more = {"ada": ("01-28", "02-01", "02-20"), "cyd": ("02-01", "02-20", "02-21")}
    await own_catalog.ingest(
        [
            example.video(f"{by}-{day}", by, f"2023-{day}", 1, example.claim("azura-vpn", "affiliate", 0.9))
            for by, days in more.items() for day in days
        ]
    )  # fmt: skip
    response = await own_catalog.call(
        "GetSponsorStats", sponsor="azura-vpn", from_date="2023-02-15", to_date="2023-03-05"
    )
    assert response.previous_totals.videos == 4  # from 2023-01-27 on
    assert not response.HasField("change")
    same = response.compared
    assert (same.youtubers, same.videos, same.previous_videos) == (2, 4, 4)
    assert (same.known_videos, same.previous_known_videos) == (4, 4)
    assert (same.rate, same.previous_rate) == (1.0, 1.0)
    assert response.not_compared.startswith(
        "Too little is known for a change: 4 of the brand's videos against 4 on the 2 channels known in both periods"
    )


async def test_a_period_before_the_data_began_is_not_compared(catalog: Catalog) -> None:
    response = await catalog.call(
        "GetSponsorStats", sponsor="azura-vpn", from_date="2023-02-01", to_date="2023-02-28"
    )
    assert response.totals.videos == 1
    assert not response.HasField("previous_totals")
    assert not response.HasField("change")
    assert response.not_compared.endswith("begins on 2023-01-01, and the data on 2023-01-10.")


async def test_a_period_that_reaches_beyond_the_data_is_not_compared(catalog: Catalog) -> None:
    response = await catalog.call(
        "GetSponsorStats", sponsor="dexter-games", from_date="2023-10-01", to_date="2023-12-31"
    )
    assert not response.HasField("change")
    assert response.not_compared.endswith("ends on 2023-12-31, and the data already on 2023-11-30.")


async def test_all_time_begins_and_ends_with_the_sponsors_own_videos(catalog: Catalog) -> None:
    response = await catalog.call("GetSponsorStats", sponsor="dexter-games", granularity="quarter")
    assert (response.period.from_date, response.period.to_date) == ("2023-01-10", "2023-11-30")
    assert [(p.start, p.videos) for p in response.series] == [
        ("2023-04-01", 1),
        ("2023-07-01", 0),
        ("2023-10-01", 1),
    ]


@pytest.mark.parametrize("granularity", ["", "auto"])
async def test_steps_follow_from_the_days_of_the_sponsor(
    catalog: Catalog, granularity: str
) -> None:
    response = await catalog.call(
        "GetSponsorStats", sponsor="dexter-games", from_date="1900-01-01", granularity=granularity
    )
    assert response.granularity == "month"
    assert [point.start for point in response.series][:2] == ["2023-04-01", "2023-05-01"]
    assert response.series[-1].start == "2023-11-01"


async def test_confidence_narrows_figures(catalog: Catalog) -> None:
    response = await catalog.call("GetSponsorStats", sponsor="azura-vpn", min_confidence=0.9)
    assert response.totals.videos == 1
    assert response.share_of_voice.category_videos == 1


async def test_a_sponsor_without_videos_has_empty_figures(catalog: Catalog) -> None:
    response = await catalog.call("GetSponsorStats", sponsor="crypto-nest")
    assert (response.totals.videos, len(response.series), response.repeat_rate) == (0, 0, 0.0)
    assert not response.HasField("share_of_voice")


async def test_sponsored_videos_come_newest_first_with_evidence(catalog: Catalog) -> None:
    response = await catalog.call("ListSponsorVideos", sponsor="Azura")
    assert [(video.video.published_at, video.youtuber.name) for video in response.videos] == [
        ("2023-02-15", "Ada Löve"),
        ("2023-01-31", "Cyd Plays"),
        ("2023-01-10", "Ada Löve"),
    ]
    oldest = response.videos[-1]
    assert (oldest.video.title, oldest.video.url) == (
        "First light",
        "https://www.youtube.com/watch?v=aaaaaaaaaa1",
    )
    assert (oldest.kind, oldest.code, oldest.confidence) == ("paid_sponsorship", "ADA", 0.95)
    assert (oldest.evidence.excerpt, oldest.evidence.start, oldest.evidence.end) == (
        "thanks to them",
        4,
        18,
    )
    assert not response.videos[1].video.HasField("views")


@pytest.mark.parametrize(
    ("filters", "days"),
    [
        ({"kind": "promo_code"}, ["2023-02-15", "2023-01-31"]),
        ({"min_confidence": 0.8}, ["2023-02-15", "2023-01-10"]),
        ({"from_date": "2023-01-11", "to_date": "2023-01-31"}, ["2023-01-31"]),
    ],
)
async def test_filters_of_sponsored_videos(
    catalog: Catalog, filters: dict[str, Any], days: list[str]
) -> None:
    response = await catalog.call("ListSponsorVideos", sponsor="azura-vpn", **filters)
    assert [video.video.published_at for video in response.videos] == days


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [("Ada Löve", 2), ("Cyd Plays", 1)]),
        ({"sort": "recent"}, [("Ada Löve", 2), ("Cyd Plays", 1)]),
        ({"country": "DE", "sort": "subscribers"}, [("Ada Löve", 2), ("Cyd Plays", 1)]),
        ({"country": "US"}, []),
        ({"from_date": "2023-01-20"}, [("Ada Löve", 1), ("Cyd Plays", 1)]),
        ({"min_confidence": 0.9, "sort": "views"}, [("Ada Löve", 1)]),
    ],
)
async def test_youtubers_of_a_sponsor(
    catalog: Catalog, filters: dict[str, Any], expected: list[tuple[str, int]]
) -> None:
    response = await catalog.call("ListSponsorYoutubers", sponsor="azura-vpn", **filters)
    assert [
        (youtuber.youtuber.name, youtuber.videos) for youtuber in response.youtubers
    ] == expected


async def test_a_relation_lapses_against_the_youtubers_own_newest_videos(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest([video(f"a{n}", "ada", "2023-11-30", 10) for n in (5, 6, 7)])
    response = await own_catalog.call("ListSponsorYoutubers", sponsor="azura-vpn")
    listed = {
        youtuber.youtuber.name: (youtuber.status, list(youtuber.kinds))
        for youtuber in response.youtubers
    }
    assert listed == {
        "Ada Löve": ("lapsed", ["paid_sponsorship", "promo_code"]),
        # Its newest known video is more than half a year older than the newest of the catalogue.
        "Cyd Plays": ("unknown", ["promo_code"]),
    }


async def test_similar_sponsors_share_youtubers(catalog: Catalog) -> None:
    response = await catalog.call("ListSimilarSponsors", sponsor="azura-vpn")
    assert [
        (sponsor.sponsor.name, sponsor.shared_youtubers, sponsor.similarity)
        for sponsor in response.sponsors
    ] == [("Dexter Games", 2, 1.0), ("BrightMeal", 1, pytest.approx(1 / 3))]
    assert [example.name for example in response.sponsors[0].examples] == ["Ada Löve", "Cyd Plays"]
    first = await catalog.call("ListSimilarSponsors", sponsor="azura-vpn", limit=1)
    assert (len(first.sponsors), first.matches) == (1, 2)


@pytest.mark.parametrize("sponsor", ["azura-vpn", "brightmeal", "dexter-games"])
async def test_all_time_is_the_same_as_its_period_in_words(catalog: Catalog, sponsor: str) -> None:
    always = await catalog.call("GetSponsorStats", sponsor=sponsor)
    bounds = {"from_date": always.period.from_date, "to_date": always.period.to_date}
    bounded = await catalog.call("GetSponsorStats", sponsor=sponsor, **bounds)
    assert always.share_of_voice == bounded.share_of_voice
    assert always.totals == bounded.totals
