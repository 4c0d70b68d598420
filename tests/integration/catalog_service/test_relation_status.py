"""Status is a fact of a relation over all data, relative to how far its own channel is known."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from catalog_service.domain.relation_status import MIN_LATER_VIDEOS
from protos.catalog.v1 import catalog_pb2 as pb
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

BRAND = "azura-vpn"


def ago(days: int) -> str:
    return str(datetime.now(UTC).date() - timedelta(days=days))


def later(by: str, newest: str, videos: int = MIN_LATER_VIDEOS) -> list[pb.IngestItem]:
    """Return videos of a channel without a sponsor, the last of them on that day."""
    end = date.fromisoformat(newest)
    return [
        video(f"{by}-{newest}-{n}", by, str(end - timedelta(days=n)), 10) for n in range(videos)
    ]


@pytest.fixture
async def filled(empty_catalog: Catalog) -> Catalog:
    """Channels that are known until 2020, 2024 and nearly today, with sponsorships at different times."""
    paid = claim(BRAND, "paid_sponsorship", 0.9)
    other = claim("brightmeal", "paid_sponsorship", 0.9)
    ended = claim("ended", "paid_sponsorship", 0.9)
    reply = await empty_catalog.ingest(
        [
            sponsor(BRAND, "Azura VPN", "azuravpn.com", "security"),
            sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food"),
            sponsor("ended", "Ended", "ended.example", None),
            *(
                youtuber(key, key.title())
                for key in ("going", "stopped", "until2020", "long", "seldom")
            ),
            video("g1", "going", "2021-06-01", 10, paid),
            video("g2", "going", ago(150), 10, paid),
            video("g3", "going", ago(30), 10),
            video("s1", "stopped", "2021-06-01", 10, paid, other),
            *later("stopped", ago(60)),
            video("u1", "until2020", "2020-05-01", 10, paid, ended),
            video("u2", "until2020", "2020-06-01", 10),
            video("l1", "long", "2020-06-01", 10, paid),
            *later("long", "2024-04-04"),
            video("w1", "seldom", "2021-05-01", 10, paid),
            video("w2", "seldom", "2023-05-01", 10),
        ]
    )
    assert not reply.rejected
    return empty_catalog


async def relations(catalog: Catalog, **filters: Any) -> dict[str, tuple[str, str]]:
    page = await catalog.call("ListSponsorYoutubers", sponsor=BRAND, **filters)
    return {item.youtuber.name: (item.status, item.known_until) for item in page.youtubers}


@pytest.mark.parametrize(
    "filters",
    [{}, {"to_date": "2021-12-31"}, {"from_date": "2020-01-01", "to_date": "2021-12-31"}],
)
async def test_no_filter_changes_the_status_of_a_relation(
    filled: Catalog, filters: dict[str, str]
) -> None:
    assert await relations(filled, **filters) == {
        "Going": ("active", ago(30)),
        "Stopped": ("lapsed", ago(60)),
        "Until2020": ("unknown", "2020-06-01"),
        # It had ended long before the data about the channel did.
        "Long": ("lapsed", "2024-04-04"),
        # Two videos tell nothing of the two years between them.
        "Seldom": ("unknown", "2021-05-01"),
    }
    page = await filled.call("ListYoutuberSponsors", youtuber="Going", **filters)
    assert [(item.sponsor.slug, item.status) for item in page.sponsors] == [(BRAND, "active")]


async def test_an_unrelated_channel_with_newer_videos_changes_no_status(
    own_catalog: Catalog,
) -> None:
    async def statuses() -> dict[str, Any]:
        found = (await own_catalog.call("SearchSponsors", sort="name", limit=50)).sponsors
        lists = {
            card.slug: await own_catalog.call("ListSponsorYoutubers", sponsor=card.slug)
            for card in found
        }
        return {
            card.slug: (
                card.status,
                card.known_until,
                {
                    item.youtuber.name: (item.status, item.known_until)
                    for item in lists[card.slug].youtubers
                },
            )
            for card in found
        }

    before = await statuses()
    assert {status for status, *_ in before.values()} == {"unknown", "unseen"}
    await own_catalog.ingest([youtuber("new", "New"), video("n1", "new", ago(0), 10)])
    assert await statuses() == before


async def test_a_relation_has_lapsed_by_five_later_videos_over_more_than_180_days(
    empty_catalog: Catalog,
) -> None:
    paid = claim(BRAND, "paid_sponsorship", 0.9)
    keys = ("four", "five", "same-day", "soon", "after", "unordered")
    reply = await empty_catalog.ingest(
        [
            sponsor(BRAND, "Azura VPN", "azuravpn.com", "security"),
            *(youtuber(key, key.title()) for key in keys),
            *(video(f"{key}-paid", key, "2020-01-01", 10, paid) for key in keys),
            *later("four", "2021-01-01", 4),
            *later("five", "2021-01-01", 5),
            *later("same-day", "2021-01-01", 4),
            video("same-day-1", "same-day", "2020-01-01", 10),
            # 180 days after the last sponsorship, and one more.
            *later("soon", "2020-06-29"),
            *later("after", "2020-06-30"),
            *later("unordered", "2021-01-01", 3),
        ],
    )
    assert not reply.rejected
    await empty_catalog.ingest(later("unordered", "2020-02-02", 2))
    assert await relations(empty_catalog) == {
        "Four": ("unknown", "2020-01-01"),
        "Five": ("lapsed", "2021-01-01"),
        "Same-Day": ("unknown", "2020-01-01"),
        "Soon": ("unknown", "2020-06-29"),
        "After": ("lapsed", "2020-06-30"),
        "Unordered": ("lapsed", "2021-01-01"),
    }
    # The fifth was one of before.
    await empty_catalog.ingest([video("five-2021-01-01-4", "five", "2019-01-01", 10)])
    assert (await relations(empty_catalog))["Five"] == ("unknown", "2020-01-01")


async def test_an_active_relation_becomes_unknown_when_its_channel_is_no_longer_followed(
    empty_catalog: Catalog,
) -> None:
    paid = claim(BRAND, "paid_sponsorship", 0.9)
    await empty_catalog.ingest(
        [
            sponsor(BRAND, "Azura VPN", "azuravpn.com", "security"),
            *(youtuber(key, key.title()) for key in ("followed", "left", "watched", "glanced")),
            video("f1", "followed", ago(178), 10, paid),
            video("l1", "left", ago(183), 10, paid),
            video("k1", "watched", ago(190), 10, paid),
            *later("watched", ago(2)),
            video("p1", "glanced", ago(190), 10, paid),
            video("p2", "glanced", ago(2), 10),
        ]
    )
    assert await relations(empty_catalog) == {
        "Followed": ("active", ago(178)),
        "Left": ("unknown", ago(183)),
        "Watched": ("lapsed", ago(2)),
        "Glanced": ("unknown", ago(190)),
    }


async def test_an_import_alone_says_nothing_about_the_time_between(filled: Catalog) -> None:
    """It may have read the newest video of the channel's list only."""
    before = await relations(filled)
    for key in ("until2020", "long", "going"):
        name = key.title()
        await filled.ingest([youtuber(key, name, imported_at=f"{ago(1)}T12:00:00Z")])
    assert await relations(filled) == before
    await filled.ingest([video("u3", "until2020", ago(3), 10)])
    assert (await relations(filled))["Until2020"] == ("unknown", "2020-05-01")


