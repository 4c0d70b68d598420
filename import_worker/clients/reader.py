"""A second reader at any endpoint that takes chat completions as OpenAI's does.

One POST for one text, to the address of the settings and nowhere else: redirects are refused, and no address in a
text or a response is ever visited. Nothing is tried twice here: `jobs.second_reading` does that.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import httpx2

from import_worker.clients import reader_wire as wire
from import_worker.clients.youtube_http import Response
from import_worker.domain.second_reader import (
    ReaderRefusedError,
    ReaderResponse,
    ReaderText,
    ReaderUnavailableError,
    ResponseUnusableError,
)
from servicekit.http.responses import read_limited

_MAX_BYTES: Final = 256 * 1024
_OK: Final = 200
_TOO_MANY: Final = 429
_UNAVAILABLE_FROM: Final = 500
_UNAUTHORISED: Final = frozenset({401, 403, 404, 405, 407})


class ChatCompletionsReader:
    """`SecondReader` over HTTP.

    Args:
        client: Open, without redirects.
        url: Where completions are requested.
        model: The model that reads.
        timeout: Seconds for a whole response, however slowly it trickles.
    """

    prompt_version = wire.PROMPT_VERSION

    def __init__(self, client: httpx2.AsyncClient, url: str, model: str, timeout: float) -> None:
        self._client = client
        self._url = url
        self.name = model
        self._timeout = timeout

    async def read(self, text: ReaderText) -> ReaderResponse:
        body = wire.request_body(self.name, text)
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._post(body)
        except TimeoutError as error:
            raise ReaderUnavailableError("timeout") from error
        except (OSError, httpx2.HTTPError, httpx2.StreamError) as error:
            raise ReaderUnavailableError("unreachable") from error
        _check_status(response)
        if not response.is_whole:
            raise ResponseUnusableError("too_large")
        return wire.response_of(response.body)

    async def _post(self, content: bytes) -> Response:
        async with self._client.stream("POST", self._url, content=content) as response:
            # Raw: what nobody unpacks cannot grow.
            body = await read_limited(response.aiter_raw(), _MAX_BYTES)
            return Response(response.status_code, response.headers, body.content, body.is_whole)


def _check_status(response: Response) -> None:
    status = response.status
    if status == _OK:
        return
    if status == _TOO_MANY:
        raise ReaderUnavailableError("too_many_requests", response.retry_after)
    if status >= _UNAVAILABLE_FROM:
        raise ReaderUnavailableError("server_error", response.retry_after)
    if 300 <= status < 400:
        raise ReaderRefusedError("redirected")
    if status in _UNAUTHORISED:
        raise ReaderRefusedError("refused")
    raise ResponseUnusableError("rejected")


@asynccontextmanager
async def open_reader(
    url: str, model: str, key: str, *, timeout_seconds: float, concurrency: int
) -> AsyncGenerator[ChatCompletionsReader]:
    """Yield a reader for as long as the block runs.

    Args:
        url: The base of the endpoint's addresses, such as "https://llm.example/v1".
        model: The model that reads.
        key: Sent as a bearer token; empty for none.
        timeout_seconds: Longest that a whole response may take.
        concurrency: Connections at a time.
    """
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    async with httpx2.AsyncClient(
        headers=headers,
        timeout=httpx2.Timeout(timeout_seconds),
        limits=httpx2.Limits(max_connections=concurrency),
        follow_redirects=False,
    ) as client:
        address = f"{url.rstrip('/')}/chat/completions"
        yield ChatCompletionsReader(client, address, model, timeout_seconds)
