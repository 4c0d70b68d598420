"""Concurrent searches by words, run as one statement."""

import functools
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from catalog_service.domain.queries import Page
from catalog_service.storage.database import Database
from catalog_service.storage.search.index import Search, SearchIndex, Shape
from servicekit.concurrency.batching import RequestBatcher

C = TypeVar("C")

_MOST: Final = 32
_UNDER_WAY: Final = 2
"""Concurrent statements: with more, fewer searches would share the cost of each."""


class Searches(Generic[C]):
    """Searches `index`; pending searches by words alone run together."""

    def __init__(self, database: Database, index: SearchIndex[C]) -> None:
        self._database = database
        self._parties = index
        self._gatherers: dict[Shape, RequestBatcher[tuple[Search, Page], Sequence[C]]] = {}

    async def ask(self, query: Search, page: Page) -> Sequence[C]:
        """Return a page, with one element more than it holds if there are more."""
        shape = self._parties.shape(query)
        if shape.is_plain:
            return await self._gatherer(shape).ask((query, page))
        async with self._database.reading() as connection:
            return await self._parties.search(connection, query, page)

    def _gatherer(self, shape: Shape) -> RequestBatcher[tuple[Search, Page], Sequence[C]]:
        gatherer = self._gatherers.get(shape)
        if gatherer is None:
            send = functools.partial(self._send, shape)
            gatherer = RequestBatcher(send, most=_MOST, under_way=_UNDER_WAY)
            self._gatherers[shape] = gatherer
        return gatherer

    async def _send(
        self, shape: Shape, asked: Sequence[tuple[Search, Page]]
    ) -> Sequence[Sequence[C]]:
        async with self._database.reading() as connection:
            return await self._parties.search_many(connection, shape, asked)
