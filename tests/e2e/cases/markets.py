"""Brands over time, and their part of a market."""

from __future__ import annotations

from math import log, sqrt
from typing import Any, Final

from tests.e2e.base_tables import BaseTables, by_brand, creators_of, views_of
from tests.e2e.cases.case import Case, Facts, bullets, counted, percent, year


class RisingBrands(Case):
    slug = "rising-2022"
    person = "A marketer"
    title = "Which brands rose or fell, 2022 against 2021?"
    calls = (("sponsor.trends", {**year(2022), "limit": 50}),)
    check = (
        "paid sponsorships of both years by brand and creator, for creators of whom videos are known in both years. A "
        "verdict needs 5 videos, 2 such creators and 2 videos that unchanged rates would give in each year; a change needs "
        "1.96 standard deviations, and one more video than unchanged rates give without the creator who adds most; steady is "
        "what has a 90 % interval within two thirds and one and a half."
    )

    def stated(self, results: list[Any]) -> Facts:
        (trends,) = results
        return {
            "before": trends["previous_sponsorships"],
            "now": trends["sponsorships"],
            "creators": trends["youtubers"],
            "compared": trends["compared_youtubers"],
            "known": (trends["previous_known_videos"], trends["known_videos"]),
            "brands": {
                item["sponsor"]["name"]: (
                    item["previous_videos"],
                    item["videos"],
                    item["trend"],
                    item["compared"]["youtubers"],
                    None if item["change"] is None else round(item["change"], 6),
                )
                for item in trends["sponsors"]
                if item["trend"] != "too_little_to_say"
            },
        }

    def computed(self, tables: BaseTables) -> Facts:
        before, now = tables.paid(2021), tables.paid(2022)
        brands: dict[str, tuple[int, int, str, int, float | None]] = {}
        for name, own in by_brand([*before, *now]).items():
            channels = list(tables.same_channels(own, 2022).values())
            trend = _trend(channels)
            if trend is not None:
                later, earlier = (
                    sum(each[0] for each in channels),
                    sum(each[1] for each in channels),
                )
                brands[name] = (earlier, later, trend, len(channels), _change(channels))
        compared = tables.same_channels([*before, *now], 2022).values()
        return {
            "before": len(before),
            "now": len(now),
            "creators": creators_of([*before, *now]),
            "compared": len(compared),
            "known": (sum(each[3] for each in compared), sum(each[2] for each in compared)),
            "brands": brands,
        }

    def text(self, facts: Facts) -> str:
        earlier, later = facts["known"]
        return (
            f"Of the {facts['creators']} creators with paid work in either year, videos of both years are known of "
            f"{facts['compared']}: {earlier} and {later}. On their channels enough is known to say anything of "
            f"{counted(len(facts['brands']), 'brand')}:\n\n"
            + bullets(
                f"{brand}: {direction} ({before} → {now} videos with {counted(creators, 'creator')}"
                + (f", rate {change:+.0%})" if change is not None else ")")
                for brand, (before, now, direction, creators, change) in sorted(
                    facts["brands"].items()
                )
            )
        )


Channel = tuple[int, int, int, int]


def _change(channels: list[Channel]) -> float | None:
    """Return the growth of the weighted mean of a brand's shares of the channels' videos."""
    later = sum((v * w / (v + w)) * (a / v) for a, _, v, w in channels)
    earlier = sum((v * w / (v + w)) * (b / w) for _, b, v, w in channels)
    return round(later / earlier - 1, 6) if earlier else None


def _trend(channels: list[Channel]) -> str | None:
    """Return the verdict; None where too little is known."""
    chances = [(a, a + b, v / (v + w)) for a, b, v, w in channels]
    expected = sum(n * p for _, n, p in chances)
    if sum(n for _, n, _ in chances) < 5 or len(channels) < 2:
        return None
    if min(expected, sum(n for _, n, _ in chances) - expected) < 2:
        return None
    beyond = [a - n * p for a, n, p in chances]
    if abs(sum(beyond)) / sum(n * p * (1 - p) for _, n, p in chances) ** 0.5 < 1.96:
        return "steady" if _is_steady(channels) else None
    sign = 1 if sum(beyond) > 0 else -1
    without_one = sum(beyond) * sign - max(each * sign for each in beyond)
    if without_one < 1:
        return None
    return "rising" if sign > 0 else "falling"


def _is_steady(channels: list[Channel]) -> bool:
    later = sum(a * w / (v + w) for a, _, v, w in channels)
    earlier = sum(b * v / (v + w) for _, b, v, w in channels)
    if not later or not earlier:
        return False
    variance = sum((a + b) * v * w / (v + w) ** 2 for a, b, v, w in channels)
    farther_end = abs(log(later / earlier)) + 1.645 * sqrt(variance / (later * earlier))
    return farther_end < log(1.5)


class ShareOfVoice(Case):
    slug = "share-of-voice"
    person = "A marketer"
    title = "What was Surfshark's share of voice in 2022?"
    calls = (("sponsor.stats", {"sponsor": "Surfshark", **year(2022)}),)
    check = (
        "paid sponsorships of brands of the category `security` in 2022; the rank counts brands with more. Of 2021 it is "
        "checked of how many of its creators of both years videos are known in both: fewer than two are not compared."
    )

    def stated(self, results: list[Any]) -> Facts:
        (stats,) = results
        voice = stats["share_of_voice"]
        return {
            "category": voice["category"],
            "own": stats["totals"]["sponsorships"],
            "creators": stats["totals"]["youtubers"],
            "views": stats["totals"]["views"],
            "all": voice["category_sponsorships"],
            "share": round(voice["share"], 6),
            "rank": voice["rank"],
            "is_compared": stats["compared"] is not None,
        }

    def computed(self, tables: BaseTables) -> Facts:
        paid = [p for p in tables.paid(2022) if p.category == "security"]
        brands = by_brand(paid)
        own = brands["Surfshark"]
        same = tables.same_channels(tables.of_brand("Surfshark"), 2022)
        return {
            "category": own[0].category,
            "own": len(own),
            "creators": creators_of(own),
            "views": views_of(own),
            "all": len(paid),
            "share": round(len(own) / len(paid), 6),
            "rank": 1 + sum(len(other) > len(own) for other in brands.values()),
            "is_compared": len(same) >= 2,
        }

    def text(self, facts: Facts) -> str:
        growth = (
            "compared with 2021"
            if facts["is_compared"]
            else "not compared with 2021: too few of its channels are known in both years"
        )
        return (
            f"{percent(facts['share'])}: {facts['own']} of the {facts['all']} sponsorships known of `{facts['category']}` "
            f"brands, rank {facts['rank']}, with {facts['views']:,} views. It is {growth}. "
            f"All are of {counted(facts['creators'], 'creator')}: that says much about "
            "whose videos are known and little about the market."
        )


MARKETS: Final = (RisingBrands(), ShareOfVoice())
