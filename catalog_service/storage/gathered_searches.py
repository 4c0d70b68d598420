"""Searches by words that are asked at the same moment, answered by one statement."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from catalog_service.domain.queries import Page
from catalog_service.storage.database import Database
from catalog_service.storage.reading import Asking
from catalog_service.storage.searching import Search, Shape
from servicekit.gathering import Gatherer

Q = TypeVar("Q", bound=Search)
C = TypeVar("C")

SearchMany = Callable[[Asking, Sequence[tuple[Q, Page]]], Awaitable[Sequence[Sequence[C]]]]

_MOST: Final = 32
_UNDER_WAY: Final = 2
"""Statements at the same time: with more, each would have fewer questions to share its cost."""


class GatheredSearches(Generic[Q, C]):
    """Asks `search` for all questions of a shape that wait."""

    def __init__(self, database: Database, search: SearchMany[Q, C]) -> None:
        self._database = database
        self._search = search
        self._gatherers: dict[Shape, Gatherer[tuple[Q, Page], Sequence[C]]] = {}

    async def ask(self, shape: Shape, query: Q, page: Page) -> Sequence[C]:
        """The answer to one question of a plain shape."""
        gatherer = self._gatherers.get(shape)
        if gatherer is None:
            gatherer = Gatherer(self._send, most=_MOST, under_way=_UNDER_WAY)
            self._gatherers[shape] = gatherer
        return await gatherer.ask((query, page))

    async def _send(self, asked: Sequence[tuple[Q, Page]]) -> Sequence[Sequence[C]]:
        async with self._database.reading() as connection:
            return await self._search(connection, asked)
