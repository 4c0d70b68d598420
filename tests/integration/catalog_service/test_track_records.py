"""Records of paid work and conflicts, against the same computed one by one from the rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import kinds, public_ids
from catalog_service.domain.conflicts import ConflictQueries
from catalog_service.domain.ingest import AnyFact
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.track_records import RecordQueries
from catalog_service.storage.connections import Database
from catalog_service.storage.store import PostgresRecords, PostgresYoutubers
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact
from shapes.catalog.records import Conflicts, ConflictsRequest
from tests import track_records
from tests.integration.catalog_service.conftest import Catalog, new_settings
from tests.integration.catalog_service.example import claim, sponsor, video, youtuber
from tests.integration.catalog_service.test_joining_the_sample import sample
from tests.integration.catalog_service.test_whole_months import Queries
from tests.track_records import Tables, Upload, Work

TODAY = date(2024, 12, 31)
SLUGS = ("one", "two", "three", "four", "five")
KEYS = "wxyz"


def some_facts(seed: int) -> list[AnyFact]:
    """Videos of four years, several of one day, in any format, by few brands that come back or do not."""
    chooser = random.Random(seed)
    first = TODAY - timedelta(days=chooser.choice((40, 400, 1_500)))
    days = [first + timedelta(days=chooser.randrange((TODAY - first).days)) for _ in range(60)]
    sponsors = [
        SponsorFact(slug=slug, name=slug, category=chooser.choice((None, "ai", "ai", "food")))
        for slug in SLUGS
    ]
    youtubers = [
        YoutuberFact(key=key, name=key, subscribers=chooser.choice((None, 10, 20, 35)))
        for key in KEYS
    ]
    videos = [_video(chooser, number, chooser.choice(days)) for number in range(80)]
    return [*sponsors, *youtubers, *videos]


def _video(chooser: random.Random, number: int, day: date) -> VideoFact:
    claims = [
        SponsorshipFact(
            sponsor_slug=slug,
            kind=chooser.choice(kinds.ALL),
            confidence=chooser.choice((0.5, 1.0)),
            detector_version="d",
            reason="r",
        )
        for slug in chooser.sample(SLUGS, chooser.choice((0, 0, 1, 1, 2)))
    ]
    return VideoFact(
        key=f"v{number}",
        youtuber_key=chooser.choice("wxxxyy"),
        published_at=str(day),
        duration_seconds=chooser.choice((None, 30, 900, 900, 900)),
        broadcast=chooser.choice((None, "none", "none", "ended")),
        sponsorships=tuple(claims),
    )


class Recorded(Queries):
    """A catalogue whose records can be computed again."""

    def __init__(self, engine: AsyncEngine, readers: AsyncEngine) -> None:
        super().__init__(engine, readers)
        database = Database(engine, readers)
        self.youtubers = PostgresYoutubers(database)
        self.records = RecordQueries(PostgresRecords(database))
        resolver = Resolver(self.sponsors, self.youtubers)
        self.conflicts = ConflictQueries(self.youtubers, resolver, lambda: TODAY)

    async def tables(self) -> Tables:
        async with self.engine.connect() as connection:
            works = [
                Work(**row._mapping) for row in await connection.execute(text(track_records.WORKS))
            ]
            uploads = [
                Upload(**row._mapping)
                for row in await connection.execute(text(track_records.UPLOADS))
            ]
            rows = await connection.execute(text(track_records.SUBSCRIBERS))
            return Tables(works, uploads, {row.id: row.subscribers for row in rows})

    async def brands(self) -> dict[int, str | None]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(text(track_records.BRANDS))
            return {row.id: row.category for row in rows}


@asynccontextmanager
async def opened(database_url: str) -> AsyncGenerator[Recorded]:
    service = new_settings(database_url)
    engine, readers = open_engine(service, "test"), open_reading_engine(service, "test queries")
    try:
        yield Recorded(engine, readers)
    finally:
        await engine.dispose()
        await readers.dispose()


@pytest.fixture(scope="module")
async def recorded(fresh_database: Callable[[], str]) -> AsyncGenerator[Recorded]:
    async with opened(fresh_database()) as catalogue:
        yield catalogue


def stated(record: Any) -> dict[str, Any]:
    return track_records.stated_record(asdict(record))


@pytest.fixture(scope="module")
async def whole_sample(fresh_database: Callable[[], str]) -> AsyncGenerator[Recorded]:
    """The catalogue that a first start loads."""
    facts = list(sample())
    async with opened(fresh_database()) as catalogue:
        await catalogue.hold([facts[at : at + 1_000] for at in range(0, len(facts), 1_000)])
        yield catalogue


async def assert_records(catalogue: Recorded, one_of: int = 1) -> Counter[str]:
    """Compare the record of every creator with sponsorships, of one in so many others, and of every brand.

    Return how many records have what.
    """
    tables = await catalogue.tables()
    having: Counter[str] = Counter()
    for creator in tables.subscribers:
        if creator % one_of and not tables.all_of_creator[creator]:
            continue
        card = await catalogue.youtubers.youtuber_card(creator)
        found = stated(await catalogue.records.of_youtuber(card))
        assert found == track_records.creator_record(tables, creator)
        having["creators that brands came back to"] += found["renewal"][1] > 0
    for brand in await catalogue.brands():
        found = stated(await catalogue.records.of_sponsor(brand))
        assert found == track_records.brand_record(tables, brand)
        having["brands that came back"] += found["renewal"][1] > 0
        having["brands with a season to tell"] += found["season"] is not None
    return having


@pytest.mark.timeout(300)
async def test_records_of_all_creators_and_brands_of_the_sample(whole_sample: Recorded) -> None:
    having = await assert_records(whole_sample, one_of=20)
    assert having["creators that brands came back to"] > 20
    assert having["brands that came back"] > 40
    assert having["brands with a season to tell"] > 0


@pytest.mark.thorough
async def test_conflicts_of_all_creators_of_the_sample_with_the_brands_that_they_had(
    whole_sample: Recorded,
) -> None:
    tables, brands = await whole_sample.tables(), await whole_sample.brands()
    pairs = {
        (work.creator, work.brand) for works in tables.all_of_creator.values() for work in works
    }
    found = [
        await assert_conflicts(whole_sample, tables, creator, (brand, brands[brand]), 730)
        for creator, brand in sorted(pairs)
    ]
    assert len(found) > 500
    assert sum(found) > 50


async def assert_conflicts(
    catalogue: Recorded, tables: Tables, creator: int, brand: tuple[int, str | None], days: int
) -> bool:
    """Compare the conflicts of a brand, given with its category; return whether there is one."""
    number, category = brand
    found = await catalogue.conflicts.find(
        ConflictsRequest(public_ids.youtuber(creator), public_ids.sponsor(number), days, 50, ())
    )
    expected = track_records.conflicts(tables, creator, number, category, days)
    assert_states(found, expected)
    return bool(found.conflicts)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1_000_000))
async def test_records_are_what_the_rows_give_one_by_one(recorded: Recorded, seed: int) -> None:
    facts = some_facts(seed)
    await recorded.hold([facts[:30], facts[30:]])
    await assert_records(recorded)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1_000_000), days=st.sampled_from([1, 2, 30, 90, 3_650]))
async def test_conflicts_are_what_the_rows_give_one_by_one(
    recorded: Recorded, seed: int, days: int
) -> None:
    facts = some_facts(seed)
    await recorded.hold([facts[:30], facts[30:]])
    tables = await recorded.tables()
    for brand in (await recorded.brands()).items():
        for creator in tables.subscribers:
            await assert_conflicts(recorded, tables, creator, brand, days)


def assert_states(found: Conflicts, expected: dict[str, Any]) -> None:
    period = found.period and (found.period.from_date, found.period.to_date)
    assert period == expected["period"]
    assert expected["brands"] == {
        public_ids.number(item.sponsor.id): (item.videos, item.last_seen)
        for item in found.conflicts
    }
    assert found.brands == len(expected["brands"])
    assert [item.video.published_at for item in found.conflicts] == sorted(
        (last for _, last in expected["brands"].values()), reverse=True
    )
    assert found.unknown_brands == len(expected["unknown"])
    examples = {public_ids.number(item.id) for item in found.unknown_examples}
    assert examples <= expected["unknown"]
    assert len(examples) == min(5, len(expected["unknown"]))


async def test_a_record_is_given_on_request(catalog: Catalog) -> None:
    for rpc, arguments in (
        ("GetYoutuber", {"youtuber": "ada"}),
        ("GetSponsor", {"sponsor": "azura-vpn"}),
    ):
        assert not (await catalog.call(rpc, **arguments)).HasField("record")
        assert (await catalog.call(rpc, **arguments, record=True)).HasField("record")


async def test_the_record_of_a_creator_says_what_is_not_known(catalog: Catalog) -> None:
    """Ada's videos have no length; Azura VPN came back, BrightMeal and Dexter Games did not, and too few videos are known."""
    record = (await catalog.call("GetYoutuber", youtuber="ada", record=True)).record
    assert not record.fulfilment.HasField("rate")
    assert (record.fulfilment.unknown_format, record.fulfilment.unknown_format_sponsored) == (4, 3)
    assert (record.renewal.known, record.renewal.came_back, record.renewal.still_open) == (3, 1, 2)
    assert record.renewal.rate == pytest.approx(1 / 3)
    assert record.renewal.rate_at_most == 1
    assert (record.gap.median_days, record.gap.gaps) == (36, 1)
    assert (record.two_years.sponsors, record.two_years.booked_again) == (3, 1)
    assert record.two_years.period.from_date == "2023-01-10"
    assert list(record.kinds) == list(kinds.PAID)
    assert record.note == (
        "The format is not known of 4 videos of the channel's last known year, 3 of them with paid work: no fulfilment rate can be "
        "given. Of brands with one booking, 2 of 2 may yet come back, or did unseen: too little of the channel is known after it. "
        "The renewal rate is at least `rate`, and at most `rate_at_most`."
    )


