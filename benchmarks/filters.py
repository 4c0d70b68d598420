"""Calls of the read tools, each with one of the filters that its schema offers."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, Final

from benchmarks.catalogue import Size, slug
from benchmarks.queries import tool_call

_NEWEST: Final = date(2026, 11, 1)
"""The last day of the generated catalogue."""

_CATEGORIES: Final = ("security", "games", "food", "finance")
_CONTENT: Final = ("gaming", "education", "music", "howto-style")
_COUNTRIES: Final = ("US", "DE", "FR", "JP")
_KINDS: Final = ("paid_sponsorship", "promo_code", "affiliate")
_FEW_SPONSORS: Final = 6

Filter = Callable[[int], Mapping[str, Any]]
"""Returns the arguments of the call with this number."""


def _last(days: int, windows: int) -> Filter:
    """Return periods of so many days, which end on other days by turns; nearly all of them cut a month in two."""

    def arguments(number: int) -> Mapping[str, Any]:
        until = _NEWEST - timedelta(days=5 * (number % windows))
        return {"since": str(until - timedelta(days=days - 1)), "until": str(until)}

    return arguments


_days_back: Final = _last(28, 4)
_quarter: Final = _last(90, 4)
_new_days: Final = _last(28, 200)
"""What the catalogue has looked at in a period is counted once in each version; here, every time."""


def _half_year(number: int) -> Mapping[str, Any]:
    return {"since": f"{2022 + number % 4}-01-01", "until": f"{2022 + number % 4}-06-30"}


_PERIODS: Final[Mapping[str, Filter]] = {
    "all time": lambda _: {},
    "half a year": _half_year,
    "28 days": _days_back,
    "90 days": _quarter,
}
_OF_SPONSORSHIPS: Final[Mapping[str, Filter]] = {
    "one kind": lambda n: {"kinds": [_KINDS[n % len(_KINDS)]]},
    "two kinds": lambda n: {"kinds": [*_KINDS[: n % 2], "affiliate", "free_product"]},
    "confidence": lambda _: {"min_confidence": 0.7},
}
_OF_VIDEOS: Final[Mapping[str, Filter]] = {
    "category": lambda n: {"category": _CATEGORIES[n % len(_CATEGORIES)]},
    "content category": lambda n: {"content_category": _CONTENT[n % len(_CONTENT)]},
    "country": lambda n: {"country": _COUNTRIES[n % len(_COUNTRIES)]},
}


def _with(first: Filter, second: Filter) -> Filter:
    return lambda number: {**first(number), **second(number)}


def _rankings() -> dict[str, tuple[str, Filter]]:
    metrics: dict[str, Filter] = {
        f"by {metric}": lambda _, metric=metric: {"metric": metric}
        for metric in ("creators", "views")
    }
    periods = {**_PERIODS, "28 days, category": _with(_days_back, _OF_VIDEOS["category"])}
    for name, filter_ in metrics.items():
        periods |= {
            f"{name}, half a year": _with(filter_, _half_year),
            f"{name}, 28 days": _with(filter_, _days_back),
        }
    periods["28 days, asked for the first time"] = _new_days
    conditions = {**_OF_VIDEOS, **_OF_SPONSORSHIPS}
    every = {
        **periods,
        **conditions,
        **{
            f"{name}, {condition}": _with(filter_, conditions[condition])
            for name, filter_ in metrics.items()
            for condition in ("content category", "one kind", "confidence")
        },
        "confidence, between steps": lambda _: {"min_confidence": 0.75},
    }
    return {f"sponsor.top, {name}": ("sponsor.top", filter_) for name, filter_ in every.items()}


def calls(size: Size) -> dict[str, Callable[[int], bytes]]:
    """Return bodies by what they ask; a running number makes each a different question."""

    def sponsor(number: int) -> Mapping[str, Any]:
        # Well-known ones and others: 0, 3, 12, 48, … by turns.
        return {"sponsor": slug(min(3 * 4 ** (number % _FEW_SPONSORS) - 3, size.sponsors - 1))}

    def youtuber(number: int) -> Mapping[str, Any]:
        return {"youtuber": f"UC{number:022}"}

    def everything(_number: int) -> Mapping[str, Any]:
        return {}

    found = _rankings()
    for tool, subject, filters in (
        ("sponsor.stats", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("sponsor.youtubers", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS, "country": _OF_VIDEOS["country"]}),
        ("sponsor.recentVideos", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("youtuber.stats", youtuber, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("youtuber.sponsors", youtuber, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("sponsor.trends", everything, {"28 days": _days_back, **_OF_VIDEOS}),
        ("sponsor.get", sponsor, {"all": _PERIODS["all time"]}),
        ("sponsor.similar", sponsor, {"all": _PERIODS["all time"]}),
        ("youtuber.prospects", youtuber, {"all": _PERIODS["all time"]}),
    ):  # fmt: skip
        found |= {
            f"{tool}, {name}": (tool, _with(subject, filter_)) for name, filter_ in filters.items()
        }
    found["sponsor.search, a name"] = (
        "sponsor.search",
        lambda n: {"search": slug(n).partition("-")[0]},
    )
    return {name: tool_call(tool, arguments) for name, (tool, arguments) in found.items()}
