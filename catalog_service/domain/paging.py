"""Pages of lists and the cursors between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from catalog_service.domain import arguments, public_ids
from catalog_service.domain.cursors import Cursors
from catalog_service.domain.queries import NewestPage, NumberedPage, Page
from shapes.catalog.shared import Video

T = TypeVar("T")


class Paged(Protocol):
    """A request for a part of a list."""

    @property
    def limit(self) -> int: ...

    @property
    def cursor(self) -> str | None: ...


class ShowsVideo(Protocol):
    @property
    def video(self) -> Video: ...


V = TypeVar("V", bound=ShowsVideo)


@dataclass(frozen=True, slots=True)
class Paging:
    """Reads the position that a request continues from, and issues the next cursor.

    The store returns one element more than a page holds if there are more.
    """

    cursors: Cursors

    def ranked(self, request: Paged) -> Page:
        """Return the position in a ranked list, as the number of elements before it.

        Raises:
            BadArgument: `limit` or `cursor` is not acceptable.
        """
        limit = arguments.limit(request.limit)
        if request.cursor is None:
            return Page(limit)
        (offset,) = self.cursors.read(request, request.cursor)
        return Page(limit, offset)

    def cut_ranked(
        self, request: Paged, page: Page, found: Sequence[T]
    ) -> tuple[tuple[T, ...], str | None]:
        """Return the page's elements and the cursor of the next page."""
        if len(found) <= page.limit:
            return tuple(found), None
        cursor = self.cursors.issue(request, [page.offset + page.limit])
        return tuple(found[: page.limit]), cursor

    def newest(self, request: Paged) -> NewestPage:
        """Return the position in a list of videos, as the last one shown; raises as `ranked`."""
        limit = arguments.limit(request.limit)
        if request.cursor is None:
            return NewestPage(limit)
        day, number = self.cursors.read(request, request.cursor)
        return NewestPage(limit, (date.fromisoformat(day), number))

    def cut_newest(
        self, request: Paged, page: NewestPage, found: Sequence[V]
    ) -> tuple[tuple[V, ...], str | None]:
        """Return the page's videos and the cursor of the next page."""
        if len(found) <= page.limit:
            return tuple(found), None
        last = found[page.limit - 1].video
        position = [last.published_at.isoformat(), public_ids.number(last.id)]
        return tuple(found[: page.limit]), self.cursors.issue(request, position)

    def numbered(self, request: Paged) -> NumberedPage:
        """Return the position in a list ordered by number; raises as `ranked`."""
        limit = arguments.limit(request.limit)
        if request.cursor is None:
            return NumberedPage(limit)
        (number,) = self.cursors.read(request, request.cursor)
        return NumberedPage(limit, number)

    def cut_numbered(
        self, request: Paged, page: NumberedPage, found: Sequence[T], number: Callable[[T], int]
    ) -> tuple[tuple[T, ...], str | None]:
        """Return the page's elements and the cursor of the next page."""
        if len(found) <= page.limit:
            return tuple(found), None
        cursor = self.cursors.issue(request, [number(found[page.limit - 1])])
        return tuple(found[: page.limit]), cursor
