"""Every answer says what it rests on; an empty one, why it is empty."""

from typing import Any

import pytest
from sqlalchemy import create_engine, text

from servicekit.database import driver_url
from tests.integration.catalog_service.conftest import Catalog
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
    video("1", "german", "2023-01-10", 1, claim("known", PAID, 0.9), category="gaming"),
    video("2", "german", "2023-01-20", 1, claim("odd", PAID, 0.9), claim("plain", PAID, 0.9)),
    video("3", "german", "2023-02-10", 1, claim("known", PAID, 0.5)),
    video("4", "nowhere", "2023-01-15", 1, claim("known", PAID, 0.9), category="gaming"),
    video("5", "nowhere", "2023-03-15", 1, claim("known", PAID, 0.9), claim("odd", PAID, 0.9)),
    video("6", "nowhere", "2023-06-30", 1),
]


@pytest.fixture(name="known")
async def _known(empty_catalog: Catalog) -> Catalog:
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
]


async def test_every_response_says_what_it_rests_on(known: Catalog) -> None:
    for rpc, arguments in LISTS:
        response = await known.ask(rpc, **arguments)
        assert _coverage(response.coverage) == ("2023-01-10", "2023-06-30", 2, 6, 5, 0), rpc
        assert not (hasattr(response, "note") and response.HasField("note")), rpc
    response = await known.ask("ListProspects", youtuber="german", category="food")
    assert _coverage(response.catalog_coverage) == ("2023-01-10", "2023-06-30", 2, 6, 5, 2)
    assert response.note.startswith("No brand matches `category` food. 2 sponsored videos")


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
    response = await known.ask("TopSponsors", **filters, **period, min_confidence=confidence)
    expected = _counted(known, names, period, confidence)
    assert response.coverage.left_out == expected


def _counted(known: Catalog, names: list[str], period: dict[str, str], confidence: float) -> int:
    matching = [f"coalesce({MATCHING[name][0]} = '{MATCHING[name][1]}', true)" for name in names]
    unknown = " OR ".join(f"{MATCHING[name][0]} IS NULL" for name in names)
    days = "p.published_on BETWEEN :start AND :end"
    query = (
        f"SELECT count(DISTINCT p.video_id) FROM sponsorships p WHERE ({unknown}) AND {days} "
        f"AND {' AND '.join(matching)} AND p.confidence >= :confidence"
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


async def test_filters_of_lists_report_what_they_omit(known: Catalog) -> None:
    response = await known.ask("ListSponsorYoutubers", sponsor="known", country="DE")
    assert response.coverage.left_out == 2
    everybody = (await known.ask("SearchYoutubers")).youtubers
    response = await known.ask("SearchYoutubers", country="DE")
    assert response.coverage.left_out == 2
    response = await known.ask("SearchYoutubers", category="gaming", country="DE")
    assert response.coverage.left_out == 2
    response = await known.ask("SearchYoutubers", max_subscribers=1_000)
    assert response.coverage.left_out == sum(card.sponsored_videos for card in everybody)
    response = await known.ask("SearchSponsors", category="food")
    assert response.coverage.left_out == 2
    await known.ingest([sponsor("plain", "Plain", "plain.example", "ai")])
    await known.ingest([sponsor("odd", "Odd", "odd.example", "ai")])
    response = await known.ask("SearchSponsors", category="food")
    assert response.coverage.left_out == 0


@pytest.mark.parametrize(
    ("rpc", "arguments", "note"),
    [
        ("TopSponsors", {"from_date": "2024-01-01"},
         "The data end on 2023-06-30, and the newest sponsored video is of 2023-03-15: take a period that begins before."),
        ("TopSponsors", {"to_date": "2022-12-31"},
         "The data begin on 2023-01-10: take a period that ends after it."),
        ("TopSponsors", {"country": "JP"},
         "No sponsorship matches `country` JP. 2 sponsored videos may match too, but a field that is filtered by is "
         "not known of them. Leave a filter out for more."),
        ("SearchSponsors", {"search": "zzzzzz"}, "No brand matches `search` zzzzzz. Leave a filter out for more."),
        ("ListSponsorVideos", {"sponsor": "known", "kind": "affiliate"},
         "No sponsorship matches `kind` affiliate. Of the sponsored videos of Known 4 are known, from 2023-01-10 to 2023-03-15."),
        ("GetSponsorStats", {"sponsor": "quiet"},
         "No sponsorship is known. None of the sponsored videos of Quiet is known yet."),
        ("ListYoutuberVideos", {"youtuber": "nobody"}, "No video is known. None of the videos of Nobody is known yet."),
        ("ListYoutuberVideos", {"youtuber": "nowhere", "sponsored": False, "to_date": "2023-03-01"},
         "No video matches `sponsored` False and `to` 2023-03-01. Of the videos of Nowhere 3 are known, from 2023-01-15 to "
         "2023-06-30. 2 of them are sponsored."),
        ("ListYoutuberSponsors", {"youtuber": "german", "from_date": "2025-01-01"},
         "The data end on 2023-06-30, and the newest sponsored video is of 2023-03-15: take a period that begins before."),
    ],
)  # fmt: skip
async def test_an_empty_response_says_why(
    known: Catalog, rpc: str, arguments: dict[str, Any], note: str
) -> None:
    assert (await known.ask(rpc, **arguments)).note == note


async def test_an_empty_catalogue_says_so(empty_catalog: Catalog) -> None:
    response = await empty_catalog.ask("TopSponsors")
    assert response.note == "The catalogue has looked at no video yet: import a channel first."
    assert not response.coverage.HasField("first_video")
