"""Conflicts: other brands of a brand's category that were on a channel lately."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Protocol

from catalog_service.domain import arguments, kinds, public_ids
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import Today
from catalog_service.domain.resolver import Resolver
from shapes.catalog.records import Conflict, Conflicts, ConflictsRequest
from shapes.catalog.shared import Coverage, Period, SponsorRef

MAX_DAYS: Final = 3_650
_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class ConflictQuery:
    """A channel's other brands than `sponsor` in a period; `category` is that of the sponsor, None if it is not known."""

    youtuber: int
    sponsor: int
    category: str | None
    period: Period
    kinds: Kinds
    limit: int
    examples: int = _EXAMPLES


@dataclass(frozen=True, slots=True)
class FoundConflicts:
    """The latest brands of the category, their number, the number of brands that may be, and the latest of these."""

    conflicts: tuple[Conflict, ...]
    brands: int
    unknown_brands: int
    unknown_examples: tuple[SponsorRef, ...]


class ConflictStore(Protocol):
    """Reads other brands of a channel. Every method may raise `Unavailable`."""

    async def conflicts(self, query: ConflictQuery) -> FoundConflicts:
        """Return brands of the category; of a sponsor without one, every brand may be a conflict and none is."""
        ...

    async def coverage(self, number: int, period: RequestedPeriod | None = None) -> Coverage: ...


@dataclass(frozen=True, slots=True)
class ConflictQueries:
    store: ConflictStore
    resolver: Resolver
    today: Today

    async def find(self, request: ConflictsRequest) -> Conflicts:
        """Return conflicts of a sponsor on a channel; raise errors about both, and `BadArgument`.

        A conflict is another brand of the sponsor's category with paid work on the channel, on a day d with
        newest known video of the channel - days < d <= newest known video of the channel.
        """
        days = _days(request.days)
        limit = arguments.limit(request.limit)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.PAID)
        youtuber = await self.resolver.youtuber(request.youtuber)
        sponsor = await self.resolver.sponsor(request.sponsor)
        number = public_ids.number(youtuber.id)
        coverage = await self.store.coverage(number)
        period, found = None, FoundConflicts((), 0, 0, ())
        if coverage.last_video is not None:
            period = Period(coverage.last_video - timedelta(days=days - 1), coverage.last_video)
            coverage = await self.store.coverage(
                number, RequestedPeriod(period.from_date, period.to_date)
            )
            found = await self.store.conflicts(
                ConflictQuery(
                    number, public_ids.number(sponsor.id), sponsor.category, period, of_kinds, limit
                )
            )
        return Conflicts(
            youtuber=youtuber,
            sponsor=sponsor,
            category=sponsor.category,
            period=period,
            conflicts=found.conflicts,
            brands=found.brands,
            unknown_brands=found.unknown_brands,
            unknown_examples=found.unknown_examples,
            coverage=coverage,
            kinds=of_kinds,
            note=" ".join(_unknown(sponsor, found, coverage, self.today())) or None,
        )


def _days(value: int) -> int:
    if 1 <= value <= MAX_DAYS:
        return value
    raise BadArgument("days", f"`days` must be from 1 to {MAX_DAYS:,}, not {value}.")


def _unknown(
    sponsor: SponsorRef, found: FoundConflicts, coverage: Coverage, today: date
) -> Sequence[str]:
    """Return sentences about what the answer does not know."""
    if coverage.last_video is None:
        return ["No video of the channel is known: import it first."]
    sentences: list[str] = []
    if sponsor.category is None:
        sentences.append(
            f"The category of {sponsor.name} is not known, so that no conflict can be told. Other brands on the channel in these "
            f"days: {found.unknown_brands:,}."
        )
    else:
        if not found.brands:
            sentences.append(
                f"No other brand of {sponsor.category} is known on the channel in these days; its known videos of them: "
                f"{coverage.videos_in_period:,}."
            )
        if found.unknown_brands:
            sentences.append(
                f"Further brands that may be conflicts, as their category is not known: {found.unknown_brands:,}."
            )
    if coverage.last_video < today:
        days = (today - coverage.last_video).days
        sentences.append(
            f"The known videos of the channel end on {coverage.last_video}, {days:,} days ago: nothing later is known."
        )
    return sentences
