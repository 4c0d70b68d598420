"""Brands that are one: everything moves, and what comes later lands there too."""

from typing import Any

import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import Conflict, NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video
from tests.integration.catalog_service.sums import rows
from tests.integration.catalog_service.test_reports import YEAR, accepted, claims, report


async def merge(catalog: Catalog, gone: str, target: str, **more: Any) -> pb.MergedSponsors:
    return await catalog.operate("MergeSponsors", from_sponsor=gone, into_sponsor=target, **more)


async def test_sponsorships_names_domains_and_sums_move(filled: Catalog) -> None:
    merged = await merge(filled, "azura-vpn", "brightmeal", note="One company.")
    assert (merged.videos_moved, merged.catalog_version) == (3, 2)
    assert (merged.sponsor.slug, merged.sponsor.videos) == ("brightmeal", 5)
    assert merged.sponsor.views == 1000 + 2000 + 100 + 300

    shown = await filled.call("GetSponsor", sponsor="brightmeal")
    assert list(shown.aliases) == ["Azura VPN", "Azura"]
    assert list(shown.domains) == ["brightmeal.com", "azuravpn.com"]
    assert (shown.sponsor.category, shown.sponsor.website) == ("food", "https://azuravpn.com")
    for name in ("azura-vpn", "sp_1", "Azura VPN", "azura", "https://www.azuravpn.com/deal"):
        found = await filled.call("GetSponsor", sponsor=name)
        assert found.sponsor.id == merged.sponsor.id, name
    listed = await filled.call("SearchSponsors", limit=50)
    assert "azura-vpn" not in {item.slug for item in listed.sponsors}

    top = await filled.call("TopSponsors", **YEAR)
    assert {item.sponsor.slug: (item.videos, item.free_products) for item in top.sponsors} == {
        "brightmeal": (4, 1), "dexter-games": (2, 0),
    }  # fmt: skip
    stats = await filled.call("GetSponsorStats", sponsor="brightmeal", **YEAR)
    months = {point.start: (point.videos, point.views) for point in stats.series if point.videos}
    assert months == {"2023-01-01": (3, 1100), "2023-02-01": (2, 2300)}
    food = await filled.call("TopSponsors", category="food", **YEAR)
    assert (food.totals.videos, food.totals.sponsorships) == (4, 4)
    # Where a video had both, the surer one stays.
    both = (await claims(filled))["brightmeal"]
    assert (both.kind, both.confidence) == ("paid_sponsorship", 0.9)


