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


def _choices(argument: str, *values: str) -> dict[str, Filter]:
    """Return a filter for each value of an argument."""
    return {f"{argument} {value}": lambda _, value=value: {argument: value} for value in values}


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
    every: dict[str, Filter] = {
        **periods,
        **conditions,
        **{
            f"{name}, {condition}": _with(filter_, conditions[condition])
            for name, filter_ in metrics.items()
            for condition in ("content category", "one kind", "confidence")
        },
        "confidence, another step": lambda _: {"min_confidence": 0.75},
        "confidence, between steps": lambda _: {"min_confidence": 0.72},
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

    def rivals(number: int) -> Mapping[str, Any]:
        own = sponsor(number)["sponsor"]
        others = [name for n in range(number + 1, number + 4) if (name := slug(n)) != own]
        return {"sponsors": [own, *others[:2]]}

    def youtubers(number: int) -> Mapping[str, Any]:
        return {"youtubers": [f"UC{n:022}" for n in range(number, number + 3)]}

    def pair(number: int) -> Mapping[str, Any]:
        return {**sponsor(number), **youtuber(number)}

    all_time = {"all": _PERIODS["all time"]}
    kind = {"one kind": _OF_SPONSORSHIPS["one kind"]}
    statuses = _choices("status", "active", "lapsed")
    found = _rankings()
    rows: tuple[tuple[str, Filter, Mapping[str, Filter]], ...] = (
        ("sponsor.stats", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("sponsor.youtubers", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS, "country": _OF_VIDEOS["country"], **statuses,
            **_choices("sort", "views", "recent", "oldest", "subscribers")}),
        ("sponsor.recentVideos", sponsor, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("sponsor.trends", everything, {"28 days": _days_back, **_OF_VIDEOS, **kind, "half a year": _half_year}),
        ("sponsor.compare", rivals, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("sponsor.get", sponsor, all_time),
        ("sponsor.similar", sponsor, {**all_time, **kind}),
        ("sponsor.search", everything, {"category": _OF_VIDEOS["category"], "country": _OF_VIDEOS["country"],
            "active since": lambda _: {"active_since": "2026-10-01"}, "least videos": lambda _: {"min_videos": 50},
            **_choices("sort", "videos", "youtubers", "views", "recent", "name")}),
        ("youtuber.stats", youtuber, {**_PERIODS, **_OF_SPONSORSHIPS}),
        ("youtuber.sponsors", youtuber, {**_PERIODS, **_OF_SPONSORSHIPS, **statuses,
            **_choices("sort", "videos", "views", "oldest")}),
        ("youtuber.recentVideos", youtuber, {**_PERIODS, **_OF_SPONSORSHIPS, "sponsored": lambda _: {"sponsored": True}}),
        ("youtuber.get", youtuber, {**all_time, "record": lambda _: {"record": True}}),
        ("youtuber.outlook", youtuber, all_time),
        ("youtuber.conflicts", pair, {**all_time, **kind}),
        ("youtuber.sharedSponsors", youtubers, {**all_time, **kind}),
        ("youtuber.prospects", youtuber, {**all_time, **kind, "category": _OF_VIDEOS["category"],
            "active since": lambda _: {"active_since": "2026-10-01"}}),
        ("youtuber.search", everything, {"category": lambda n: {"category": _CONTENT[n % len(_CONTENT)]},
            "country": _OF_VIDEOS["country"], "subscribers": lambda _: {"min_subscribers": 100_000},
            "sponsored by": lambda n: {"sponsored_by": sponsor(n)["sponsor"]},
            "not sponsored by": lambda n: {"not_sponsored_by": sponsor(n)["sponsor"]},
            "sponsored by a category": lambda n: {"sponsored_by_category": _CATEGORIES[n % len(_CATEGORIES)]},
            **_choices("sort", "subscribers", "sponsored_videos", "recent", "name")}),
        ("category.list", everything, {**all_time, **kind}),
    )  # fmt: skip
    for tool, subject, filters in rows:
        found |= {
            f"{tool}, {name}": (tool, _with(subject, filter_)) for name, filter_ in filters.items()
        }
    found["sponsor.search, a name"] = (
        "sponsor.search",
        lambda n: {"search": slug(n).partition("-")[0]},
    )
    return {name: tool_call(tool, arguments) for name, (tool, arguments) in found.items()}
