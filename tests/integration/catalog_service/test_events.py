"""Events: written with the facts that they are of, in order, once."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from catalog_service.domain.relation_status import MIN_LATER_VIDEOS
from protos.catalog.v1 import events_pb2, events_pb2_grpc
from servicekit.errors import InvalidInput, ServiceError
from servicekit.grpc import client as grpc_client
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber

BRAND = "azura-vpn"
PAID = claim(BRAND, "paid_sponsorship", 0.9, "ADA")
MEAL = claim("brightmeal", "paid_sponsorship", 0.9)


def ago(days: int) -> str:
    return str(datetime.now(UTC).date() - timedelta(days=days))


BASE = [
    sponsor(BRAND, "Azura VPN", "azuravpn.com", "security"),
    sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food"),
    youtuber("ada", "Ada"),
]


async def page(catalog: Catalog, **fields: Any) -> events_pb2.EventPage:
    stub: Any = events_pb2_grpc.EventsStub(catalog.channel)
    request = events_pb2.EventsRequest(**{"limit": 100, **fields})
    return await grpc_client.call(stub.ListEvents, request, timeout=20)


async def events(catalog: Catalog) -> list[tuple[str, str, str]]:
    """Return kind, brand and video (or the day of the last one) of all events."""
    found: list[tuple[str, str, str]] = []
    for event in (await page(catalog, after=0)).events:
        data = json.loads(event.data_json)
        subject = data["video"]["id"] if "video" in data else data["last_seen"]
        found.append((event.kind, data["sponsor"]["slug"], subject))
    return found


async def test_a_new_sponsorship_of_a_recent_video_is_an_event(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest(
        [*BASE, video("v1", "ada", ago(2), 10, PAID, video_id="aaaaaaaaaa1")]
    )
    (event,) = (await page(empty_catalog, after=0)).events
    assert (event.kind, event.categories[0]) == ("sponsorship.new", "security")
    data = json.loads(event.data_json)
    assert data["sponsor"] == {
        "id": event.sponsor_id,
        "slug": BRAND,
        "name": "Azura VPN",
        "category": "security",
    }
    assert data["youtuber"]["id"] == event.youtuber_id
    assert data["video"]["url"] == "https://www.youtube.com/watch?v=aaaaaaaaaa1"
    assert (data["code"], data["kind"]) == ("ADA", "paid_sponsorship")


async def test_the_same_facts_again_write_no_event(empty_catalog: Catalog) -> None:
    facts = [*BASE, video("v1", "ada", ago(2), 10, PAID)]
    await empty_catalog.ingest(facts)
    before = await page(empty_catalog, after=0)
    await empty_catalog.ingest(facts)
    await empty_catalog.ingest([video("v1", "ada", ago(2), 99, PAID)])
    assert await page(empty_catalog, after=0) == before


async def test_a_detection_that_goes_and_comes_back_is_one_event(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(2), 10, PAID)])
    before = await events(empty_catalog)
    await empty_catalog.ingest([video("v1", "ada", ago(2), 10)])
    await empty_catalog.ingest([video("v1", "ada", ago(2), 10, PAID)])
    assert await events(empty_catalog) == before


async def test_another_brand_of_a_known_video_is_an_event_of_its_own(
    empty_catalog: Catalog,
) -> None:
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(2), 10, PAID)])
    await empty_catalog.ingest([video("v1", "ada", ago(2), 10, PAID, MEAL)])
    assert [brand for _, brand, _ in await events(empty_catalog)] == [BRAND, "brightmeal"]


async def test_old_videos_are_history_and_no_news(empty_catalog: Catalog) -> None:
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(31), 10, PAID)])
    assert await events(empty_catalog) == []


async def test_the_first_of_a_pair_is_an_event_where_the_channel_is_known_from_before(
    empty_catalog: Catalog,
) -> None:
    old = video("v0", "ada", ago(400), 10, MEAL)
    await empty_catalog.ingest([*BASE, old, video("v1", "ada", ago(3), 10, PAID, MEAL)])
    await empty_catalog.ingest([video("v2", "ada", ago(2), 10, PAID)])
    firsts = [event for event in await events(empty_catalog) if event[0] == "sponsorship.first"]
    assert [brand for _, brand, _ in firsts] == [BRAND]


async def test_the_first_of_a_pair_is_no_event_of_a_channel_hardly_known(
    empty_catalog: Catalog,
) -> None:
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(3), 10, PAID)])
    assert [kind for kind, _, _ in await events(empty_catalog)] == ["sponsorship.new"]


async def test_a_relation_lapses_once_by_the_video_that_makes_it_so(empty_catalog: Catalog) -> None:
    others = [video(f"o{n}", "ada", ago(100 - n), 10) for n in range(MIN_LATER_VIDEOS)]
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(200), 10, PAID), *others])
    assert await events(empty_catalog) == []
    newest = [video("n1", "ada", ago(1), 10)]
    await empty_catalog.ingest(newest)
    lapsed = ("relation.lapsed", BRAND, ago(200))
    assert await events(empty_catalog) == [lapsed]
    await empty_catalog.ingest(newest, [video("n2", "ada", ago(0), 10)])
    assert await events(empty_catalog) == [lapsed]


async def test_a_relation_that_lapsed_long_before_the_first_import_is_no_event(
    empty_catalog: Catalog,
) -> None:
    later = [video(f"o{n}", "ada", ago(20 - n), 10) for n in range(MIN_LATER_VIDEOS)]
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(900), 10, PAID), *later])
    assert await events(empty_catalog) == []


async def test_a_video_that_turns_out_to_be_a_known_one_brings_no_second_event(
    empty_catalog: Catalog,
) -> None:
    seen: dict[str, Any] = {"title_hash": "0123456789abcdef"}
    await empty_catalog.ingest(
        [
            *BASE[:2],
            youtuber("name:ada", "Ada"),
            video("x:1", "name:ada", ago(2), 5000, PAID, **seen),
        ]
    )
    before = await events(empty_catalog)
    channel = youtuber("yt:ada", "Ada", channel_id="UC" + "a" * 22)
    with_id = video("yt:1", "yt:ada", ago(2), 5000, PAID, video_id="aaaaaaaaaa1", **seen)
    await empty_catalog.ingest([channel, with_id])
    assert len((await empty_catalog.call("ListSponsorVideos", sponsor=BRAND)).videos) == 1
    assert await events(empty_catalog) == before


async def test_ids_stay_when_the_same_facts_come_into_another_catalogue(
    empty_catalog: Catalog,
) -> None:
    await empty_catalog.ingest([*BASE, video("v1", "ada", ago(2), 10, PAID)])
    before = (await page(empty_catalog, after=0)).events
    engine = create_async_engine(empty_catalog.settings.database_url)
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM catalog_events"))
        await connection.execute(text("DELETE FROM sponsorships"))
        await connection.execute(text("UPDATE videos SET digest = ''"))
    await engine.dispose()
    await empty_catalog.ingest([video("v1", "ada", ago(2), 10, PAID)])
    after = (await page(empty_catalog, after=0)).events
    assert [event.id for event in after] == [event.id for event in before]
    assert after[0].position > before[0].position


async def test_events_are_read_page_by_page_from_a_position(empty_catalog: Catalog) -> None:
    videos = [video(f"v{n}", "ada", ago(9 - n), 10, PAID) for n in range(5)]
    await empty_catalog.ingest([*BASE, *videos])
    everything = list((await page(empty_catalog, after=0)).events)
    first = await page(empty_catalog, after=0, limit=2)
    rest = await page(empty_catalog, after=first.events[-1].position)
    assert [*first.events, *rest.events] == everything
    assert len(everything) == 5
    assert [event.position for event in everything] == sorted(
        event.position for event in everything
    )
    beginning = await page(empty_catalog)
    assert (len(beginning.events), beginning.newest) == (0, everything[-1].position)


@pytest.mark.parametrize("fields", [{"limit": 0}, {"limit": 501}, {"after": -1}])
async def test_a_page_out_of_bounds_is_refused(
    empty_catalog: Catalog, fields: dict[str, int]
) -> None:
    with pytest.raises(InvalidInput):
        await page(empty_catalog, **{"after": 0, **fields})


async def test_an_event_is_not_there_when_its_batch_failed(empty_catalog: Catalog) -> None:
    engine = create_async_engine(empty_catalog.settings.database_url)
    async with engine.begin() as connection:
        await connection.execute(
            text("ALTER TABLE catalog_events ADD CHECK (data->'sponsor'->>'slug' <> 'brightmeal')")
        )
    await engine.dispose()
    with pytest.raises(ServiceError):
        await empty_catalog.ingest([*BASE, video("v1", "ada", ago(2), 10, PAID, MEAL)])
    assert await events(empty_catalog) == []
    assert not (await empty_catalog.call("SearchYoutubers")).youtubers