async def test_free_products_are_no_bookings(catalog: Catalog) -> None:
    """Bob had BrightMeal once in paid work, and once a free product."""
    record = (await catalog.call("GetSponsor", sponsor="brightmeal", record=True)).record
    assert (record.renewal.known, record.renewal.came_back) == (2, 0)
    assert (record.gap.HasField("median_days"), record.gap.gaps, record.gap.largest) == (
        False,
        0,
        0,
    )
    assert (record.cadence.videos, record.cadence.active_months, record.cadence.all_months) == (
        2,
        2,
        2,
    )
    assert (record.creator_size.median_subscribers, record.creator_size.unknown) == (750_000, 0)
    assert not record.HasField("season")
    assert record.no_season.startswith("0 whole calendar years")


async def test_a_creator_without_videos_and_a_brand_without_paid_work_have_empty_records(
    own_catalog: Catalog,
) -> None:
    await own_catalog.ingest([youtuber("new", "New")])
    record = (await own_catalog.call("GetYoutuber", youtuber="New", record=True)).record
    assert record.note == "No video of the channel is known."
    assert not record.fulfilment.HasField("period")
    assert not record.renewal.HasField("rate")
    brand = (await own_catalog.call("GetSponsor", sponsor="crypto-nest", record=True)).record
    assert (brand.renewal.known, brand.cadence.videos) == (0, 0)
    assert not brand.cadence.HasField("period")


