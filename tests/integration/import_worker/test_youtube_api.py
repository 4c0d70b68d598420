"""The Data API's source, over HTTP against the stand-in."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
import redis.asyncio as redis

from devstack.ports import free_port
from import_worker.clients.youtube_api import YouTubeApi
from import_worker.clients.youtube_http import open_youtube
from import_worker.clients.youtube_quota import Quota
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    PageExpired,
    Reference,
    ReferenceKind,
    Source,
    SourceQuotaUsedUp,
    SourceRefused,
    SourceUnavailable,
)
from servicekit.errors import ServiceError
from tests.fakes.youtube import (
    EMPTY,
    FIRST_DAY,
    MAKER,
    NO_ELICITATION,
    Running,
    made_catalogue,
    made_video,
    running_youtube,
)

KEY = "the operator's key"
WEEK = 7 * 86_400
CHANNELS, UPLOADS, VIDEOS = (
    f"/youtube/v3/{name}" for name in ("channels", "playlistItems", "videos")
)
NOON = datetime(2026, 7, 1, 19, tzinfo=UTC)  # noon in California
OPENING: Any = redis.Redis


@pytest.fixture
async def quota(fresh_valkey: str) -> AsyncGenerator[Quota]:
    async with OPENING.from_url(fresh_valkey) as client:
        yield Quota(client, KEY, budget=1_000, clock=lambda: NOON)


@pytest.fixture(scope="module")
async def served() -> AsyncGenerator[Running]:
    async with running_youtube(keys={KEY}) as running:
        yield running


@pytest.fixture
def running(served: Running) -> Running:
    served.youtube.begin_again(made_catalogue())
    return served


@pytest.fixture
def source(running: Running, quota: Quota) -> YouTubeApi:
    return YouTubeApi(running.http, KEY, quota)


async def maker(source: Source) -> Channel:
    return await source.resolve(Reference("channel_id", MAKER))


async def first_page_of_maker(source: Source) -> Any:
    return await source.uploads(await maker(source), None)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("channel_id", MAKER),
        ("handle", "@makersons"),
        ("username", "MakerOld"),
        ("video_id", "video000007"),
    ],
)
async def test_a_channel_is_found_by_each_kind_of_reference(
    source: YouTubeApi, kind: ReferenceKind, value: str
) -> None:
    assert await source.resolve(Reference(kind, value)) == Channel(
        channel_id=MAKER,
        title="Maker & Sons",
        handle="@makersons",
        description="We build.",
        country="IE",
        subscribers=51_000,
        video_count=120,
        uploads="UUmakermakermakermaker00",
    )


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("channel_id", NO_ELICITATION),
        ("handle", "@nobody"),
        ("username", "nobody"),
        ("video_id", "nosuchvideo"),
    ],
)
async def test_an_unknown_name_is_not_found(
    source: YouTubeApi, kind: ReferenceKind, value: str
) -> None:
    with pytest.raises(ChannelNotFound):
        await source.resolve(Reference(kind, value))


async def test_hidden_counts_are_unknown_and_not_zero(running: Running, source: YouTubeApi) -> None:
    running.youtube.catalogue.channels[0].subscribers = None
    assert (await maker(source)).subscribers is None


async def test_uploads_come_newest_first_and_in_pages(source: YouTubeApi) -> None:
    channel = await maker(source)
    page = await source.uploads(channel, None)
    sizes, seen = [len(page.uploads)], list(page.uploads)
    while page.following:
        page = await source.uploads(channel, page.following)
        sizes.append(len(page.uploads))
        seen += page.uploads
    assert sizes == [50, 50, 20]
    assert [item.video_id for item in seen] == [f"video{n:06}" for n in reversed(range(120))]
    assert seen[-1].published_at == FIRST_DAY
    assert page.total == 120


@pytest.mark.parametrize("privacy", ["private", "deleted"])
async def test_a_video_that_is_not_public_is_neither_listed_nor_shown(
    running: Running, source: YouTubeApi, privacy: Any
) -> None:
    made = running.youtube.catalogue.channels[0].videos
    made[119] = replace(made[119], privacy=privacy)
    page = await first_page_of_maker(source)
    assert page.uploads[0].video_id == "video000118"
    videos = await source.videos(["video000119", "video000118", "nosuchvideo"])
    assert [video.video_id for video in videos] == ["video000118"]


async def test_a_channel_without_uploads_has_an_empty_page(source: YouTubeApi) -> None:
    channel = await source.resolve(Reference("channel_id", EMPTY))
    page = await source.uploads(channel, None)
    assert (page.uploads, page.following, page.total) == ((), None, 0)


async def test_a_channel_that_went_away_is_not_found(running: Running, source: YouTubeApi) -> None:
    channel = await maker(source)
    running.youtube.catalogue.channels.clear()
    running.youtube.catalogue.index()
    with pytest.raises(ChannelNotFound):
        await source.uploads(channel, None)


async def test_a_video_is_read_with_all_that_is_known(source: YouTubeApi) -> None:
    (video,) = await source.videos(["video000003"])
    assert video.channel_id == MAKER
    assert video.title == "Building shelf 3"
    assert video.description == (
        "Part 3. Thanks to Boltworks for sponsoring!\nhttps://boltworks.example"
    )
    assert video.published_at == datetime(2026, 1, 4, 12, tzinfo=UTC)
    assert (video.category_number, video.duration_seconds, video.views) == (26, 3723, 1003)
    assert (video.language, video.declares_placement) == ("en", None)


@pytest.mark.parametrize(
    ("changes", "name", "expected"),
    [
        ({"duration": "P1DT1S"}, "duration_seconds", 86_401),
        ({"duration": "P0D"}, "duration_seconds", None),
        ({"duration": "an hour"}, "duration_seconds", None),
        ({"duration": "P1M"}, "duration_seconds", None),
        ({"views": None}, "views", None),
        ({"views": 2**40}, "views", 2**40),
        ({"category": ""}, "category_number", None),
        ({"language": None}, "language", None),
        ({"language": "not a tag"}, "language", None),
        ({"likes": 70}, "likes", 70),
        ({"likes": None}, "likes", None),
        ({"comments": 0}, "comments", 0),
        ({"comments": None}, "comments", None),
        ({"broadcast": "none"}, "broadcast", "none"),
        ({"broadcast": "upcoming", "duration": "P0D"}, "broadcast", "upcoming"),
        ({"broadcast": "live", "duration": "P0D"}, "broadcast", "live"),
        ({"broadcast": "ended"}, "broadcast", "ended"),
        ({"placement": True}, "declares_placement", True),
        ({"placement": False}, "declares_placement", False),
        ({"description": ""}, "description", ""),
        ({"title": 'Zwölf "Regale" 📚\u2028'}, "title", 'Zwölf "Regale" 📚\u2028'),
    ],
)
async def test_videos_may_lack_or_bend_anything(
    running: Running, source: YouTubeApi, changes: Any, name: str, expected: Any
) -> None:
    running.youtube.catalogue.channels[0].videos[0] = made_video(0, **changes)
    (video,) = await source.videos(["video000000"])
    assert getattr(video, name) == expected


async def test_fifty_videos_are_one_call_and_more_are_a_mistake(
    running: Running, source: YouTubeApi
) -> None:
    ids = [f"video{number:06}" for number in range(51)]
    assert len(await source.videos(ids[:50])) == 50
    assert await source.videos([]) == ()
    with pytest.raises(ValueError, match="51 videos"):
        await source.videos(ids)
    assert running.youtube.requests[VIDEOS] == 1


async def test_the_key_is_in_a_header_and_in_no_url(running: Running, source: YouTubeApi) -> None:
    await first_page_of_maker(source)
    for request in running.youtube.received:
        assert request.headers["x-goog-api-key"] == KEY
        assert KEY not in request.params.values()


async def test_five_hundred_videos_cost_twenty_one_units(quota: Quota) -> None:
    async with running_youtube(made_catalogue(500)) as running:
        source = YouTubeApi(running.http, KEY, quota)
        channel, token, count = await maker(source), None, 0
        while True:
            page = await source.uploads(channel, token)
            count += len(await source.videos([upload.video_id for upload in page.uploads]))
            token = page.following
            if token is None:
                break
        assert (count, running.youtube.units.used) == (500, 21)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "status", "status": 500}, SourceUnavailable),
        ({"kind": "status", "status": 503}, SourceUnavailable),
        ({"kind": "status", "status": 429}, SourceUnavailable),
        ({"kind": "status", "status": 302}, SourceUnavailable),
        ({"kind": "status", "status": 403}, SourceUnavailable),  # not a word of YouTube's
        ({"kind": "truncate"}, SourceUnavailable),
        ({"kind": "drop"}, SourceUnavailable),
        ({"kind": "garbage"}, SourceUnavailable),
        ({"kind": "reason", "status": 403, "reason": "rateLimitExceeded"}, SourceUnavailable),
        ({"kind": "reason", "status": 403, "reason": "userRateLimitExceeded"}, SourceUnavailable),
        ({"kind": "reason", "status": 429, "reason": "rateLimitExceeded"}, SourceUnavailable),
        ({"kind": "reason", "status": 500, "reason": "backendError"}, SourceUnavailable),
        ({"kind": "reason", "status": 403, "reason": "quotaExceeded"}, SourceQuotaUsedUp),
        ({"kind": "reason", "status": 403, "reason": "dailyLimitExceeded"}, SourceQuotaUsedUp),
        ({"kind": "reason", "status": 404, "reason": "playlistNotFound"}, ChannelNotFound),
        ({"kind": "reason", "status": 404, "reason": "channelNotFound"}, ChannelNotFound),
        ({"kind": "reason", "status": 400, "reason": "invalidPageToken"}, PageExpired),
        ({"kind": "reason", "status": 400, "reason": "keyInvalid"}, SourceRefused),
        ({"kind": "reason", "status": 403, "reason": "forbidden"}, SourceRefused),
        ({"kind": "reason", "status": 403, "reason": "accessNotConfigured"}, SourceRefused),
        ({"kind": "reason", "status": 400, "reason": "somethingElse"}, SourceRefused),
    ],
)
async def test_each_failure_has_its_error_and_the_next_request_succeeds(
    running: Running, source: YouTubeApi, fault: Any, error: type[ServiceError]
) -> None:
    channel = await maker(source)
    running.fail(path=UPLOADS, **fault)
    with pytest.raises(ServiceError) as failed:
        await source.uploads(channel, None)
    assert type(failed.value) is error
    assert KEY not in failed.value.public_message
    if error is not SourceQuotaUsedUp:
        assert len((await source.uploads(channel, None)).uploads) == 50
    assert running.youtube.requests[UPLOADS] == (1 if error is SourceQuotaUsedUp else 2)


async def test_slow_responses_are_given_up(quota: Quota) -> None:
    async with running_youtube(timeout_seconds=0.05) as running:
        running.fail("delay", seconds=60)
        with pytest.raises(SourceUnavailable):
            await maker(YouTubeApi(running.http, KEY, quota))


async def test_an_absent_host_is_unavailable(quota: Quota) -> None:
    async with open_youtube(f"http://127.0.0.1:{free_port()}", 5) as http:
        with pytest.raises(SourceUnavailable):
            await maker(YouTubeApi(http, KEY, quota))


@pytest.mark.parametrize(
    ("stated", "least", "at_most"),
    [
        ("17", 17, 17),
        ("9" * 400, WEEK, WEEK),
        (format_datetime(datetime(2126, 1, 1, tzinfo=UTC), usegmt=True), WEEK, WEEK),
        (format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True), 0, 0),
    ],
)
async def test_the_stated_wait_is_reported(
    running: Running, source: YouTubeApi, stated: str, least: float, at_most: float
) -> None:
    running.fail("status", status=503, headers={"retry-after": stated})
    with pytest.raises(SourceUnavailable) as failed:
        await maker(source)
    assert failed.value.retry_after is not None
    assert least <= failed.value.retry_after <= at_most


async def test_an_unreadable_wait_is_none(running: Running, source: YouTubeApi) -> None:
    running.fail("status", status=503, headers={"retry-after": "soon"})
    with pytest.raises(SourceUnavailable) as failed:
        await maker(source)
    assert failed.value.retry_after is None


async def test_a_token_that_is_none_has_expired(source: YouTubeApi) -> None:
    with pytest.raises(PageExpired):
        await source.uploads(await maker(source), "no token")


async def test_a_wrong_key_is_refused_with_what_to_do(running: Running, quota: Quota) -> None:
    with pytest.raises(SourceRefused, match="Set a valid API key"):
        await maker(YouTubeApi(running.http, "another key", quota))


async def test_a_full_day_stops_until_midnight_without_another_request(quota: Quota) -> None:
    async with running_youtube(daily_units=2) as running:
        source = YouTubeApi(running.http, KEY, quota)
        await first_page_of_maker(source)
        for _ in range(3):
            with pytest.raises(SourceQuotaUsedUp) as refused:
                await source.videos(["video000001"])
            assert refused.value.retry_after == 12 * 3600
        assert running.youtube.requests[VIDEOS] == 1


async def test_our_own_budget_is_enforced_before_youtube_is_called(
    running: Running, fresh_valkey: str
) -> None:
    async with OPENING.from_url(fresh_valkey) as client:
        source = YouTubeApi(running.http, KEY, Quota(client, KEY, budget=1))
        channel = await maker(source)
        with pytest.raises(SourceQuotaUsedUp):
            await source.uploads(channel, None)
    assert running.youtube.requests[UPLOADS] == 0


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("half \ud83d a character", "half \ufffd a character"),
        ("\udc00", "\ufffd"),
        ("a \x00 in the middle", "a \ufffd in the middle"),
        ("whole 📚", "whole 📚"),
    ],
)
async def test_what_is_no_text_is_marked_and_the_other_videos_are_read(
    running: Running, source: YouTubeApi, sent: str, read: str
) -> None:
    videos = running.youtube.catalogue.channels[0].videos
    videos[0] = made_video(0, title=sent, description=sent)
    found = await source.videos([video.video_id for video in videos[:3]])
    assert len(found) == 3
    (bent,) = (item for item in found if item.video_id == videos[0].video_id)
    assert (bent.title, bent.description) == (read, read)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"views": 10**30}, "views"),
        ({"views": 2**63}, "views"),
        ({"category": "9" * 5_000}, "category_number"),
        ({"category": str(2**31)}, "category_number"),
        ({"duration": f"PT{2**31}S"}, "duration_seconds"),
    ],
)
async def test_a_number_that_nothing_can_hold_is_unknown(
    running: Running, source: YouTubeApi, changes: Any, name: str
) -> None:
    running.youtube.catalogue.channels[0].videos[0] = made_video(0, **changes)
    (video,) = await source.videos(["video000000"])
    assert getattr(video, name) is None
