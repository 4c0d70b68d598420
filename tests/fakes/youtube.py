"""A made catalogue, and the stand-in for YouTube that shows it over HTTP on this machine."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from devstack.youtube import Catalogue, Fault, MadeChannel, MadeVideo, YouTube
from import_worker.clients.youtube_http import YouTubeHttp, open_youtube
from servicekit.http import server as http_server

MAKER = "UCmakermakermakermaker00"
EMPTY = "UCemptyemptyemptyempty00"
NO_ELICITATION = "UCnobodynobodynobodyno00"
FIRST_DAY = datetime(2026, 1, 1, 12, tzinfo=UTC)


def made_video(number: int, **changes: Any) -> MadeVideo:
    """Video `number` of a channel, published on that day after the first."""
    facts: dict[str, Any] = {
        "video_id": f"video{number:06}",
        "title": f"Building shelf {number}",
        "description": f"Part {number}. Thanks to Boltworks for sponsoring!\nhttps://boltworks.example",
        "published_at": FIRST_DAY + timedelta(days=number),
        "category": "26",
        "duration": "PT1H2M3S",
        "views": 1_000 + number,
        "language": "en",
    }
    return MadeVideo(**(facts | changes))


def made_catalogue(videos: int = 120) -> Catalogue:
    """A channel of so many public videos and one without any."""
    maker = MadeChannel(
        channel_id=MAKER,
        title="Maker & Sons",
        handle="@MakerSons",
        username="makerold",
        description="We build.",
        country="IE",
        subscribers=51_000,
        videos=[made_video(number) for number in range(videos)],
    )
    return Catalogue([maker, MadeChannel(channel_id=EMPTY, title="Empty", handle="@empty")])


@dataclass(slots=True)
class Running:
    """The stand-in at work, and the way to it."""

    youtube: YouTube
    http: YouTubeHttp
    base_url: str

    def fail(self, kind: Any, path: str = "/", **changes: Any) -> None:
        """Makes the next request of the path fail."""
        self.youtube.faults.append(Fault(kind, path, **changes))


@asynccontextmanager
async def running_youtube(
    catalogue: Catalogue | None = None, *, timeout_seconds: float = 5.0, **options: Any
) -> AsyncGenerator[Running]:
    """Serves the stand-in on a free port until the block ends."""
    youtube = YouTube(catalogue or made_catalogue(), **options)
    async with http_server.serve_http(youtube, "127.0.0.1", 0, 1) as port:
        base_url = f"http://127.0.0.1:{port}"
        async with open_youtube(base_url, timeout_seconds) as http:
            yield Running(youtube, http, base_url)
