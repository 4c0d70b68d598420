"""Every answer says what it rests on; an empty one, why it is empty."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from servicekit.database_url import driver_url
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

PAID = "paid_sponsorship"
FACTS = [
    sponsor("known", "Known", "known.example", "food"),
    sponsor("odd", "Odd", "odd.example", None),
    sponsor("plain", "Plain", "plain.example", None),
    sponsor("quiet", "Quiet", "quiet.example", "food"),
    youtuber("german", "German", country="DE", category="gaming"),
    youtuber("nowhere", "Nowhere"),
    youtuber("nobody", "Nobody"),
    video("1", "german", "2023-01-10", 1, claim("known", PAID, 0.9, "KNOWN20"), category="gaming"),
    video("2", "german", "2023-01-20", 1, claim("odd", PAID, 0.9), claim("plain", PAID, 0.9)),
    video("3", "german", "2023-02-10", 1, claim("known", PAID, 0.5)),
    video("4", "nowhere", "2023-01-15", 1, claim("known", PAID, 0.9), category="gaming"),
    video("5", "nowhere", "2023-03-15", 1, claim("known", PAID, 0.9), claim("odd", PAID, 0.9)),
    video("6", "nowhere", "2023-06-30", 1),
]


@pytest.fixture(scope="module")
async def known(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    """A service that holds these facts; tests only read it."""
    async with running_catalog(new_settings(fresh_database())) as catalog:
        assert not (await catalog.ingest(FACTS)).rejected
        yield catalog


@pytest.fixture
async def own_known(empty_catalog: Catalog) -> Catalog:
    """A service that holds these facts, for tests that add to them."""
    assert not (await empty_catalog.ingest(FACTS)).rejected
    return empty_catalog


LISTS: list[tuple[str, dict[str, str]]] = [
    ("SearchSponsors", {}),
    ("GetSponsor", {"sponsor": "known"}),
    ("GetSponsorStats", {"sponsor": "known"}),
    ("ListSponsorVideos", {"sponsor": "known"}),
    ("ListSponsorYoutubers", {"sponsor": "known"}),
    ("TopSponsors", {}),
    ("ListSimilarSponsors", {"sponsor": "known"}),
    ("SearchYoutubers", {}),
    ("ListCategories", {}),
    ("SearchCodes", {"code": "KNOWN"}),
]


@pytest.mark.parametrize(
    ("rpc", "arguments", "expected"),
    [
        # In January a channel of Germany has two videos, and one of unknown country has one.
        ("TopSponsors", {"to_date": "2023-01-31"}, ("2023-01-10", "2023-01-20", 2, 3, 3)),
        ("TopSponsors", {"from_date": "2023-06-01"}, ("2023-06-30", "2023-06-30", 1, 1, 0)),
        ("TopSponsors", {"country": "DE"}, ("2023-01-10", "2023-02-10", 1, 3, 3)),
        ("TopSponsors", {"content_category": "gaming"}, ("2023-01-10", "2023-01-15", 2, 2, 2)),
        ("TopSponsors", {"category": "food", "min_confidence": 0.8, "kinds": ["affiliate"]},
         ("2023-01-10", "2023-06-30", 2, 6, 5)),
        ("GetSponsorStats", {"sponsor": "known", "from_date": "2023-02-01", "to_date": "2023-03-31"},
         ("2023-02-10", "2023-03-15", 2, 2, 2)),
        ("ListSponsorVideos", {"sponsor": "known", "from_date": "2023-03-01"},
         ("2023-03-15", "2023-06-30", 1, 2, 1)),
        ("ListSponsorYoutubers", {"sponsor": "known", "country": "DE", "from_date": "2023-01-15"},
         ("2023-01-20", "2023-02-10", 1, 2, 2)),
        ("SearchYoutubers", {"country": "DE"}, ("2023-01-10", "2023-02-10", 1, 3, 3)),
        ("SearchYoutubers", {"category": "gaming", "max_subscribers": 10}, ("", "", 0, 0, 0)),
        ("SearchSponsors", {"category": "food"}, ("2023-01-10", "2023-06-30", 2, 6, 5)),
    ],
)  # fmt: skip
async def test_coverage_is_of_the_period_and_the_channels_of_a_query(
    known: Catalog, rpc: str, arguments: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    response = await known.call(rpc, **arguments)
    assert _coverage(response.coverage)[:-1] == expected


async def test_every_response_says_what_it_rests_on(known: Catalog) -> None:
    for rpc, arguments in LISTS:
        response = await known.call(rpc, **arguments)
        assert _coverage(response.coverage) == ("2023-01-10", "2023-06-30", 2, 6, 5, 0), rpc
        note = getattr(response, "note", "")
        assert not note or note.startswith("No video is known yet of"), rpc
    response = await known.call("ListProspects", youtuber="german", category="food")
    assert _coverage(response.catalog_coverage) == ("2023-01-10", "2023-06-30", 2, 6, 5, 0)
    # Of similar creators' brands none is of unknown category but those that the creator has had.
    assert response.note == "No brand matches `category` food. Leave a filter out for more."


def _coverage(message: Any) -> tuple[Any, ...]:
    days = (message.first_video, message.last_video)
    return (*days, message.youtubers, message.videos, message.sponsored_videos, message.left_out)


MATCHING = {
    "content_category": ("p.content_category", "gaming"),
    "country": ("p.country", "DE"),
    "category": ("p.sponsor_category", "food"),
}


@pytest.mark.parametrize("period", [{}, {"from_date": "2023-01-01", "to_date": "2023-01-31"}])
@pytest.mark.parametrize(
    "names",
    [
        ["content_category"],
        ["country"],
        ["category"],
        ["content_category", "country"],
        ["content_category", "country", "category"],
    ],
)
@pytest.mark.parametrize("confidence", [0.0, 0.8])
async def test_videos_of_an_unknown_field_are_counted_as_left_out(
    known: Catalog, names: list[str], period: dict[str, str], confidence: float
) -> None:
    filters = {name: MATCHING[name][1] for name in names}
    response = await known.call("TopSponsors", **filters, **period, min_confidence=confidence)
    expected = _counted(known, names, period, confidence)
    assert response.coverage.left_out == expected


def _counted(known: Catalog, names: list[str], period: dict[str, str], confidence: float) -> int:
    matching = [f"coalesce({MATCHING[name][0]} = '{MATCHING[name][1]}', true)" for name in names]
    unknown = " OR ".join(f"{MATCHING[name][0]} IS NULL" for name in names)
    days = "p.published_on BETWEEN :start AND :end"
    counted_too = " AND ".join(f"{MATCHING[name][0]} = '{MATCHING[name][1]}'" for name in names)
    within = f"{days} AND p.confidence >= :confidence"
    query = (
        f"SELECT count(DISTINCT video_id) FROM (SELECT p.video_id FROM sponsorships p "
        f"WHERE ({unknown}) AND {' AND '.join(matching)} AND {within} EXCEPT "
        f"SELECT p.video_id FROM sponsorships p WHERE {counted_too} AND {within}) AS left_out"
    )
    values = {
        "start": period.get("from_date", "0001-01-01"),
        "end": period.get("to_date", "9999-12-31"),
        "confidence": confidence,
    }
    engine = create_engine(driver_url(known.settings.database_url))
    with engine.connect() as connection:
        counted = connection.execute(text(query), values).scalar_one()
    engine.dispose()
    return counted


async def test_filters_of_lists_report_what_they_omit(own_known: Catalog) -> None:
    response = await own_known.call("ListSponsorYoutubers", sponsor="known", country="DE")
    assert response.coverage.left_out == 2
    everybody = (await own_known.call("SearchYoutubers")).youtubers
    response = await own_known.call("SearchYoutubers", country="DE")
    assert response.coverage.left_out == 2
    response = await own_known.call("SearchYoutubers", category="gaming", country="DE")
    assert response.coverage.left_out == 2
    response = await own_known.call("SearchYoutubers", max_subscribers=1_000)
    assert response.coverage.left_out == sum(card.sponsored_videos for card in everybody)
    response = await own_known.call("SearchSponsors", category="food")
    assert response.coverage.left_out == 2
    response = await own_known.call("SearchSponsors", country="JP")
    assert response.coverage.left_out == 5  # No brand's country is known.
    response = await own_known.call("SearchSponsors", category="food", active_since="2024-01-01")
    assert response.coverage.left_out == 0
    response = await own_known.call("SearchYoutubers", search="german", country="JP")
    assert response.coverage.left_out == 0
    response = await own_known.call("SearchYoutubers", search="nowhere", country="JP")
    assert response.coverage.left_out == 2
    response = await own_known.call("SearchYoutubers", country="JP", sponsored_by="plain")
    assert response.coverage.left_out == 0
    await own_known.ingest([sponsor("plain", "Plain", "plain.example", "ai")])
    await own_known.ingest([sponsor("odd", "Odd", "odd.example", "ai")])
    response = await own_known.call("SearchSponsors", category="food")
    assert response.coverage.left_out == 0


async def test_a_video_with_a_matching_brand_is_not_left_out_for_another(known: Catalog) -> None:
    response = await known.call("TopSponsors", category="food")
    # Video 5 counts by Known, although Odd's category is not known; video 2 has no known one.
    assert (response.totals.videos, response.coverage.left_out) == (4, 1)


async def test_trends_leave_out_videos_of_the_default_periods_alone(own_known: Catalog) -> None:
    assert (await own_known.call("ListTrends", country="JP")).coverage.left_out == 2
    await own_known.ingest(
        [video("9", "german", "2024-01-01", 1, claim("known", PAID, 0.9), category="gaming")]
    )
    assert (await own_known.call("ListTrends", country="JP")).coverage.left_out == 0


async def test_relations_of_unknown_status_are_left_out_by_that_filter(own_known: Catalog) -> None:
    await own_known.ingest([video(f"9-{n}", "german", "2024-01-01", 1) for n in range(5)])
    page = await own_known.call("ListSponsorYoutubers", sponsor="known")
    assert {item.youtuber.name: item.status for item in page.youtubers} == {
        "German": "lapsed",
        "Nowhere": "unknown",
    }
    filters = {"sponsor": "known", "status": "lapsed"}
    assert (await own_known.call("ListSponsorYoutubers", **filters)).coverage.left_out == 2
    late = await own_known.call("ListSponsorYoutubers", **filters, from_date="2023-02-01")
    assert late.coverage.left_out == 1
    german = await own_known.call("ListSponsorYoutubers", **filters, country="DE")
    assert german.coverage.left_out == 2
    none = await own_known.call("ListYoutuberSponsors", youtuber="nowhere", status="lapsed")
    assert none.note.endswith(
        "The known videos of the channel end too early or are too few to tell of all its relations: "
        "`status=unknown` lists the others."
    )
    filters["status"] = "unknown"
    assert (await own_known.call("ListSponsorYoutubers", **filters)).coverage.left_out == 0


async def test_nobody_knows_who_never_sponsored_a_channel_without_videos(known: Catalog) -> None:
    found = await known.call("SearchYoutubers", not_sponsored_by="plain")
    assert [card.name for card in found.youtubers] == ["Nowhere"]


@pytest.mark.parametrize(
    ("rpc", "arguments", "note"),
    [
        ("TopSponsors", {"from_date": "2024-01-01"},
         "The data end on 2023-06-30, and the newest sponsored video is of 2023-03-15: take a period that begins before."),
        ("TopSponsors", {"to_date": "2022-12-31"},
         "The data begin on 2023-01-10: take a period that ends later."),
        ("TopSponsors", {"country": "JP"},
         "No sponsorship matches `country` JP. None of the 6 videos looked at is known to fit its period, content or channel. "
         "2 sponsored videos may match too: their creators' countries are unknown. Leave a filter out for more."),
        ("SearchCodes", {"code": "KNOWN99"},
         "No promo code matches `code` KNOWN99. Codes are found by their beginning: give fewer of its first letters."),
        ("SearchCodes", {"code": "50"},
         "No promo code matches `code` 50. Codes are found by their beginning, not by what they contain or end in: give the "
         "first letters."),
        ("SearchYoutubers", {"sponsored_by": "known", "not_sponsored_by": "Known", "country": "JP"},
         "`sponsored_by` and `not_sponsored_by` name the same brand: they exclude each other. Leave one of them out."),
        ("ListTrends", {"country": "JP", "from_date": "2023-02-01"},
         "No brand matches `country` JP and `since` 2023-02-01. "
         "None of the 6 videos looked at is known to fit its period, content or channel. "
         "2 sponsored videos may match too: their creators' countries are unknown. Leave a filter out for more."),
        ("SearchSponsors", {"active_since": "2024-01-01"},
         "`active_since` 2024-01-01 leaves nothing: the data end on 2023-06-30, and the newest sponsored video is of "
         "2023-03-15. Give an earlier day."),
        ("SearchSponsors", {"search": "https://www.youtube.com/watch?v=aaaaaaaaaaa"},
         "No brand matches `search` https://www.youtube.com/watch?v=aaaaaaaaaaa. No sponsor of this video is known: `video.get` "
         "says whether the video was looked at."),
        ("ListSponsorYoutubers", {"sponsor": "known", "status": "active"},
         "No sponsorship matches `status` active. 4 sponsored videos may match too: the statuses of their relations are unknown. "
         "Of the sponsored videos of Known 4 are known, from 2023-01-10 to 2023-03-15. Relations that were active when the data "
         "about the channel end are `unknown`, such as that with Nowhere, who is known until 2023-06-30 only."),
        ("SearchSponsors", {"search": "zzzzzz"},
         "No brand matches `search` zzzzzz. Check the spelling, or give another name or a web address. "
         "A brand is listed once a sponsorship of it is known."),
        ("SearchSponsors", {"search": "zzzzzz", "min_videos": 1},
         "No brand matches `search` zzzzzz and `min_videos` 1. Leave a filter out for more."),
        ("ListSponsorVideos", {"sponsor": "known", "kind": "affiliate"},
         "No sponsorship matches `kind` affiliate. Of the sponsored videos of Known 4 are known, from 2023-01-10 to 2023-03-15."),
        ("GetSponsorStats", {"sponsor": "quiet"},
         "No sponsorship is known. None of the sponsored videos of Quiet is known yet."),
        ("ListYoutuberVideos", {"youtuber": "nobody"},
         "No video is known. None of the videos of Nobody is known yet."),
        ("ListYoutuberVideos", {"youtuber": "nowhere", "sponsored": False, "to_date": "2023-03-01"},
         "No video matches `sponsored` false and `until` 2023-03-01. Of the videos of Nowhere 3 are known, from 2023-01-15 to "
         "2023-06-30. 2 of them are sponsored."),
        ("ListYoutuberSponsors", {"youtuber": "german", "from_date": "2025-01-01"},
         "The known videos of German end on 2023-02-10: take a period that begins before."),
    ],
)  # fmt: skip
async def test_an_empty_response_says_why(
    known: Catalog, rpc: str, arguments: dict[str, Any], note: str
) -> None:
    assert (await known.call(rpc, **arguments)).note == note


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ({}, None),
        ({"from_date": "2023-03-01"}, 2),
        ({"from_date": "2023-04-01", "to_date": "2023-05-31"}, 0),
    ],
)
@pytest.mark.parametrize("rpc", ["ListYoutuberSponsors", "GetYoutuberStats", "ListYoutuberVideos"])
async def test_coverage_of_a_channel_says_how_many_videos_the_period_has(
    known: Catalog, rpc: str, period: dict[str, str], expected: int | None
) -> None:
    coverage = (await known.call(rpc, youtuber="nowhere", **period)).coverage
    found = coverage.videos_in_period if coverage.HasField("videos_in_period") else None
    assert (found, coverage.first_video, coverage.last_video) == (
        expected,
        "2023-01-15",
        "2023-06-30",
    )


async def test_an_empty_catalogue_says_so(empty_catalog: Catalog) -> None:
    response = await empty_catalog.call("TopSponsors")
    assert response.note == "The catalogue has looked at no video yet: import a channel first."
    assert not response.coverage.HasField("first_video")
