"""Brands over time, and their part of a market."""

from __future__ import annotations

from typing import Any, Final

from tests.e2e.base_tables import BaseTables, by_brand, creators_of, views_of
from tests.e2e.cases.case import Case, Facts, bullets, counted, percent, year


class RisingBrands(Case):
    slug = "rising-2023"
    person = "A marketer"
    title = "Which brands are rising, 2023 against 2022?"
    calls = (("sponsor.trends", {**year(2023), "limit": 50}),)
    check = (
        "paid sponsorships of both years by brand. A verdict needs 5 videos and 2 creators in both years together, and "
        "a share that moved by at least 1.96 standard deviations of the binomial distribution."
    )

    def stated(self, results: list[Any]) -> Facts:
        (trends,) = results
        brands = {
            item["sponsor"]["name"]: (item["previous_videos"], item["videos"], item["trend"])
            for item in trends["sponsors"]
            if item["trend"] != "too_little_to_say"
        }
        largest = max(trends["sponsors"], key=lambda item: item["previous_videos"])
        return {
            "before": trends["previous_sponsorships"],
            "now": trends["sponsorships"],
            "brands": brands,
            "largest": (
                largest["sponsor"]["name"],
                largest["previous_videos"],
                largest["videos"],
                largest["trend"],
            ),
            "creators_of_largest": max(largest["youtubers"], largest["previous_youtubers"]),
        }

    def computed(self, tables: BaseTables) -> Facts:
        before, now = tables.paid(2022), tables.paid(2023)
        share = len(now) / (len(now) + len(before))
        brands: dict[str, tuple[int, int, str]] = {}
        for name, own in by_brand([*before, *now]).items():
            later = sum(p.day.year == 2023 for p in own)
            deviation = (later - len(own) * share) / (len(own) * share * (1 - share)) ** 0.5
            trend = "rising" if deviation > 0 else "falling"
            if len(own) < 5 or creators_of(own) < 2:
                trend = "too_little_to_say"
            elif abs(deviation) < 1.96:
                trend = "steady"
            brands[name] = (len(own) - later, later, trend)
        largest = max(brands, key=lambda name: brands[name][0])
        return {
            "before": len(before),
            "now": len(now),
            "brands": {
                name: figures
                for name, figures in brands.items()
                if figures[2] != "too_little_to_say"
            },
            "largest": (largest, *brands[largest]),
            "creators_of_largest": creators_of(by_brand([*before, *now])[largest]),
        }

    def text(self, facts: Facts) -> str:
        name, before, now, trend = facts["largest"]
        return (
            f"{counted(len(facts['brands']), 'brand')} with enough videos to say anything:\n\n"
            + bullets(
                f"{brand}: {direction} ({earlier} → {later} videos)"
                for brand, (earlier, later, direction) in sorted(facts["brands"].items())
            )
            + f"\n\nShares are compared, of {facts['before']} and {facts['now']} sponsorships. {name} "
            f'({before} → {now} videos) is "{trend.replace("_", " ")}": all are of {counted(facts["creators_of_largest"], "creator")}.'
        )


class ShareOfVoice(Case):
    slug = "share-of-voice"
    person = "A marketer"
    title = "What was Surfshark's share of voice in 2022?"
    calls = (("sponsor.stats", {"sponsor": "Surfshark", **year(2022)}),)
    check = (
        "paid sponsorships of brands of the category `security` in 2022, and in 2021 for the change; the rank counts "
        "brands with more."
    )

    def stated(self, results: list[Any]) -> Facts:
        (stats,) = results
        voice = stats["share_of_voice"]
        return {
            "category": voice["category"],
            "own": stats["totals"]["sponsorships"],
            "creators": stats["totals"]["youtubers"],
            "views": stats["totals"]["views"],
            "before": stats["previous_totals"]["sponsorships"],
            "all": voice["category_sponsorships"],
            "share": round(voice["share"], 6),
            "rank": voice["rank"],
            "change": round(stats["change"], 6),
        }

    def computed(self, tables: BaseTables) -> Facts:
        paid = [p for p in tables.paid(2022) if p.category == "security"]
        brands = by_brand(paid)
        own = brands["Surfshark"]
        before = [p for p in tables.of_brand("Surfshark") if p.day.year == 2021]
        return {
            "category": own[0].category,
            "own": len(own),
            "creators": creators_of(own),
            "views": views_of(own),
            "before": len(before),
            "all": len(paid),
            "share": round(len(own) / len(paid), 6),
            "rank": 1 + sum(len(other) > len(own) for other in brands.values()),
            "change": round(len(own) / len(before) - 1, 6),
        }

    def text(self, facts: Facts) -> str:
        return (
            f"{percent(facts['share'])}: {facts['own']} of the {facts['all']} sponsorships known of `{facts['category']}` "
            f"brands, rank {facts['rank']}, with {facts['views']:,} views. It had {facts['before']} in 2021 "
            f"({percent(facts['change'])}). All are of {counted(facts['creators'], 'creator')}: that says much about "
            "whose videos are known and little about the market."
        )


MARKETS: Final = (RisingBrands(), ShareOfVoice())
