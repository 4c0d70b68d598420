"""Taking facts in, over gRPC."""

import asyncio
from typing import Any

import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import InvalidInput
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber


def counts(reply: pb.IngestReply) -> tuple[int, int, int]:
    return reply.created, reply.updated, reply.unchanged


async def test_the_same_facts_again_change_nothing(empty_catalog: Catalog) -> None:
    first = await empty_catalog.ingest(example.FACTS)
    before = await empty_catalog.call("SearchYoutubers")
    again = await empty_catalog.ingest(example.FACTS, example.VIDEOS)
    assert counts(first) == (20, 0, 0)
    assert counts(again) == (0, 0, 30)
    assert again.catalog_version == first.catalog_version == 1
    assert await empty_catalog.call("SearchYoutubers") == before


async def test_an_empty_stream_returns_the_version(empty_catalog: Catalog) -> None:
    assert (await empty_catalog.ingest()).catalog_version == 0


async def test_an_empty_catalogue_gives_empty_results(empty_catalog: Catalog) -> None:
    assert not (await empty_catalog.call("SearchSponsors", search="anything")).sponsors
    assert not (await empty_catalog.call("SearchYoutubers")).youtubers
    top = await empty_catalog.call("TopSponsors", country="DE")
    assert (top.totals.videos, len(top.sponsors)) == (0, 0)
    assert top.period.from_date == top.period.to_date
    assert len((await empty_catalog.call("ListCategories")).categories) == 56
    await empty_catalog.ingest(example.SPONSORS, example.YOUTUBERS)
    stats = await empty_catalog.call("GetSponsorStats", sponsor="azura-vpn")
    assert (stats.totals.videos, len(stats.series)) == (0, 0)
    videos = await empty_catalog.call("GetYoutuberStats", youtuber="ada")
    assert (videos.videos, len(videos.series)) == (0, 0)
    assert not (await empty_catalog.call("ListProspects", youtuber="ada")).prospects
    assert not (await empty_catalog.call("ListSimilarSponsors", sponsor="azura-vpn")).sponsors


async def test_a_bad_item_is_rejected_and_the_rest_goes_on(empty_catalog: Catalog) -> None:
    reply = await empty_catalog.ingest(
        [*example.SPONSORS, sponsor("Bad Slug", "x", "x.example", None)],
        [
            *example.YOUTUBERS,
            pb.IngestItem(),
            video("v", "nobody", "2024-01-01", 1),
            video("w", "ada", "2024-01-01", 1, claim("no-such", "affiliate", 0.5)),
            video("x", "ada", "tomorrow", 1),
            video("y", "ada", "2024-01-01", 1, claim("azura-vpn", "gift", 0.5)),
            video("z", "ada", "2024-01-01", 1),
            youtuber("eve", "Eve", channel_id=example.ADA_CHANNEL),
        ],
    )
    assert [(item.index, item.reason) for item in reply.rejected] == [
        (6, "slug 'Bad Slug' is malformed"),
        (11, "the item holds no fact"),
        (12, "unknown youtuber 'nobody'"),
        (13, "unknown sponsor 'no-such'"),
        (14, "published_at is neither a day nor an RFC 3339 instant"),
        (15, "kind must be one of paid_sponsorship, promo_code, affiliate, free_product"),
        (17, f"channel_id {example.ADA_CHANNEL} belongs to 'ada'"),
    ]
    assert reply.created == 11


async def test_a_fact_blanks_nothing_that_is_known(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.FACTS)
    reply = await empty_catalog.ingest(
        [
            pb.IngestItem(sponsor=pb.SponsorFact(slug="azura-vpn", name="Azura VPN")),
            youtuber("ada", "Ada Löve"),
            video("a3", "ada", "2023-05-20", None),
        ]
    )
    assert counts(reply) == (0, 0, 3)
    card = (await empty_catalog.call("GetYoutuber", youtuber="ada")).youtuber
    assert (card.subscribers, card.handle) == (1_000_000, "@AdaLoeve")