async def test_a_sponsor_is_what_its_relations_are(filled: Catalog) -> None:
    page = await filled.call("SearchSponsors", sort="name")
    assert {card.slug: (card.status, card.known_until) for card in page.sponsors} == {
        BRAND: ("active", ago(30)),
        "brightmeal": ("lapsed", ago(60)),
        "ended": ("unknown", "2020-06-01"),
    }
    stats = await filled.call(
        "GetSponsorStats", sponsor=BRAND, from_date="2020-01-01", to_date="2021-12-31"
    )
    assert stats.sponsor.status == "active"


async def _status(catalog: Catalog, slug: str) -> tuple[str, str]:
    card = (await catalog.call("GetSponsor", sponsor=slug)).sponsor
    return card.status, card.known_until


async def test_no_relation_that_ended_changes_a_sponsor_of_which_another_is_unknown(
    filled: Catalog,
) -> None:
    ended = claim("ended", "paid_sponsorship", 0.9)
    for key, day, since in (
        ("s0", "2017-01-01", "2020-06-01"),
        # It is known to the last sponsorship of all, at least.
        ("s3", "2020-10-29", "2020-10-29"),
        ("s4", "2023-01-01", "2023-01-01"),
    ):
        await filled.ingest([video(key, "stopped", day, 10, ended)])
        assert await _status(filled, "ended") == ("unknown", since)
    # A channel of which only one newer video is known says no more.
    await filled.ingest([video("u3", "until2020", "2024-01-01", 10)])
    assert await _status(filled, "ended") == ("unknown", "2023-01-01")
    await filled.ingest(later("until2020", "2023-12-31", 4))
    assert await _status(filled, "ended") == ("lapsed", ago(60))
    await filled.ingest([video("g5", "going", ago(40), 10, ended)])
    assert await _status(filled, "ended") == ("active", ago(30))
    # Another that is unknown does not change it.
    await filled.ingest([video("l3", "long", "2024-04-04", 10, ended)])
    assert await _status(filled, "ended") == ("active", ago(30))


