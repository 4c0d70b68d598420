"""Concurrent searches by words, run as one statement."""

import functools
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from catalog_service.domain.queries import Page, Ranked
from catalog_service.storage.connections import Database
from catalog_service.storage.search.index import Search, SearchIndex, Shape
from servicekit.concurrency.batching import RequestBatcher

C = TypeVar("C")

_MAX_BATCH: Final = 32
_MAX_STATEMENTS: Final = 2
"""Concurrent statements: with more, fewer searches would share the cost of each."""


class Searches(Generic[C]):
    """Searches `index`; pending searches by words alone run together."""

    def __init__(self, database: Database, index: SearchIndex[C]) -> None:
        self._database = database
        self._index = index
        self._batchers: dict[Shape, RequestBatcher[tuple[Search, Page], Ranked[C]]] = {}

    async def search(self, query: Search, page: Page) -> Ranked[C]:
        shape = self._index.shape(query, page)
        if shape.is_plain:
            return await self._batcher(shape).submit((query, page))
        async with self._database.reader() as connection:
            return await self._index.search(connection, query, page)

    def _batcher(self, shape: Shape) -> RequestBatcher[tuple[Search, Page], Ranked[C]]:
        batcher = self._batchers.get(shape)
        if batcher is None:
            send = functools.partial(self._send, shape)
            batcher = RequestBatcher(send, max_size=_MAX_BATCH, max_in_flight=_MAX_STATEMENTS)
            self._batchers[shape] = batcher
        return batcher

    async def _send(
        self, shape: Shape, searches: Sequence[tuple[Search, Page]]
    ) -> Sequence[Ranked[C]]:
        async with self._database.reader() as connection:
            return await self._index.search_many(connection, shape, searches)
