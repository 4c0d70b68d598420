"""What stands beside every ranking, list and figure: what it rests on, and why it is empty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Final, Protocol, cast

from catalog_service.domain import periods
from catalog_service.domain.queries import Ranking, SponsorSearch, SponsorshipFilter, YoutuberSearch
from shapes.catalog.shared import CatalogCoverage, Period

FilteredQuery = Ranking | SponsorshipFilter | SponsorSearch | YoutuberSearch
_NO_FILTERS: Final = frozenset(
    {"sponsor", "youtuber", "limit", "cursor", "sort", "metric", "granularity"}
)
_PUBLISHED: Final = {"from_date": "from", "to_date": "to"}


@dataclass(frozen=True, slots=True)
class CatalogTotals:
    """Channels and videos looked at, and those of them with sponsorships; no day without a video."""

    youtubers: int
    sponsored_youtubers: int
    videos: int
    sponsored_videos: int
    first_video: date | None
    last_video: date | None
    first_sponsored: date | None
    last_sponsored: date | None

    def span(self, today: date) -> Period:
        """Return the days from the oldest to the newest video; today if there is none."""
        return Period(self.first_video or today, self.last_video or today)

    def sponsored_span(self, today: date) -> Period:
        """Return the days from the oldest to the newest sponsored video; today if there is none."""
        return Period(self.first_sponsored or today, self.last_sponsored or today)


class CoverageStore(Protocol):
    """Reads about the catalogue as a whole. Every method may raise `Unavailable`."""

    async def catalog_totals(self) -> CatalogTotals: ...

    async def left_out(self, query: FilteredQuery) -> int:
        """Return the sponsored videos that match but for a filtered field that is not known of them."""
        ...


@dataclass(frozen=True, slots=True)
class CoverageQueries:
    store: CoverageStore

    async def totals(self) -> CatalogTotals:
        return await self.store.catalog_totals()

    async def of(self, query: FilteredQuery | None = None) -> "Covered":
        """Return what the catalogue has looked at, and what the query's filters leave out."""
        totals = await self.store.catalog_totals()
        return Covered(totals, await self.store.left_out(query) if query is not None else 0)


@dataclass(frozen=True, slots=True)
class Covered:
    """The catalogue's totals, and the sponsored videos that an answer leaves out."""

    totals: CatalogTotals
    left_out: int = 0

    @property
    def shown(self) -> CatalogCoverage:
        return CatalogCoverage(
            first_video=self.totals.first_video,
            last_video=self.totals.last_video,
            youtubers=self.totals.youtubers,
            videos=self.totals.videos,
            sponsored_videos=self.totals.sponsored_videos,
            left_out=self.left_out,
        )

    def note(
        self, request: Any, found: Sequence[Any], hint: str | None = None, of: str = "sponsorship"
    ) -> str | None:
        """Return why an answer to the request is empty and what would not be; None if it is not.

        `hint` says what there is without the filters, `of` what the answer lists.
        """
        if found or getattr(request, "cursor", None) is not None:
            return None
        outside = self._outside(request)
        return outside or " ".join(self._reasons(request, hint, of))

    def _outside(self, request: Any) -> str | None:
        totals = self.totals
        if totals.first_video is None or totals.last_video is None:
            return "The catalogue has looked at no video yet: import a channel first."
        start = periods.day("from", getattr(request, "from_date", None))
        end = periods.day("to", getattr(request, "to_date", None))
        if start is not None and start > (totals.last_sponsored or totals.last_video):
            return (
                f"The data end on {totals.last_video}{_newest(totals.last_sponsored)}: take a period "
                "that begins before."
            )
        if end is not None and end < totals.first_video:
            return f"The data begin on {totals.first_video}: take a period that ends after it."
        return None

    def _reasons(self, request: Any, hint: str | None, of: str) -> list[str]:
        filters = given_filters(request)
        predicate = f"matches {' and '.join(filters)}" if filters else "is known"
        reasons = [f"No {of} {predicate}."]
        if self.left_out:
            reasons.append(
                f"{self.left_out:,} sponsored videos may match too, but a field that is filtered by "
                "is not known of them."
            )
        if hint:
            reasons.append(hint)
        elif filters:
            reasons.append("Leave a filter out for more.")
        return reasons


def given_filters(request: Any) -> list[str]:
    """Return the filters of a request with their values, such as "`country` JP"."""
    return [
        f"`{_PUBLISHED.get(name, name)}` {_shown(value)}"
        for name, value in _arguments(request)
        if value is False or value not in (None, "", 0, ())
    ]


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(cast("tuple[str, ...]", value))
    return str(value)


def _arguments(request: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(request):
        if field.name not in _NO_FILTERS:
            yield field.name, getattr(request, field.name)


def known(videos: int, first: date | None, last: date | None, whose: str) -> str:
    """Return what there is of a sponsor or a youtuber without filters."""
    if not videos:
        return f"None of {whose} is known yet."
    return f"Of {whose} {videos:,} are known, from {first} to {last}."


def _newest(last_sponsored: date | None) -> str:
    return f", and the newest sponsored video is of {last_sponsored}" if last_sponsored else ""