async def test_later_facts_of_the_old_slug_land_on_the_other(filled: Catalog) -> None:
    merged = await merge(filled, "azura-vpn", "brightmeal")
    again = await filled.ingest(example.FACTS)
    assert (again.created, again.updated) == (0, 0)
    assert (again.catalog_version, list(again.rejected)) == (merged.catalog_version, [])
    reply = await filled.ingest(
        [
            sponsor("azura-vpn", "Azura VPN Pro", "azura.example", "security", aliases=["AzVPN"]),
            video("n1", "dan", "2023-06-01", 7, claim("azura-vpn", "affiliate", 0.7)),
            video(
                "n2", "dan", "2023-06-02", 8,
                claim("azura-vpn", "affiliate", 0.99), claim("brightmeal", "promo_code", 0.5),
            ),
        ]
    )  # fmt: skip
    assert (reply.created, reply.updated, list(reply.rejected)) == (2, 1, [])
    shown = await filled.call("GetSponsor", sponsor="brightmeal")
    assert (shown.sponsor.name, shown.sponsor.category) == ("BrightMeal", "food")
    assert shown.sponsor.videos == 7
    assert {"Azura VPN Pro", "AzVPN"} <= set(shown.aliases)
    assert "azura.example" in shown.domains
    recent = await filled.call("ListSponsorVideos", sponsor="brightmeal", from_date="2023-06-01")
    assert [item.kind for item in recent.videos] == ["affiliate", "affiliate"]
    assert recent.videos[0].confidence == 0.99
    # The other's own fact does not take away what came with the merge.
    await filled.ingest(
        [sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food", aliases=["Bright Meal"])]
    )
    shown = await filled.call("GetSponsor", sponsor="azura-vpn")
    assert {"Bright Meal", "Azura VPN Pro", "AzVPN"} <= set(shown.aliases)
    assert {"brightmeal.com", "azura.example"} <= set(shown.domains)


async def test_facts_of_both_slugs_in_one_message_settle(filled: Catalog) -> None:
    await merge(filled, "azura-vpn", "brightmeal")
    facts = [
        sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food", aliases=["BM"]),
        sponsor("azura-vpn", "Azura", "azura.example", None),
        sponsor("azura-vpn", "Azura", "azura2.example", None),
    ]
    await filled.ingest(facts)
    first = await filled.call("GetSponsor", sponsor="brightmeal")
    assert {"brightmeal.com", "azura2.example"} <= set(first.domains)


async def test_a_merge_twice_or_in_a_circle_is_refused(filled: Catalog) -> None:
    await merge(filled, "echo-books", "echo-tools")
    for gone, target, words in (
        ("echo-books", "echo-tools", "echo-books was merged into echo-tools"),
        ("sp_5", "echo-tools", "sp_5 was merged into echo-tools"),
        ("echo-books", "brightmeal", "echo-books was merged into echo-tools"),
        ("echo-tools", "echo-books", "echo-books was merged into echo-tools"),
        ("brightmeal", "echo-books", "echo-books was merged into echo-tools"),
        ("brightmeal", "brightmeal", "into itself"),
        ("brightmeal", "sp_2", "into itself"),
    ):
        with pytest.raises(Conflict, match=words):
            await merge(filled, gone, target)
    for gone, target in (("nobody", "brightmeal"), ("brightmeal", "Azura VPN")):
        with pytest.raises(NotFound, match="id or slug"):
            await merge(filled, gone, target)


async def test_a_chain_of_merges_ends_at_the_last(filled: Catalog) -> None:
    await merge(filled, "azura-vpn", "dexter-games")
    merged = await merge(filled, "dexter-games", "brightmeal")
    assert merged.sponsor.videos == 7
    for name in ("azura-vpn", "dexter-games", "sp_1", "azuravpn.com"):
        found = await filled.call("GetSponsor", sponsor=name)
        assert found.sponsor.slug == "brightmeal"
    version = merged.catalog_version
    assert (await filled.ingest(example.FACTS)).catalog_version == version
    await filled.ingest([video("n", "dan", "2023-06-01", 1, claim("azura-vpn", "affiliate", 0.7))])
    assert (await filled.call("GetSponsor", sponsor="brightmeal")).sponsor.videos == 8


async def test_decisions_move_along(filled: Catalog) -> None:
    await accepted(filled, video="c1")  # Azura is hidden in c1
    await accepted(filled, "missing", video="b3", brand="azura-vpn")
    waiting = await report(filled, "wrong_kind", video="a1", proposed_kind="affiliate")
    await accepted(filled, video="a2", sponsor="brightmeal")  # BrightMeal is hidden in a2
    await merge(filled, "azura-vpn", "brightmeal")
    assert not await claims(filled, "c1")
    # What operators hid of the one that stays holds for what moves there.
    assert not await claims(filled)
    assert (await claims(filled, "b3"))["brightmeal"].detector_version == "review"
    await filled.ingest(
        [
            video("c1", "cyd", "2023-01-31", 5, claim("azura-vpn", "promo_code", 0.9)),
            video("a2", "ada", "2023-02-15", 5, claim("azura-vpn", "promo_code", 0.9)),
            video("b3", "bob", "2023-03-05", 5),
        ]
    )
    assert not await claims(filled, "c1")
    assert not await claims(filled)
    assert set(await claims(filled, "b3")) == {"brightmeal"}
    decision = await filled.operate("DecideReport", id=waiting.id, decision="accept")
    assert decision.report.report.sponsor.slug == "brightmeal"
    assert (await claims(filled, "a1"))["brightmeal"].kind == "affiliate"
    assert not rows(filled, "SELECT 1 FROM sponsorship_corrections WHERE sponsor_id = 1")


async def test_what_was_hidden_of_one_does_not_hide_what_is_seen_of_the_other(
    filled: Catalog,
) -> None:
    await accepted(filled)  # Azura is hidden in a2, where BrightMeal is seen
    await merge(filled, "azura-vpn", "brightmeal")
    assert set(await claims(filled)) == {"brightmeal"}
    facts = [
        claim("azura-vpn", "promo_code", 0.9),
        claim("brightmeal", "paid_sponsorship", 0.9),
    ]
    await filled.ingest([video("a2", "ada", "2023-02-15", 2001, *facts)])
    assert set(await claims(filled)) == {"brightmeal"}
