"""Single brands: their creators, rivals, neighbours and codes."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any, Final

from tests.e2e.base_tables import (
    BaseTables,
    by_brand,
    by_creator,
    creators_of,
    grouped,
    videos_of,
    views_of,
)
from tests.e2e.cases.case import Case, Facts, bullets, counted, listed, percent, shown_status

VPNS: Final = ("NordVPN", "Surfshark", "ExpressVPN")


class BrandCreators(Case):
    slug = "creators-of-nordvpn"
    person = "A marketer"
    title = "Which creators has NordVPN worked with?"
    calls = (("sponsor.youtubers", {"sponsor": "NordVPN", "sort": "recent", "limit": 50}),)
    check = (
        "sponsorships of the brand by creator. A relation whose last one is more than 180 days older than the creator's newest "
        "known video has lapsed if five known videos are later than it, and is unknown since its day otherwise; any other is active "
        "if the newest video is at most 180 days old today, and unknown since its day otherwise."
    )

    def stated(self, results: list[Any]) -> Facts:
        (creators,) = results
        return {
            "creators": {
                item["youtuber"]["name"]: (
                    item["videos"],
                    item["last_seen"],
                    shown_status(item),
                )
                for item in creators["youtubers"]
            }
        }

    def computed(self, tables: BaseTables) -> Facts:
        return {
            "creators": {
                name: (
                    videos_of(own),
                    str(max(p.day for p in own)),
                    tables.status(name, "NordVPN"),
                )
                for name, own in by_creator(tables.of_brand("NordVPN")).items()
            }
        }

    def text(self, facts: Facts) -> str:
        creators = sorted(facts["creators"].items(), key=lambda item: item[1][1], reverse=True)
        return f"{len(creators)} creators, the latest first:\n\n" + bullets(
            f"{name}: {counted(videos, 'video')}, the last on {last}; {status}"
            for name, (videos, last, status) in creators
        )


class ThreeVpns(Case):
    slug = "three-vpns"
    person = "A marketer"
    title = "How do NordVPN, Surfshark and ExpressVPN compare?"
    calls = (("sponsor.compare", {"sponsors": list(VPNS)}),)
    check = (
        "sponsorships of each brand over all time: different videos and creators, views of each video once, creators "
        "with more than one video, share of paid sponsorships of `security` brands, creators that two have in common."
    )

    def stated(self, results: list[Any]) -> Facts:
        (compared,) = results
        names = {item["sponsor"]["id"]: item["sponsor"]["name"] for item in compared["sponsors"]}
        return {
            "is_compared": compared["not_compared"] is None,
            "brands": {
                item["sponsor"]["name"]: (
                    item["totals"]["videos"],
                    item["totals"]["youtubers"],
                    item["totals"]["views"],
                    round(item["repeat_rate"], 6),
                    round(item["share_of_voice"]["share"], 6),
                )
                for item in compared["sponsors"]
            },
            "shared": {
                (names[pair["sponsor"]], names[pair["other"]]): pair["youtubers"]
                for pair in compared["shared_youtubers"]
            },
        }

    def computed(self, tables: BaseTables) -> Facts:
        voice = [p for p in tables.paid() if p.category == "security"]
        brands: dict[str, tuple[int, int, int, float, float]] = {}
        for name in VPNS:
            own = tables.of_brand(name)
            videos = [videos_of(mine) for mine in by_creator(own).values()]
            paid = sum(p.brand_name == name for p in voice)
            brands[name] = (
                videos_of(own),
                creators_of(own),
                views_of(own),
                round(sum(number > 1 for number in videos) / len(videos), 6),
                round(paid / len(voice), 6),
            )
        creators = {name: {p.creator for p in tables.of_brand(name)} for name in VPNS}
        shared = {
            (a, b): len(creators[a] & creators[b]) for a, b in itertools.combinations(VPNS, 2)
        }
        days = [p.day for p in tables.sponsorships]
        previous_start = min(days) - (max(days) - min(days)) - timedelta(days=1)
        return {
            "is_compared": previous_start >= min(video.day for video in tables.videos),
            "brands": brands,
            "shared": shared,
        }

    def text(self, facts: Facts) -> str:
        growth = "compared" if facts["is_compared"] else "not compared: the data begin later"
        return (
            f"Over all time; growth against as long a period before is {growth}.\n\n"
            "| brand | videos | creators | views | creators with more than one | share of voice |\n"
            "| --- | --- | --- | --- | --- | --- |\n"
            + "\n".join(
                f"| {name} | {videos} | {creators} | {views:,} | {percent(repeat)} | {percent(voice)} |"
                for name, (videos, creators, views, repeat, voice) in facts["brands"].items()
            )
            + "\n\nCreators in common: "
            + listed(f"{a} and {b} {number}" for (a, b), number in facts["shared"].items())
            + "."
        )


class SimilarBrands(Case):
    slug = "similar-to-nordvpn"
    person = "A marketer"
    title = "Which brands sponsor the same creators as NordVPN?"
    calls = (("sponsor.similar", {"sponsor": "NordVPN", "limit": 50}),)
    check = (
        "creators with paid sponsorships of both brands; by chance it would be the product of both brands' creators by "
        "the number of all creators with paid sponsorships; rows that rest on one creator are left out of this list."
    )

    def stated(self, results: list[Any]) -> Facts:
        (similar,) = results
        return {
            "brands": {
                item["sponsor"]["name"]: (
                    item["shared_youtubers"],
                    round(item["expected_youtubers"], 6),
                    round(item["score"], 6),
                )
                for item in similar["sponsors"]
                if item["support"] != "one creator"
            }
        }

    def computed(self, tables: BaseTables) -> Facts:
        creators = {name: {p.creator for p in own} for name, own in by_brand(tables.paid()).items()}
        mine, all_creators = creators.pop("NordVPN"), creators_of(tables.paid())
        brands: dict[str, tuple[int, float, float]] = {}
        for name, theirs in creators.items():
            shared, expected = len(mine & theirs), len(mine) * len(theirs) / all_creators
            if shared > 1:
                score = max(0.0, (shared - expected) / (shared + 2))
                brands[name] = (shared, round(expected, 6), round(score, 6))
        return {"brands": brands}

    def text(self, facts: Facts) -> str:
        brands = sorted(facts["brands"].items(), key=lambda item: (-item[1][2], item[0]))
        return (
            f"{len(brands)} brands share more than one creator with it. All rest on few:\n\n"
            + bullets(
                f"{name}: {shared} creators in common, where chance would give {expected:.2g} (score {score:.2f})"
                for name, (shared, expected, score) in brands
            )
        )


class CodeVideos(Case):
    slug = "codes-of-g-fuel"
    person = "A marketer"
    title = "In which videos were codes of G FUEL promoted last?"
    newest = 10
    calls = (
        ("sponsor.recentVideos", {"sponsor": "G FUEL", "kinds": ["promo_code"], "limit": newest}),
    )
    check = "the newest sponsorships of the brand of the kind `promo_code`, with the video's day, id and views."

    def stated(self, results: list[Any]) -> Facts:
        (recent,) = results
        return {
            "videos": [
                (
                    item["video"]["published_at"],
                    item["youtuber"]["name"],
                    item["code"],
                    item["video"]["url"],
                    item["video"]["views"],
                )
                for item in recent["videos"]
            ]
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = [p for p in tables.of_brand("G FUEL") if p.kind == "promo_code"]
        own.sort(key=lambda p: p.day, reverse=True)
        return {
            "videos": [
                (
                    str(p.day),
                    p.creator_name,
                    p.code,
                    f"https://www.youtube.com/watch?v={p.youtube_id}",
                    p.views,
                )
                for p in own[: self.newest]
            ]
        }

    def text(self, facts: Facts) -> str:
        return f"The {len(facts['videos'])} newest:\n\n" + bullets(
            f"{day}: {creator}, code {code}, [{views:,} views]({url})"
            for day, creator, code, url, views in facts["videos"]
        )


class WhoseCode(Case):
    slug = "code-boss"
    person = "A creator"
    title = "Whose code is BOSS?"
    calls = (("code.search", {"code": "BOSS", "limit": 50}),)
    check = "sponsorships whose code is the word in upper or lower case, by brand and creator."

    def stated(self, results: list[Any]) -> Facts:
        (found,) = results
        return {
            "codes": {
                (item["sponsor"]["name"], item["youtuber"]["name"]): (
                    item["videos"],
                    item["first_seen"],
                    item["last_seen"],
                )
                for item in found["codes"]
                if item["code"].upper() == "BOSS"
            }
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = [p for p in tables.sponsorships if p.code and p.code.upper() == "BOSS"]
        return {
            "codes": {
                names: (
                    videos_of(uses),
                    str(min(p.day for p in uses)),
                    str(max(p.day for p in uses)),
                )
                for names, uses in grouped(own, lambda p: (p.brand_name, p.creator_name)).items()
            }
        }

    def text(self, facts: Facts) -> str:
        codes = sorted(facts["codes"].items(), key=lambda item: (-item[1][0], item[0]))
        creators = {creator for (_, creator), _ in codes}
        return (
            f"{listed(sorted(creators))} gives it, for {len(codes)} brands, so that the code alone does not name one:"
            "\n\n"
            + bullets(
                f"{brand}: {counted(videos, 'video')}, {first} to {last}"
                if videos > 1
                else f"{brand}: 1 video, {first}"
                for (brand, _), (videos, first, last) in codes
            )
        )


BRANDS: Final = (BrandCreators(), ThreeVpns(), SimilarBrands(), CodeVideos(), WhoseCode())
