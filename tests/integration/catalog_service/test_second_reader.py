"""Claims of a second reader: they name it, and leave known brands as they are."""

from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


async def test_the_evidence_of_a_claim_names_the_reader_that_confirmed_it(
    own_catalog: Catalog,
) -> None:
    claim = example.claim("brightmeal", "affiliate", 0.9)
    claim.reader = "small-1"
    reply = await own_catalog.ingest([example.video("b9", "bob", "2023-06-01", 1, claim)])
    assert not reply.rejected
    by_day = {
        item.video.published_at: item
        for item in (await own_catalog.call("ListSponsorVideos", sponsor="brightmeal")).videos
    }
    assert by_day["2023-06-01"].evidence.reader == "small-1"
    assert not by_day["2023-01-20"].evidence.HasField("reader")
    (video, *_) = (await own_catalog.call("ListYoutuberVideos", youtuber="bob")).videos
    assert video.sponsorships[0].evidence.reader == "small-1"
    again = await own_catalog.ingest([example.video("b9", "bob", "2023-06-01", 1, claim)])
    assert (again.updated, again.unchanged) == (0, 1)


async def test_a_brand_that_a_reader_named_changes_none_that_is_known(own_catalog: Catalog) -> None:
    before = await own_catalog.call("GetSponsor", sponsor="brightmeal")
    foreign = example.sponsor("brightmeal", "Bright MEAL", "evil.example", None, only_if_new=True)
    reply = await own_catalog.ingest([foreign])
    assert (reply.updated, reply.unchanged) == (0, 1)
    assert await own_catalog.call("GetSponsor", sponsor="brightmeal") == before


async def test_a_brand_that_nobody_knew_is_taken_and_later_facts_change_it(
    own_catalog: Catalog,
) -> None:
    first = example.sponsor("blue-harbor", "Blue Harbor", "first.example", None, only_if_new=True)
    claim = example.claim("blue-harbor", "paid_sponsorship", 0.6)
    reply = await own_catalog.ingest([first, example.video("b9", "bob", "2023-06-01", 1, claim)])
    assert not reply.rejected
    assert (
        await own_catalog.call("GetSponsor", sponsor="blue-harbor")
    ).sponsor.domain == "first.example"
    later = example.sponsor("blue-harbor", "Blue Harbor", "blueharbor.example", None)
    assert (await own_catalog.ingest([later])).updated == 1
    sponsor = (await own_catalog.call("GetSponsor", sponsor="blue-harbor")).sponsor
    assert sponsor.domain == "blueharbor.example"
