"""SponsorBlock's segments, over HTTP against a stand-in that also misbehaves."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator

import httpx2
import pytest

from import_worker.clients.sponsorblock import MAX_BYTES, SponsorBlock, open_sponsorblock
from import_worker.domain.segments import Segment
from tests.fakes.imports import channel_id, some_videos
from tests.fakes.sponsorblock import FakeSponsorBlock, Fault, marked, running_sponsorblock
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
VIDEOS = some_videos(CHANNEL, 3)
FIRST, SECOND, THIRD = (video.video_id for video in VIDEOS)


@pytest.fixture
async def service() -> AsyncGenerator[FakeSponsorBlock]:
    async with running_sponsorblock() as running:
        yield running


@pytest.fixture
async def lookup(service: FakeSponsorBlock) -> AsyncGenerator[SponsorBlock]:
    async with open_sponsorblock(service.base_url, 2.0) as opened:
        yield opened


async def test_segments_are_requested_by_four_digits_of_the_hash(
    service: FakeSponsorBlock, lookup: SponsorBlock
) -> None:
    service.videos[FIRST] = [marked(195.4, 250.2), marked(30, 40)]
    assert await lookup.segments(VIDEOS) == {
        FIRST: (Segment(30, 40, "sponsorblock"), Segment(195, 251, "sponsorblock")),
        SECOND: (),
        THIRD: (),
    }
    prefixes = {hashlib.sha256(video.video_id.encode()).hexdigest()[:4] for video in VIDEOS}
    assert {path.removeprefix("/api/skipSegments/") for path in service.requests} == prefixes
    assert not any(video.video_id in path for video in VIDEOS for path in service.requests)


async def test_what_is_no_sponsor_or_of_another_cut_is_left_out(
    service: FakeSponsorBlock, lookup: SponsorBlock
) -> None:
    service.videos[FIRST] = [
        marked(1, 2, category="selfpromo"),
        marked(3, 4, actionType="poi"),
        marked(5, 6, videoDuration=700.0),
        marked(8, 7),
        marked(-1, 7),
        marked(7, 8, videoDuration=603.2),
        marked(7, 1e12),
    ]
    found = await lookup.segments(VIDEOS[:1])
    assert found == {FIRST: (Segment(7, 8, "sponsorblock"),)}


@pytest.mark.parametrize("fault", ["error", "busy", "slow", "endless", "broken", "redirect"])
async def test_a_failure_leaves_the_videos_alone_and_no_request_follows_for_a_while(
    service: FakeSponsorBlock, fault: Fault
) -> None:
    now = 1_000.0
    async with httpx2.AsyncClient(base_url=service.base_url) as http:
        lookup = SponsorBlock(http, 0.3, lambda: now)
        service.videos[FIRST] = [marked(1, 2)]
        service.fault = fault
        assert await lookup.segments(VIDEOS[:1]) == {}
        service.fault = None
        requests = len(service.requests)
        now += 59
        assert await lookup.segments(VIDEOS[:1]) == {}
        assert len(service.requests) == requests
        now += 2 if fault != "busy" else 600
        assert await lookup.segments(VIDEOS[:1]) == {FIRST: (Segment(1, 2, "sponsorblock"),)}


async def test_an_endless_response_is_left_before_it_fills_the_memory(
    service: FakeSponsorBlock,
) -> None:
    service.fault = "endless"
    async with open_sponsorblock(service.base_url, 60.0) as lookup, asyncio.timeout(20):
        assert await lookup.segments(VIDEOS[:1]) == {}
    assert service.sent < 8 * MAX_BYTES


async def test_an_import_writes_segments_and_keeps_them_without_a_response(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = VIDEOS
    bench.lookup.segments_by_id = {FIRST: (Segment(100, 160, "sponsorblock"),), SECOND: ()}
    await bench.start(CHANNEL)
    await bench.work()
    (claim,) = bench.catalog.sponsorships()[FIRST]
    assert (claim.segment_start, claim.segment_end) == (100, 160)
    assert claim.segment_source == "sponsorblock"
    bench.lookup.segments_by_id = {}
    await bench.pass_time(days=31)
    await bench.start(CHANNEL)
    await bench.work()
    (claim,) = bench.catalog.sponsorships()[FIRST]
    assert claim.segment_start == 100
