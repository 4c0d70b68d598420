"""`TopicStore` on Postgres."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from psycopg import errors
from sqlalchemy import BigInteger, bindparam, func, select

from catalog_service.domain.queries import Page, Ranked
from catalog_service.domain.topics.ports import (
    ReadTerms,
    TextCounts,
    VideoSearch,
    YoutuberTopicSearch,
)
from catalog_service.storage.connections import Database, ReadConnection
from catalog_service.storage.tables import video_texts, videos
from catalog_service.storage.topics import matching
from catalog_service.storage.topics import videos as video_search
from catalog_service.storage.topics import youtubers as youtuber_search
from servicekit.errors import ResourceExhausted
from shapes.catalog.topics import TopicVideo, TopicYoutuber

SECONDS: Final = 2.0
"""The time that a statement may take."""

_MAX_RUNNING: Final = 2
_MAX_WAITING: Final = 32
_RETRY_SECONDS: Final = 2.0
_COUNT_REUSE_FACTOR: Final = 50.0
"""A count is reused for this many times as long as it took."""

_t = video_texts.c
_COUNT: Final = select(func.count(), func.count().filter(_t.has_description)).select_from(
    video_texts
)
_COUNT_OF_YOUTUBER: Final = _COUNT.join(videos, videos.c.id == _t.video_id).where(
    videos.c.youtuber_id == bindparam("youtuber", type_=BigInteger)
)


class TooManySearches(ResourceExhausted):
    """More searches by words than wait in line."""

    default_reason = "TOO_MANY_SEARCHES"


class PostgresTopics:
    """Searches run two at a time, so that they leave connections to all other queries."""

    def __init__(self, database: Database, seconds: float = SECONDS) -> None:
        self._database = database
        self._seconds = seconds
        self._slots = asyncio.Semaphore(_MAX_RUNNING)
        self._pending = 0
        self._counted: tuple[TextCounts, float] | None = None
        self._counting = asyncio.Lock()

    async def read(self, terms: str, excluded: Sequence[str]) -> ReadTerms:
        async with self._database.reader() as connection:
            return await matching.read(connection, terms, excluded)

    async def videos(self, query: VideoSearch, page: Page) -> tuple[int | None, Ranked[TopicVideo]]:
        async with self._connection() as connection:
            return await video_search.search(connection, query, page, self._seconds)

    async def youtubers(
        self, query: YoutuberTopicSearch, page: Page
    ) -> tuple[int | None, Ranked[TopicYoutuber]]:
        async with self._connection() as connection:
            return await youtuber_search.search(connection, query, page, self._seconds)

    async def lacks_texts(self, query: VideoSearch | YoutuberTopicSearch) -> bool:
        async with self._connection() as connection:
            if isinstance(query, VideoSearch):
                return await video_search.lacks_texts(connection, query, self._seconds)
            return await youtuber_search.lacks_texts(connection, query, self._seconds)

    async def texts(self, youtuber: int | None) -> TextCounts:
        if youtuber is not None:
            async with self._database.reader() as connection:
                counts = await connection.execute(_COUNT_OF_YOUTUBER, {"youtuber": youtuber})
                return TextCounts(*counts.one())
        async with self._counting:
            if self._counted is None or time.monotonic() >= self._counted[1]:
                self._counted = await self._count()
            return self._counted[0]

    async def _count(self) -> tuple[TextCounts, float]:
        started = time.monotonic()
        async with self._database.reader() as connection:
            counts = TextCounts(*(await connection.execute(_COUNT)).one())
        now = time.monotonic()
        return counts, now + _COUNT_REUSE_FACTOR * (now - started)

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[ReadConnection]:
        if self._pending >= _MAX_RUNNING + _MAX_WAITING:
            raise TooManySearches(
                "Many searches by words are under way. Try again in a few seconds.",
                retry_after=_RETRY_SECONDS,
            )
        self._pending += 1
        try:
            async with self._slots, self._database.snapshot() as connection:
                try:
                    yield connection
                except errors.QueryCanceled as error:
                    raise TimeoutError from error
        finally:
            self._pending -= 1
