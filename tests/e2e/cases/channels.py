"""Figures of single channels: views of sponsored videos, and their share."""

from __future__ import annotations

from math import exp, log
from statistics import median
from typing import Any, Final

from tests.e2e.base_tables import BaseTables, by_brand, grouped, videos_of
from tests.e2e.cases.case import Case, Facts, kinds_of, listed, percent
from tests.e2e.cases.creators import KURZGESAGT, MAINI


class SponsoredViews(Case):
    slug = "views-of-sponsored-videos"
    person = "A creator"
    title = "Do Mrwhosetheboss's sponsored videos get fewer views?"
    calls = (("youtuber.stats", {"youtuber": MAINI, "granularity": "year"}),)
    check = (
        "median views of sponsored and other videos of each calendar year that has three of both; geometric means over "
        "these years, weighted by sponsored videos."
    )

    def stated(self, results: list[Any]) -> Facts:
        (stats,) = results
        views = stats["views"]
        return {
            "ratio": round(views["ratio"], 6),
            "sponsored_median": round(views["sponsored_median"]),
            "other_median": round(views["other_median"]),
            "sponsored_videos": views["sponsored_videos"],
            "other_videos": views["other_videos"],
            "years": views["years"],
        }

    def computed(self, tables: BaseTables) -> Facts:
        sponsored = {p.video for p in tables.of_creator(MAINI)}
        videos = [v for v in tables.videos if v.creator_name == MAINI and v.views is not None]
        years: dict[int, tuple[list[int], list[int]]] = {}
        for video in videos:
            own, other = years.setdefault(video.day.year, ([], []))
            (own if video.id in sponsored else other).append(video.views or 0)
        compared = {
            number: (own, other)
            for number, (own, other) in sorted(years.items())
            if min(len(own), len(other)) >= 3
        }
        weight = sum(len(own) for own, _ in compared.values())
        means = [
            exp(sum(len(pair[0]) * log(median(pair[side])) for pair in compared.values()) / weight)
            for side in (0, 1)
        ]
        return {
            "ratio": round(means[0] / means[1], 6),
            "sponsored_median": round(means[0]),
            "other_median": round(means[1]),
            "sponsored_videos": weight,
            "other_videos": sum(len(other) for _, other in compared.values()),
            "years": list(compared),
        }

    def text(self, facts: Facts) -> str:
        return (
            f"Yes, {percent(1 - facts['ratio'])} fewer than other videos of the same year: typically "
            f"{facts['sponsored_median']:,} against {facts['other_median']:,}. That compares {facts['sponsored_videos']} "
            f"sponsored with {facts['other_videos']:,} other videos of {len(facts['years'])} years "
            f"({listed(str(number) for number in facts['years'])}), each year with itself; it does not say why."
        )


class SponsoredShare(Case):
    slug = "share-of-kurzgesagt"
    person = "A creator"
    title = "What share of Kurzgesagt's videos is sponsored?"
    calls = (("youtuber.stats", {"youtuber": "@kurzgesagt"}),)
    check = "different videos of the creator's sponsorships, all of the creator's videos, sponsorships by kind."

    def stated(self, results: list[Any]) -> Facts:
        (stats,) = results
        return {
            "sponsored": stats["sponsored_videos"],
            "videos": stats["videos"],
            "share": round(stats["sponsored_share"], 6),
            "sponsors": stats["sponsors"],
            "kinds": {part["key"]: part["sponsorships"] for part in stats["by_kind"]},
            "period": (stats["coverage"]["first_video"], stats["coverage"]["last_video"]),
            "source": stats["coverage"]["source"],
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = tables.of_creator(KURZGESAGT)
        days = [v.day for v in tables.videos if v.creator_name == KURZGESAGT]
        return {
            "sponsored": videos_of(own),
            "videos": len(days),
            "share": round(videos_of(own) / len(days), 6),
            "sponsors": len(by_brand(own)),
            "kinds": {kind: len(mine) for kind, mine in grouped(own, lambda p: p.kind).items()},
            "period": (str(min(days)), str(max(days))),
            "source": "bundled-sample",
        }

    def text(self, facts: Facts) -> str:
        first, last = facts["period"]
        return (
            f"{percent(facts['share'])}: {facts['sponsored']} of {facts['videos']} videos of {first} to {last}, by "
            f"{facts['sponsors']} brands ({kinds_of(facts['kinds'])}). The videos come from "
            f"a file (`{facts['source']}`), not from the channel as it is today."
        )


CHANNELS: Final = (SponsoredViews(), SponsoredShare())
