"""Status is a fact of a relation over all data, relative to how far its channel is known."""

import pytest

from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

BRAND = "azura-vpn"


@pytest.fixture
async def filled(empty_catalog: Catalog) -> Catalog:
    """Channels that are known until 2020 and until 2024, with sponsorships at different times."""
    paid = claim(BRAND, "paid_sponsorship", 0.9)
    other = claim("brightmeal", "paid_sponsorship", 0.9)
    ended = claim("ended", "paid_sponsorship", 0.9)
    await empty_catalog.ingest(
        [
            sponsor(BRAND, "Azura VPN", "azuravpn.com", "security"),
            sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food"),
            sponsor("ended", "Ended", "ended.example", None),
            *(youtuber(key, key.title()) for key in ("going", "stopped", "until2020", "long")),
            video("g1", "going", "2021-06-01", 10, paid),
            video("g2", "going", "2024-06-01", 10, paid),
            video("g3", "going", "2024-10-01", 10),
            video("s1", "stopped", "2021-06-01", 10, paid, other),
            video("s2", "stopped", "2024-09-01", 10),
            video("u1", "until2020", "2020-05-01", 10, paid, ended),
            video("u2", "until2020", "2020-06-01", 10),
            video("l1", "long", "2020-06-01", 10, paid),
            video("l2", "long", "2024-04-04", 10),
        ]
    )
    return empty_catalog


@pytest.mark.parametrize(
    "filters",
    [{}, {"to_date": "2021-12-31"}, {"from_date": "2020-01-01", "to_date": "2021-12-31"}],
)
async def test_no_filter_changes_the_status_of_a_relation(
    filled: Catalog, filters: dict[str, str]
) -> None:
    page = await filled.ask("ListSponsorYoutubers", sponsor=BRAND, **filters)
    assert {item.youtuber.name: (item.status, item.known_until) for item in page.youtubers} == {
        "Going": ("active", ""),
        "Stopped": ("lapsed", ""),
        "Until2020": ("unknown", "2020-06-01"),
        # 180 days before the newest video of the catalogue: known to the end.
        "Long": ("lapsed", ""),
    }
    page = await filled.ask("ListYoutuberSponsors", youtuber="Going", **filters)
    assert [(item.sponsor.slug, item.status) for item in page.sponsors] == [(BRAND, "active")]


async def test_a_channel_becomes_unknown_when_the_catalogue_goes_on_without_it(
    filled: Catalog,
) -> None:
    await filled.ingest([video("g4", "going", "2024-10-02", 10)])
    page = await filled.ask("ListSponsorYoutubers", sponsor=BRAND)
    shown = {item.youtuber.name: (item.status, item.known_until) for item in page.youtubers}
    assert shown["Long"] == ("unknown", "2024-04-04")
    await filled.ingest([video("l3", "long", "2024-10-02", 10)])
    page = await filled.ask("ListSponsorYoutubers", sponsor=BRAND)
    assert {item.status for item in page.youtubers if item.youtuber.name == "Long"} == {"lapsed"}


async def test_a_sponsor_is_what_its_relations_are(filled: Catalog) -> None:
    page = await filled.ask("SearchSponsors", sort="name")
    assert {card.slug: card.status for card in page.sponsors} == {
        BRAND: "active",
        "brightmeal": "lapsed",
        "ended": "unknown",
    }
    stats = await filled.ask(
        "GetSponsorStats", sponsor=BRAND, from_date="2020-01-01", to_date="2021-12-31"
    )
    assert stats.sponsor.status == "active"


async def test_relations_are_listed_by_their_status_whatever_the_period(catalog: Catalog) -> None:
    ended = await catalog.ask(
        "ListYoutuberSponsors", youtuber="ada", status="lapsed", sort="oldest"
    )
    assert [(item.sponsor.name, item.last_seen) for item in ended.sponsors] == [
        ("Azura VPN", "2023-02-15"),
        ("BrightMeal", "2023-02-15"),
    ]
    early = await catalog.ask(
        "ListYoutuberSponsors", youtuber="ada", status="active", to_date="2023-03-01"
    )
    assert not early.sponsors
    active = await catalog.ask("ListSponsorYoutubers", sponsor="dexter-games", status="active")
    unknown = await catalog.ask("ListSponsorYoutubers", sponsor="dexter-games", status="unknown")
    assert [item.youtuber.name for item in active.youtubers] == ["Ada Löve"]
    assert [item.youtuber.name for item in unknown.youtubers] == ["Cyd Plays"]


async def test_the_oldest_relations_come_first_if_asked_for(catalog: Catalog) -> None:
    found = await catalog.ask("ListSponsorYoutubers", sponsor="azura-vpn", sort="oldest")
    assert [(item.youtuber.name, item.last_seen) for item in found.youtubers] == [
        ("Cyd Plays", "2023-01-31"),
        ("Ada Löve", "2023-02-15"),
    ]
