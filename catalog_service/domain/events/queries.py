"""Reading events in their order."""

from typing import Final, Protocol

from catalog_service.domain.errors import BadArgument
from catalog_service.domain.events.model import MAX_PAGE
from shapes.catalog.events import EventPage, EventsRequest

_MIN_POSITION: Final = 0


class EventStore(Protocol):
    """Stored events. May raise `Unavailable`."""

    async def newest(self) -> int:
        """Return the position of the newest event; 0 without any."""
        ...

    async def page(self, after: int, limit: int) -> EventPage:
        """Return the events after a position, oldest first."""
        ...


class EventQueries:
    """Return events to whoever stores up to which position it has read."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    async def list_after(self, request: EventsRequest) -> EventPage:
        """Return the events after `after`; without it none, and the position to begin at.

        Raises:
            BadArgument: The position or the limit is out of bounds.
            Unavailable: The store does not answer.
        """
        if not 1 <= request.limit <= MAX_PAGE:
            raise BadArgument("limit", f"`limit` is 1 to {MAX_PAGE}.")
        if request.after is None:
            return EventPage((), await self._store.newest())
        if request.after < _MIN_POSITION:
            raise BadArgument("after", "`after` is a position, 0 or greater.")
        return await self._store.page(request.after, request.limit)