async def test_beside_the_last_day_of_a_filter_stands_that_of_the_relation(filled: Catalog) -> None:
    async def days(**filters: Any) -> list[tuple[str, str]]:
        by_sponsor = await filled.call("ListSponsorYoutubers", sponsor=BRAND, **filters)
        by_youtuber = await filled.call("ListYoutuberSponsors", youtuber="Going", **filters)
        own = next(item for item in by_sponsor.youtubers if item.youtuber.name == "Going")
        return [(item.last_seen, item.relation_last_seen) for item in (own, *by_youtuber.sponsors)]

    assert await days(to_date="2021-12-31") == [("2021-06-01", ago(150))] * 2
    assert await days() == [(ago(150), ago(150))] * 2


async def test_relations_are_listed_by_their_status_whatever_the_period(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest(
        [video("a0", "ada", "2023-04-01", 10), video("a9", "ada", "2023-11-29", 10)]
    )
    catalog = own_catalog
    few = await catalog.call("ListYoutuberSponsors", youtuber="ada", status="lapsed")
    assert not few.sponsors
    await catalog.ingest([video("a8", "ada", "2023-11-28", 10)])
    ended = await catalog.call(
        "ListYoutuberSponsors", youtuber="ada", status="lapsed", sort="oldest"
    )
    assert [(item.sponsor.name, item.last_seen) for item in ended.sponsors] == [
        ("Azura VPN", "2023-02-15"),
        ("BrightMeal", "2023-02-15"),
    ]
    early = await catalog.call(
        "ListYoutuberSponsors", youtuber="ada", status="unknown", to_date="2023-03-01"
    )
    assert not early.sponsors
    active = await catalog.call("ListSponsorYoutubers", sponsor="dexter-games", status="active")
    unknown = await catalog.call("ListSponsorYoutubers", sponsor="dexter-games", status="unknown")
    assert not active.youtubers
    assert {item.youtuber.name for item in unknown.youtubers} == {"Ada Löve", "Cyd Plays"}


async def test_the_oldest_relations_come_first_on_request(catalog: Catalog) -> None:
    found = await catalog.call("ListSponsorYoutubers", sponsor="azura-vpn", sort="oldest")
    assert [(item.youtuber.name, item.last_seen) for item in found.youtubers] == [
        ("Cyd Plays", "2023-01-31"),
        ("Ada Löve", "2023-02-15"),
    ]
