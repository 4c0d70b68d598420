"""GET requests with limits of time and size, for the API and the feed.

It neither retries nor follows redirects: the jobs retry, and the feed checks redirects itself.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import httpx2

from import_worker.domain.sources import SourceUnavailable
from servicekit.http.responses import read_limited, retry_after_seconds
from servicekit.observability import logs

_CONNECTIONS: Final = 20

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class Response:
    """A response, read to its end or up to a number of bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_whole: bool

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait if the response names a number or a date."""
        return retry_after_seconds(self.headers.get("retry-after", ""), datetime.now(UTC))


class YouTubeHttp:
    """GETs from one base URL.

    Args:
        client: Open, and bound to the base URL.
        timeout: Seconds for a whole answer, however slowly it trickles.
    """

    def __init__(self, client: httpx2.AsyncClient, timeout: float) -> None:
        self._client = client
        self._timeout = timeout

    @property
    def base_url(self) -> httpx2.URL:
        """The base URL of all requests."""
        return self._client.base_url

    async def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int,
    ) -> Response:
        """Return the response to a GET, cut after `max_bytes`.

        Raises:
            SourceUnavailable: There is no response, none in time, or it breaks off.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._get(path, params, headers, max_bytes)
        except (TimeoutError, OSError, httpx2.HTTPError, httpx2.StreamError) as error:
            log.warning("youtube_unreachable", path=path, error=type(error).__name__)
            raise SourceUnavailable("YouTube does not answer now.") from error

    async def _get(
        self,
        path: str,
        params: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        max_bytes: int,
    ) -> Response:
        async with self._client.stream("GET", path, params=params, headers=headers) as response:
            body = await read_limited(response.aiter_bytes(), max_bytes)
            return Response(response.status_code, response.headers, body.content, body.is_whole)


@asynccontextmanager
async def open_youtube(base_url: str, timeout_seconds: float) -> AsyncGenerator[YouTubeHttp]:
    """Yield a pool of connections to `base_url` for as long as the block runs."""
    async with httpx2.AsyncClient(
        base_url=base_url,
        timeout=httpx2.Timeout(timeout_seconds),
        limits=httpx2.Limits(max_connections=_CONNECTIONS),
        follow_redirects=False,
    ) as client:
        yield YouTubeHttp(client, timeout_seconds)
