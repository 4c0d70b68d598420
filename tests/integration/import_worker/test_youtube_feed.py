"""The keyless source, over HTTP against the stand-in."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from devstack.youtube.site import FEED_LENGTH
from import_worker.clients import youtube_feed
from import_worker.clients.youtube_feed import YouTubeFeed
from import_worker.clients.youtube_http import open_youtube
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    PageExpired,
    Reference,
    ReferenceKind,
    SourceRefused,
    SourceUnavailable,
)
from servicekit.http import server as http_server
from tests.fakes.youtube import (
    EMPTY,
    MAKER,
    NO_ELICITATION,
    Running,
    made_catalogue,
    made_video,
    running_youtube,
)

FEED = "/feeds/videos.xml"


@pytest.fixture(scope="module")
async def served() -> AsyncGenerator[Running]:
    async with running_youtube() as running:
        yield running


@pytest.fixture
def running(served: Running) -> Running:
    served.youtube.begin_again(made_catalogue())
    return served


@pytest.fixture
def source(running: Running) -> YouTubeFeed:
    return YouTubeFeed(running.http)


async def maker(source: YouTubeFeed) -> Channel:
    return await source.resolve(Reference("channel_id", MAKER))


@pytest.mark.parametrize(
    ("kind", "value", "handle"),
    [
        ("channel_id", MAKER, None),
        ("handle", "@MakerSons", "@MakerSons"),
        ("username", "makerold", None),
        ("video_id", "video000007", None),
    ],
)
async def test_a_channel_is_found_by_each_kind_of_reference(
    source: YouTubeFeed, kind: ReferenceKind, value: str, handle: str | None
) -> None:
    channel = await source.resolve(Reference(kind, value))
    assert (channel.channel_id, channel.title) == (MAKER, "Maker & Sons")
    assert (channel.handle, channel.uploads) == (handle, MAKER)
    assert (channel.subscribers, channel.video_count, channel.country) == (None, None, None)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("channel_id", NO_ELICITATION),
        ("handle", "@nobody"),
        ("username", "no/bo dy?"),
        ("video_id", "nosuchvideo"),
    ],
)
async def test_an_unknown_name_is_not_found(
    source: YouTubeFeed, kind: ReferenceKind, value: str
) -> None:
    with pytest.raises(ChannelNotFound):
        await source.resolve(Reference(kind, value))


async def test_the_newest_videos_are_shown_and_read_once(
    running: Running, source: YouTubeFeed
) -> None:
    channel = await maker(source)
    before = running.youtube.requests[FEED]
    page = await source.uploads(channel, None)
    ids = [upload.video_id for upload in page.uploads]
    assert ids == [f"video{number:06}" for number in range(119, 119 - FEED_LENGTH, -1)]
    assert (page.following, page.total) == (None, None)
    videos = await source.videos(ids[:2])
    assert running.youtube.requests[FEED] == before + 1
    assert [video.title for video in videos] == ["Building shelf 119", "Building shelf 118"]
    assert videos[0].channel_id == MAKER
    assert videos[0].description.endswith("sponsoring!\nhttps://boltworks.example")
    assert videos[0].published_at == datetime(2026, 4, 30, 12, tzinfo=UTC)
    assert (videos[0].views, videos[0].duration_seconds) == (1_119, None)


async def test_a_channel_without_videos_has_an_empty_feed(source: YouTubeFeed) -> None:
    channel = await source.resolve(Reference("channel_id", EMPTY))
    assert (await source.uploads(channel, None)).uploads == ()
    assert await source.videos([]) == ()


async def test_a_feed_has_no_further_pages(source: YouTubeFeed) -> None:
    with pytest.raises(PageExpired):
        await source.uploads(await maker(source), "2")


async def test_videos_that_no_feed_showed_have_to_be_read_again(source: YouTubeFeed) -> None:
    with pytest.raises(SourceUnavailable, match="no longer at hand"):
        await source.videos(["video000001"])


async def test_only_the_latest_channels_are_cached(
    source: YouTubeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(youtube_feed, "_MAX_CHANNELS", 1)
    await source.uploads(await maker(source), None)
    await source.uploads(await source.resolve(Reference("channel_id", EMPTY)), None)
    with pytest.raises(SourceUnavailable):
        await source.videos(["video000119"])


async def test_odd_text_survives_the_feed(running: Running, source: YouTubeFeed) -> None:
    text = 'a < b & c > "d" ]]> 📚\u2028\n\n  end'
    running.youtube.catalogue.channels[0].videos[119] = made_video(
        119, title=text, description=text
    )
    page = await source.uploads(await maker(source), None)
    (video,) = await source.videos([page.uploads[0].video_id])
    assert (video.title, video.description) == (text, text)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 429},
        {"kind": "status", "status": 403},
        {"kind": "truncate"},
        {"kind": "drop"},
        {"kind": "garbage"},
    ],
)
@pytest.mark.parametrize(
    ("path", "reference"),
    [
        (FEED, Reference("channel_id", MAKER)),
        ("/@", Reference("handle", "@makersons")),
        ("/watch", Reference("video_id", "video000001")),
    ],
)
async def test_failures_are_passing_ones(
    running: Running, source: YouTubeFeed, path: str, reference: Reference, fault: Any
) -> None:
    running.fail(path=path, **fault)
    with pytest.raises(SourceUnavailable):
        await source.resolve(reference)
    assert (await source.resolve(reference)).channel_id == MAKER


async def test_slow_responses_are_given_up() -> None:
    async with running_youtube(timeout_seconds=0.05) as running:
        running.fail("delay", seconds=60)
        with pytest.raises(SourceUnavailable):
            await maker(YouTubeFeed(running.http))


@pytest.mark.parametrize("location", ["/@makersons", "{base}/@makersons"])
async def test_redirects_on_the_same_host_are_followed(
    running: Running, source: YouTubeFeed, location: str
) -> None:
    headers = {"location": location.format(base=running.base_url)}
    running.fail("status", "/user/", status=302, headers=headers)
    channel = await source.resolve(Reference("username", "oldest"))
    assert channel.channel_id == MAKER


@pytest.mark.parametrize(
    "location",
    [
        "https://consent.youtube.com/m?continue=x",
        "http://127.0.0.1:1/@makersons",
        "//evil.example/@makersons",
        "https://127.0.0.1/@makersons",
    ],
)
async def test_redirects_to_other_hosts_are_refused(
    running: Running, source: YouTubeFeed, location: str
) -> None:
    running.fail("status", "/@", status=302, headers={"location": location})
    with pytest.raises(SourceRefused, match="by its id"):
        await source.resolve(Reference("handle", "@makersons"))
    assert running.youtube.requests.total() == 1


async def test_redirects_in_a_circle_end(running: Running, source: YouTubeFeed) -> None:
    headers = {"location": "/@makersons"}
    running.fail("status", "/@", times=99, status=302, headers=headers)
    with pytest.raises(SourceUnavailable):
        await source.resolve(Reference("handle", "@makersons"))
    assert running.youtube.requests.total() == 4


async def test_a_redirect_of_a_feed_is_not_followed(running: Running, source: YouTubeFeed) -> None:
    running.fail("status", FEED, status=302, headers={"location": "/elsewhere"})
    with pytest.raises(SourceUnavailable):
        await maker(source)
    assert running.youtube.requests.total() == 1


ENTRY = (
    "<entry><yt:videoId>video000001</yt:videoId><title>t</title>"
    "<published>{published}</published></entry>"
)
FEED_OF = (
    '<feed xmlns="http://www.w3.org/2005/Atom" '
    'xmlns:yt="http://www.youtube.com/xml/schemas/2015"><title>T</title>{entries}</feed>'
)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html></html>",
        FEED_OF.format(entries=ENTRY.format(published="yesterday")),
        FEED_OF.format(entries=ENTRY.format(published="2026-01-01T00:00:00")),
        FEED_OF.format(entries="<entry></entry>"),
        '<!DOCTYPE a [<!ENTITY b "c">]>' + FEED_OF.format(entries=""),
        FEED_OF.format(entries=" " * 3_000_000),
        FEED_OF.format(entries="") + " " * 3_000_000,
    ],
)
async def test_unreadable_hostile_and_endless_feeds_are_refused(body: str) -> None:
    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        assert Request(scope).url.path == FEED
        await Response(body, media_type="text/xml")(scope, receive, send)

    async with (
        http_server.serve_http(respond, "127.0.0.1", 0, 1) as port,
        open_youtube(f"http://127.0.0.1:{port}", 5) as http,
    ):
        with pytest.raises(SourceUnavailable):
            await maker(YouTubeFeed(http))