async def test_a_sponsorship_that_is_no_longer_claimed_is_removed(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.FACTS)
    reply = await empty_catalog.ingest(
        [video("a2", "ada", "2023-02-15", 2000, claim("brightmeal", "paid_sponsorship", 0.9))]
    )
    assert counts(reply) == (0, 1, 0)
    card = (await empty_catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor
    assert (card.videos, card.views, card.last_seen) == (2, 1000, "2023-01-31")


async def test_new_views_reach_every_total(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.FACTS)
    fact = example.VIDEOS[0].video
    changed = pb.VideoFact()
    changed.CopyFrom(fact)
    changed.views = 5000
    await empty_catalog.ingest([pb.IngestItem(video=changed)])
    card = (await empty_catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor
    top = await empty_catalog.call("TopSponsors", from_date="2023-01-01", to_date="2023-02-28")
    assert card.views == 7000
    assert top.sponsors[0].views == 7000


async def test_country_and_category_follow_into_the_sponsorships(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.FACTS)
    await empty_catalog.ingest(
        [youtuber("cyd", "Cyd Plays", country="FR"), sponsor("brightmeal", "BrightMeal", "brightmeal.com", "pets")]
    )  # fmt: skip
    french = await empty_catalog.call("TopSponsors", country="FR")
    assert [item.sponsor.name for item in french.sponsors] == ["Azura VPN", "Dexter Games"]
    pets = await empty_catalog.call("TopSponsors", category="pets", to_date="2023-12-31")
    assert [(item.videos, item.free_products) for item in pets.sponsors] == [(2, 1)]


async def test_a_renamed_sponsor_is_found_by_its_new_name_only(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.SPONSORS)
    await empty_catalog.ingest([sponsor("dexter-games", "Quokka Play", "quokka.example", "games")])
    found = await empty_catalog.call("SearchSponsors", search="quokka")
    assert [card.name for card in found.sponsors] == ["Quokka Play"]
    assert not (await empty_catalog.call("SearchSponsors", search="dexter")).sponsors


async def test_facts_about_one_thing_take_effect_in_order(empty_catalog: Catalog) -> None:
    reply = await empty_catalog.ingest(
        [
            youtuber("eve", "Eve", subscribers=1),
            youtuber("eve", "Eve"),
            youtuber("eve", "Eva", subscribers=2),
        ]
    )
    assert counts(reply) == (1, 1, 1)
    card = (await empty_catalog.call("GetYoutuber", youtuber="eva")).youtuber
    assert card.subscribers == 2


async def test_the_first_to_claim_a_channel_has_it(empty_catalog: Catalog) -> None:
    reply = await empty_catalog.ingest(
        [
            youtuber("eve", "Eve"),
            youtuber("eve", "Eve", channel_id=example.ADA_CHANNEL),
            youtuber("fay", "Fay", channel_id=example.ADA_CHANNEL),
            youtuber("eve", "Eve", channel_id="UC" + "b" * 22),
        ]
    )
    assert [(item.index, item.reason.partition(" UC")[0]) for item in reply.rejected] == [
        (2, "channel_id"),
        (3, "channel_id"),
    ]
    card = (await empty_catalog.call("GetYoutuber", youtuber=example.ADA_CHANNEL)).youtuber
    assert card.name == "Eve"


async def test_the_instant_of_an_import_is_stored_if_the_fact_has_it(
    empty_catalog: Catalog,
) -> None:
    fact = youtuber("eve", "Eve", imported_at="2024-05-01T12:00:00+02:00")
    await empty_catalog.ingest([fact])
    card = (await empty_catalog.call("GetYoutuber", youtuber="eve")).youtuber
    assert card.coverage.last_import == "2024-05-01T10:00:00Z"
    assert counts(await empty_catalog.ingest([fact])) == (0, 0, 1)


async def test_too_large_a_message_is_refused(empty_catalog: Catalog) -> None:
    with pytest.raises(InvalidInput, match="1,000"):
        await empty_catalog.ingest([youtuber(f"k{n}", "x") for n in range(1_001)])


async def test_concurrent_batches_neither_lose_nor_double_anything(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(example.SPONSORS)
    people = [youtuber(f"k{n}", f"Person {n}") for n in range(20)]
    films = [
        video(f"f{n}", f"k{n % 20}", f"2024-01-{n % 28 + 1:02d}", n, claim("azura-vpn", "affiliate", 1))
        for n in range(200)
    ]  # fmt: skip
    orders: list[list[Any]] = [[*people, *films], [*people, *films[::-1]], [*people[::-1], *films]]
    replies = await asyncio.gather(*(empty_catalog.ingest(order) for order in orders * 2))
    assert sum(reply.created for reply in replies) == 220
    assert sum(reply.unchanged for reply in replies) == 5 * 220
    card = (await empty_catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor
    assert (card.videos, card.youtubers, card.views) == (200, 20, sum(range(200)))
