"""A stand-in for SponsorBlock's API on this machine, that also misbehaves."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs

from servicekit.http import server as http_server

Fault = Literal["error", "busy", "slow", "endless", "broken", "redirect"]


def marked(start: float, end: float, **changes: Any) -> dict[str, Any]:
    """A segment as the API writes it."""
    facts: dict[str, Any] = {
        "segment": [start, end],
        "UUID": "made",
        "category": "sponsor",
        "videoDuration": 0,
        "actionType": "skip",
        "locked": 0,
        "votes": 3,
        "description": "",
    }
    return facts | changes


@dataclass
class FakeSponsorBlock:
    """Answers `/api/skipSegments/PREFIX` as an ASGI application."""

    videos: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    fault: Fault | None = None
    requests: list[str] = field(default_factory=list[str])
    base_url: str = ""
    sent: int = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        self.requests.append(scope["path"])
        prefix = scope["path"].rpartition("/")[2]
        wanted = parse_qs(scope["query_string"].decode())
        assert wanted == {"category": ["sponsor"], "actionTypes": ['["skip", "mute"]']}
        if self.fault == "slow":
            await asyncio.sleep(5)
        status, headers = 200, [(b"content-type", b"application/json")]
        found = [
            {"videoID": video_id, "hash": digest, "segments": segments}
            for video_id, segments in self.videos.items()
            for digest in [hashlib.sha256(video_id.encode()).hexdigest()]
            if digest.startswith(prefix)
        ]
        body = json.dumps(found).encode()
        if self.fault == "error":
            status = 500
        elif self.fault == "busy":
            status, headers = 429, [(b"retry-after", b"600")]
        elif self.fault == "redirect":
            status, headers = 302, [(b"location", b"http://127.0.0.1:1/")]
        elif self.fault == "broken":
            body = b'[{"videoID": 1'
        elif not found and self.fault != "endless":
            status, body = 404, b"Not Found"
        await send({"type": "http.response.start", "status": status, "headers": headers})
        if self.fault == "endless":
            await self._send_much(receive, send)
        await send({"type": "http.response.body", "body": body})

    async def _send_much(self, receive: Any, send: Any) -> None:
        """Send blanks until the client goes, or far more than any client should read."""
        disconnected = asyncio.create_task(_disconnected(receive))
        while not disconnected.done() and self.sent < 64 * 1024 * 1024:
            await send({"type": "http.response.body", "body": b" " * 65_536, "more_body": True})
            self.sent += 65_536
            await asyncio.sleep(0)
        disconnected.cancel()


async def _disconnected(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@asynccontextmanager
async def running_sponsorblock() -> AsyncGenerator[FakeSponsorBlock]:
    """Serves the stand-in on a free port until the block ends."""
    service = FakeSponsorBlock()
    async with http_server.serve_http(service, "127.0.0.1", 0, 1) as port:
        service.base_url = f"http://127.0.0.1:{port}"
        yield service
