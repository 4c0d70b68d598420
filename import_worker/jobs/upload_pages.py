"""Pages of a channel's uploads, of which the next one is requested while the one before is worked on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Self

from import_worker.domain.sources import Channel, Source, UploadPage


class UploadPages:
    """The pages of one channel. At most one page is requested ahead; `opened` ends that request with its block."""

    def __init__(self, source: Source, channel: Channel) -> None:
        self._source = source
        self._channel = channel
        self._ahead: tuple[str, asyncio.Task[UploadPage]] | None = None

    @classmethod
    @asynccontextmanager
    async def opened(cls, source: Source, channel: Channel) -> AsyncGenerator[Self]:
        pages = cls(source, channel)
        try:
            yield pages
        finally:
            await pages._drop()

    async def page(self, token: str | None) -> UploadPage:
        """Return a page, the first one without a token. It fails as `Source.uploads` does."""
        if self._ahead is not None and self._ahead[0] == token:
            _, task = self._ahead
            self._ahead = None
            return await task
        await self._drop()
        return await self._source.uploads(self._channel, token)

    def request(self, token: str) -> None:
        """Request the page that is wanted next; how that fails is for who reads it."""
        uploads = self._source.uploads(self._channel, token)
        self._ahead = token, asyncio.ensure_future(uploads)

    async def _drop(self) -> None:
        if self._ahead is not None:
            _, task = self._ahead
            self._ahead = None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
