"""The record of paid work of a creator and of a brand (docs/adr/0066-sponsorship-record.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from catalog_service.domain import bookings, kinds, public_ids
from catalog_service.domain import cadence as cadences
from catalog_service.domain import fulfilment as fulfilments
from catalog_service.domain import season as seasons
from catalog_service.domain.bookings import Relation
from catalog_service.domain.fulfilment import FormatCount
from shapes.catalog.records import (
    BookingGap,
    CreatorSize,
    Fulfilment,
    Renewal,
    SponsorTrackRecord,
    YoutuberTrackRecord,
)
from shapes.catalog.shared import Period, YoutuberCard

_MIN_GAPS: Final = 2


@dataclass(frozen=True, slots=True)
class YoutuberHistory:
    """Paid work of a channel: relations with brands, numbers of gaps by their days, and a year's videos by format."""

    relations: Sequence[Relation]
    gaps: Mapping[int, int]
    by_format: Mapping[str, FormatCount]


@dataclass(frozen=True, slots=True)
class SponsorHistory:
    """Paid work of a brand: relations with creators, their subscribers, numbers of gaps by their days, and videos by month."""

    relations: Sequence[Relation]
    subscribers: Sequence[int | None]
    gaps: Mapping[int, int]
    months: Mapping[date, int]


class RecordStore(Protocol):
    """Reads paid work. Every method may raise `Unavailable`."""

    async def youtuber_history(
        self, number: int, year: Period | None, two_years: Period | None
    ) -> YoutuberHistory:
        """Return that of a youtuber; formats are of the one period, `in_window` is of the other."""
        ...

    async def sponsor_history(self, number: int) -> SponsorHistory: ...


@dataclass(frozen=True, slots=True)
class RecordQueries:
    store: RecordStore

    async def of_youtuber(self, card: YoutuberCard) -> YoutuberTrackRecord:
        year = bookings.window(card.coverage, fulfilments.YEAR)
        two_years = bookings.window(card.coverage, bookings.TWO_YEARS)
        history = await self.store.youtuber_history(public_ids.number(card.id), year, two_years)
        relations = history.relations
        renewal, gap = bookings.renewal(relations), bookings.gap(history.gaps, relations)
        fulfilment = fulfilments.fulfilment(history.by_format, year)
        return YoutuberTrackRecord(
            fulfilment=fulfilment,
            renewal=renewal,
            gap=gap,
            two_years=bookings.two_years(relations, card.coverage),
            kinds=kinds.PAID,
            note=_joined(
                _about_formats(fulfilment), _about_open(renewal, "brands"), _about_gap(gap, "brand")
            ),
        )

    async def of_sponsor(self, number: int) -> SponsorTrackRecord:
        history = await self.store.sponsor_history(number)
        season, no_season = seasons.season(history.months)
        renewal = bookings.renewal(history.relations)
        gap = bookings.gap(history.gaps, history.relations)
        size = cadences.creator_size(history.subscribers)
        return SponsorTrackRecord(
            renewal=renewal,
            gap=gap,
            creator_size=size,
            cadence=cadences.cadence(history.months),
            season=season,
            no_season=no_season,
            kinds=kinds.PAID,
            note=_joined(
                _about_open(renewal, "creators"), _about_gap(gap, "creator"), _about_size(size)
            ),
        )


def _joined(*sentences: str | None) -> str | None:
    return " ".join(filter(None, sentences)) or None


def _about_formats(found: Fulfilment) -> str | None:
    """Return what is not known of formats; None if all are known."""
    if found.period is None:
        return "No video of the channel is known."
    if not found.unknown_format:
        return (
            None
            if found.longform
            else "No longform video is known of the channel's last known year."
        )
    words = (
        f"The format is not known of {found.unknown_format:,} videos of the channel's last known year, "
        f"{found.unknown_format_sponsored:,} of them with paid work: "
    )
    if found.longform:
        return (
            f"{words}the fulfilment rate is of the {found.longform:,} known to be longform alone."
        )
    return f"{words}no fulfilment rate can be given."


def _about_open(renewal: Renewal, others: str) -> str | None:
    """Return how many may have come back unseen; None if none may."""
    if not renewal.still_open:
        return None
    once = renewal.known - renewal.came_back
    return (
        f"Of {others} with one booking, {renewal.still_open:,} of {once:,} may yet come back, or did unseen: too little of the "
        "channel is known after it. The renewal rate is at least `rate`, and at most `rate_at_most`."
    )


def _about_gap(gap: BookingGap, other: str) -> str | None:
    """Return that most gaps are of one relation; None if they are not."""
    if gap.gaps < _MIN_GAPS or gap.largest * 2 <= gap.gaps:
        return None
    return f"Of {gap.gaps:,} gaps between bookings {gap.largest:,} are those of one {other}."


def _about_size(size: CreatorSize) -> str | None:
    """Return of how many creators the audience is not known; None if it is known of all."""
    if not size.unknown:
        return None
    return f"Subscribers are known of {size.known:,} of {size.known + size.unknown:,} creators."