async def test_fulfilment_is_of_longform_videos_of_a_year_until_the_newest_known_one(
    own_catalog: Catalog,
) -> None:
    paid = claim("azura-vpn", "paid_sponsorship", 0.9)
    long = {"duration_seconds": 900, "broadcast": "none"}
    await own_catalog.ingest(
        [
            youtuber("fay", "Fay"),
            video("f1", "fay", "2021-03-01", 1, paid, **long),
            video("f2", "fay", "2021-03-02", 1, paid, **long),
            video("f3", "fay", "2021-09-01", 1, claim("azura-vpn", "free_product", 0.9), **long),
            video("f4", "fay", "2021-10-01", 1, paid, duration_seconds=30),
            video("f5", "fay", "2021-11-01", 1, paid, duration_seconds=900),
            video("f6", "fay", "2022-03-01", 1, duration_seconds=900, broadcast="ended"),
        ]
    )
    found = (await own_catalog.call("GetYoutuber", youtuber="fay", record=True)).record
    fulfilment = found.fulfilment
    assert (fulfilment.period.from_date, fulfilment.period.to_date) == ("2021-03-02", "2022-03-01")
    assert (fulfilment.longform, fulfilment.sponsored, fulfilment.rate) == (2, 1, 0.5)
    assert (fulfilment.unknown_format, fulfilment.unknown_format_sponsored) == (1, 1)
    assert fulfilment.other_formats == 2
    assert "of 1 videos" in found.note
    assert "the fulfilment rate is of the 2 known to be longform alone" in found.note


