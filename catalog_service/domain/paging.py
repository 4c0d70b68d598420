"""Pages of lists, and the opaque cursors between them.

A cursor is base64url of a MAC and a JSON list, a position in the result of one query. The MAC covers the
query too, so that a cursor of another query, tool or server is refused like a forged one.
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Protocol, TypeVar

from catalog_service.domain import arguments, public_ids
from catalog_service.domain.errors import BadCursor
from catalog_service.domain.queries import NewestPage, NumberedPage, Page, Ranked, SortValue
from servicekit.signing import Signer
from shapes.catalog.shared import Video

T = TypeVar("T")

_MAC_BYTES: Final = 16
_NOT_THE_QUERY: Final = frozenset({"cursor", "limit"})

Position = Sequence[SortValue]


class Cursors:
    """Issues and reads cursors under one secret, the same in every replica."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret.encode(), _MAC_BYTES)

    def issue(self, query: Any, position: Position) -> str:
        """Return a cursor to `position` in the result of `query`, a request dataclass."""
        payload = json.dumps(list(position), separators=(",", ":"), ensure_ascii=False).encode()
        return self._signer.sign(payload, _bound(query))

    def read(self, query: Any, cursor: str) -> list[Any]:
        """Return the position that was issued for `query`.

        Raises:
            BadCursor: It was not issued for this query under this secret.
        """
        payload = self._signer.verified(cursor, _bound(query))
        if payload is None:
            raise BadCursor
        return json.loads(payload)


def _bound(query: Any) -> bytes:
    """Return the query's name and arguments, which the caller repeats with the cursor."""
    arguments = [
        getattr(query, field.name)
        for field in dataclasses.fields(query)
        if field.name not in _NOT_THE_QUERY
    ]
    return json.dumps([type(query).__name__, *arguments]).encode() + b"\n"


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

    A position is that of the last entry shown, so that entries that come or go shift no others. Of videos and
    numbered lists the store returns one element more than a page holds if there are more.
    """

    cursors: Cursors

    def ranked(self, request: Paged) -> Page:
        """Return the position in a ranked list, as the sort values of the last entry shown.

        Raises:
            BadArgument: `limit` or `cursor` is not acceptable.
            BadCursor: The cursor tells how many entries were shown and no values of the last, as old ones do.
        """
        limit = arguments.limit(request.limit)
        if request.cursor is None:
            return Page(limit)
        shown, *after = self.cursors.read(request, request.cursor)
        if not after:
            raise BadCursor
        return Page(limit, tuple(after), shown)

    def after_ranked(self, request: Paged, page: Page, found: Ranked[Any]) -> str | None:
        """Return the cursor of the next page; None at the end of the list."""
        if found.last is None:
            return None
        return self.cursors.issue(request, [page.shown + page.limit, *found.last])

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
