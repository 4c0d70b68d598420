"""Records of paid work and conflicts, computed again one by one from rows: no code of the service, no SQL of it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, Final, cast

PAID: Final = frozenset({"paid_sponsorship", "promo_code", "affiliate"})
WORKS: Final = (
    "SELECT v.youtuber_id AS creator, p.sponsor_id AS brand, v.id AS video, v.published_on AS day, p.kind, s.category "
    "FROM sponsorships p JOIN videos v ON v.id = p.video_id JOIN sponsors s ON s.id = p.sponsor_id"
)
UPLOADS: Final = "SELECT id, youtuber_id AS creator, published_on AS day, format FROM videos"
SUBSCRIBERS: Final = "SELECT id, subscribers FROM youtubers"
BRANDS: Final = "SELECT id, category FROM sponsors"


@dataclass(frozen=True, slots=True)
class Work:
    """A sponsorship; `category` is that of the brand."""

    creator: int
    brand: int
    video: int
    day: date
    kind: str
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """A video."""

    id: int
    creator: int
    day: date
    format: str


class Tables:
    """Sponsorships and videos, by creator and by brand."""

    def __init__(
        self,
        works: Iterable[Work],
        uploads: Iterable[Upload],
        subscribers: Mapping[int, int | None],
    ) -> None:
        self.subscribers = subscribers
        self.all_of_creator: dict[int, list[Work]] = defaultdict(list)
        self.of_brand: dict[int, list[Work]] = defaultdict(list)
        self.uploads: dict[int, list[Upload]] = defaultdict(list)
        for work in works:
            self.all_of_creator[work.creator].append(work)
            if work.kind in PAID:
                self.of_brand[work.brand].append(work)
        for upload in uploads:
            self.uploads[upload.creator].append(upload)

    def of_creator(self, creator: int) -> list[Work]:
        return [work for work in self.all_of_creator[creator] if work.kind in PAID]

    def last_day(self, creator: int) -> date:
        return max(upload.day for upload in self.uploads[creator])

    def window(self, creator: int, days: int) -> tuple[date, date]:
        first = min(upload.day for upload in self.uploads[creator])
        last = self.last_day(creator)
        return max(first, last - timedelta(days=days) + timedelta(days=1)), last

    def may_be_unseen(self, creator: int, day: date) -> bool:
        """Return whether too little of the channel is known after the day to say that a brand did not come back."""
        later = [upload for upload in self.uploads[creator] if upload.day > day]
        return (self.last_day(creator) - day).days <= 180 or len(later) < 5


def creator_record(tables: Tables, creator: int) -> dict[str, Any]:
    works = tables.of_creator(creator)
    if not tables.uploads[creator]:
        return {
            "renewal": _renewal({}, tables),
            "gap": _gap({}),
            "two_years": (None, 0, 0),
            "fulfilment": None,
        }
    start, end = tables.window(creator, 730)
    recent = _days([work for work in works if start <= work.day <= end], "brand")
    days = {(creator, brand): found for brand, found in _days(works, "brand").items()}
    return {
        "renewal": _renewal(days, tables),
        "gap": _gap(days),
        "two_years": (
            (start, end),
            len(recent),
            len([brand for brand, found in recent.items() if len(found) >= 2]),
        ),
        "fulfilment": _fulfilment(tables, creator),
    }


def brand_record(tables: Tables, brand: int) -> dict[str, Any]:
    works = tables.of_brand[brand]
    days = {(creator, brand): found for creator, found in _days(works, "creator").items()}
    sizes = [tables.subscribers.get(creator) for creator, _ in days]
    known = [size for size in sizes if size is not None]
    return {
        "renewal": _renewal(days, tables),
        "gap": _gap(days),
        "creator_size": (median(known) if known else None, len(known), len(sizes) - len(known)),
        "cadence": _cadence(works),
        "season": _season(works),
    }


def conflicts(
    tables: Tables, creator: int, brand: int, category: str | None, days: int
) -> dict[str, Any]:
    """Return the days, and the videos and the last day of each conflicting brand, and the brands of unknown category."""
    if not tables.uploads[creator]:
        return {"period": None, "brands": {}, "unknown": set()}
    end = tables.last_day(creator)
    works = [
        work
        for work in tables.of_creator(creator)
        if work.brand != brand and 0 <= (end - work.day).days < days
    ]
    alike = [work for work in works if category is not None and work.category == category]
    return {
        "period": (end - timedelta(days=days - 1), end),
        "brands": {
            other: (
                len({work.video for work in alike if work.brand == other}),
                max(work.day for work in alike if work.brand == other),
            )
            for other in {work.brand for work in alike}
        },
        "unknown": {work.brand for work in works if category is None or work.category is None},
    }


def _days(works: Iterable[Work], by: str) -> dict[Any, list[date]]:
    found: dict[Hashable, set[date]] = defaultdict(set)
    for work in works:
        found[getattr(work, by)].add(work.day)
    return {key: sorted(days) for key, days in found.items()}


def _renewal(days: Mapping[tuple[int, int], list[date]], tables: Tables) -> tuple[Any, ...]:
    again = [pair for pair, found in days.items() if found[0] != found[-1]]
    unseen = [
        pair
        for pair, found in days.items()
        if pair not in again and tables.may_be_unseen(pair[0], found[-1])
    ]
    if not days:
        return 0, 0, None, 0, None
    return (
        len(days),
        len(again),
        len(again) / len(days),
        len(unseen),
        (len(again) + len(unseen)) / len(days),
    )


def _gap(days: Mapping[Any, list[date]]) -> tuple[Any, ...]:
    gaps = {
        pair: [(later - earlier).days for earlier, later in pairwise(found)]
        for pair, found in days.items()
    }
    each = [gap for of_pair in gaps.values() for gap in of_pair]
    return median(each) if each else None, len(each), max(map(len, gaps.values()), default=0)


def _fulfilment(tables: Tables, creator: int) -> tuple[Any, ...]:
    start, end = tables.window(creator, 365)
    uploads = [upload for upload in tables.uploads[creator] if start <= upload.day <= end]
    paid = {work.video for work in tables.of_creator(creator)}
    longform = [upload for upload in uploads if upload.format == "longform"]
    unknown = [upload for upload in uploads if upload.format == "unknown"]
    sponsored = len([upload for upload in longform if upload.id in paid])
    return (
        (start, end),
        len(longform),
        sponsored,
        sponsored / len(longform) if longform else None,
        len(unknown),
        len([upload for upload in unknown if upload.id in paid]),
        len([upload for upload in uploads if upload.format in {"short", "live"}]),
    )


def _cadence(works: list[Work]) -> tuple[Any, ...]:
    months = sorted({(work.day.year, work.day.month) for work in works})
    if not months:
        return None, 0, 0, 0, None
    (year, month), (last_year, last_month) = months[0], months[-1]
    after = date(last_year + 1, 1, 1) if last_month == 12 else date(last_year, last_month + 1, 1)
    videos = len({work.video for work in works})
    return (
        (date(year, month, 1), after - timedelta(days=1)),
        videos,
        len(months),
        (last_year - year) * 12 + last_month - month + 1,
        videos / len(months),
    )


def _season(works: list[Work]) -> tuple[Any, ...] | None:
    """Return months, years and videos; None if too little is known."""
    if not works:
        return None
    first, last = min(work.day for work in works), max(work.day for work in works)
    years = [
        year
        for year in range(first.year, last.year + 1)
        if first < date(year, 2, 1) and last >= date(year, 12, 1)
    ]
    inside = [work for work in works if work.day.year in years]
    if len(years) < 3 or len(inside) < 36:
        return None
    months = [month for month in range(1, 13) if _stands_out(inside, years, month)]
    return months, years, len(inside)


def _stands_out(works: list[Work], years: list[int], month: int) -> bool:
    own = [work for work in works if work.day.month == month]
    above = [
        year
        for year in years
        if 12 * sum(work.day.year == year for work in own)
        > sum(work.day.year == year for work in works)
    ]
    return (
        12 * 2 * len(own) >= 3 * len(works)
        and 4 * len(above) >= 3 * len(years)
        and binomial_tail(len(own), len(works)) < Fraction(5, 100 * 12)
    )


def binomial_tail(count: int, total: int) -> Fraction:
    """Return the exact chance of `count` or more of `total` in one month of twelve."""
    ways = sum(
        math.comb(total, number) * 11 ** (total - number) for number in range(count, total + 1)
    )
    return Fraction(ways, 12**total)


def stated_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of the service as `creator_record` and `brand_record` have it: its parts as tuples of their values."""
    found: dict[str, Any] = {}
    for name in ("renewal", "gap", "two_years", "fulfilment", "creator_size", "cadence", "season"):
        if name in record:
            part = record[name]
            found[name] = None if part is None else tuple(map(_plain, part.values()))
    if found.get("fulfilment", (0,))[0] is None:
        found["fulfilment"] = None
    if found.get("season") is not None:
        months, years, videos = found["season"]
        found["season"] = (list(months), list(years), videos)
    return found


def _plain(value: Any) -> Any:
    """Return a period as two days, anything else as it is."""
    if isinstance(value, Mapping):
        period = cast("Mapping[str, Any]", value)
        return _day(period["from_date"]), _day(period["to_date"])
    return value


def _day(value: Any) -> date:
    return date.fromisoformat(value) if isinstance(value, str) else value