async def test_a_conflict_comes_with_its_last_video_and_its_evidence(own_catalog: Catalog) -> None:
    await own_catalog.ingest(
        [
            sponsor("zeta-vpn", "Zeta VPN", "zeta.example", "security"),
            sponsor("odd", "Odd", "odd.example", None),
            video("a5", "ada", "2023-10-01", 5, claim("odd", "affiliate", 0.8)),
        ]
    )
    arguments = {"youtuber": "ada", "sponsor": "zeta-vpn"}
    found = await own_catalog.call("ListConflicts", **arguments, days=365)
    (conflict,) = found.conflicts
    assert (conflict.sponsor.slug, conflict.last_seen, conflict.videos) == (
        "azura-vpn",
        "2023-02-15",
        2,
    )
    assert (conflict.kind, conflict.confidence, conflict.evidence.reason) == (
        "promo_code",
        0.8,
        "says so",
    )
    assert conflict.video.published_at == "2023-02-15"
    assert (found.category, found.brands, found.unknown_brands) == ("security", 1, 1)
    assert [item.slug for item in found.unknown_examples] == ["odd"]
    assert (found.coverage.videos_in_period, found.coverage.last_video) == (5, "2023-11-30")
    assert found.note.startswith(
        "Further brands that may be conflicts, as their category is not known: 1. The known videos"
    )
    later = await own_catalog.call("ListConflicts", **arguments, days=90)
    assert list(later.conflicts) == []
    assert later.note.startswith(
        "No other brand of security is known on the channel in these days; its known videos of them: 2. Further brands"
    )


async def test_a_brand_without_category_has_no_known_conflict(own_catalog: Catalog) -> None:
    await own_catalog.ingest([sponsor("odd", "Odd", "odd.example", None)])
    found = await own_catalog.call("ListConflicts", youtuber="ada", sponsor="odd", days=365)
    assert (list(found.conflicts), found.HasField("category"), found.unknown_brands) == (
        [],
        False,
        3,
    )
    assert found.note.startswith(
        "The category of Odd is not known, so that no conflict can be told. Other brands on the channel in these days: 3."
    )


async def test_the_brand_itself_is_no_conflict(catalog: Catalog) -> None:
    own = await catalog.call("ListConflicts", youtuber="bob", sponsor="brightmeal", days=365)
    assert (list(own.conflicts), own.unknown_brands) == ([], 0)


async def test_free_products_are_conflicts_if_they_are_named(own_catalog: Catalog) -> None:
    await own_catalog.ingest([sponsor("zeta", "Zeta", "zeta.example", "food")])
    arguments = {"youtuber": "bob", "sponsor": "zeta", "days": 14}
    assert not (await own_catalog.call("ListConflicts", **arguments)).conflicts
    found = await own_catalog.call("ListConflicts", **arguments, kinds=["free_product"])
    assert [item.kind for item in found.conflicts] == ["free_product"]


async def test_more_conflicts_than_the_limit_are_counted(own_catalog: Catalog) -> None:
    slugs = ["zeta", "eta", "theta"]
    await own_catalog.ingest(
        [
            *(sponsor(slug, slug, f"{slug}.example", "food") for slug in slugs),
            video("b4", "bob", "2023-03-06", 1, *(claim(slug, "affiliate", 0.9) for slug in slugs)),
        ]
    )
    found = await own_catalog.call(
        "ListConflicts", youtuber="bob", sponsor="brightmeal", days=1, limit=2
    )
    assert (len(found.conflicts), found.brands) == (2, 3)


async def test_a_channel_without_videos_has_no_days_to_look_at(own_catalog: Catalog) -> None:
    await own_catalog.ingest([youtuber("new", "New")])
    found = await own_catalog.call("ListConflicts", youtuber="New", sponsor="azura-vpn", days=90)
    assert not found.HasField("period")
    assert found.note == "No video of the channel is known: import it first."


@pytest.mark.parametrize("days", [0, -1, 3_651])
async def test_days_have_bounds(catalog: Catalog, days: int) -> None:
    with pytest.raises(Exception, match="`days` must be from 1 to 3,650"):
        await catalog.call("ListConflicts", youtuber="ada", sponsor="azura-vpn", days=days)
