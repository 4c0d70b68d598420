"""Groups of creators, and requests that the data cannot satisfy."""

from __future__ import annotations

from typing import Any, Final

from tests.e2e.base_tables import BaseTables, brands_of, by_brand, creators_of, videos_of
from tests.e2e.cases.case import Case, Facts, bullets, counted, listed

PAIR: Final = ("Marques Brownlee", "Mrwhosetheboss")


class NotYetSquarespace(Case):
    slug = "skillshare-not-squarespace"
    person = "An agency"
    title = "Which creators had Skillshare and never Squarespace?"
    calls = (
        (
            "youtuber.search",
            {"sponsored_by": "Skillshare", "not_sponsored_by": "Squarespace", "limit": 50},
        ),
    )
    check = "creators with a sponsorship of the one and none of the other; their sponsored videos."

    def stated(self, results: list[Any]) -> Facts:
        (found,) = results
        return {
            "creators": {item["name"]: item["sponsored_videos"] for item in found["youtubers"]},
            "videos": found["coverage"]["videos"],
        }

    def computed(self, tables: BaseTables) -> Facts:
        without = {p.creator for p in tables.of_brand("Squarespace")}
        return {
            "creators": {
                p.creator_name: videos_of(tables.of_creator(p.creator_name))
                for p in tables.of_brand("Skillshare")
                if p.creator not in without
            },
            "videos": len(tables.videos),
        }

    def text(self, facts: Facts) -> str:
        creators = sorted(facts["creators"].items(), key=lambda item: (-item[1], item[0]))
        named = (f"{name} ({counted(videos, 'sponsored video')})" for name, videos in creators)
        return f"{len(creators)}: {listed(named)}. Never means in none of the {facts['videos']:,} videos known."


class SharedBrands(Case):
    slug = "brands-in-common"
    person = "An agency"
    title = "Which brands have sponsored both Marques Brownlee and Mrwhosetheboss?"
    calls = (
        ("youtuber.sharedSponsors", {"youtubers": ["@mkbhd", "@Mrwhosetheboss"], "limit": 50}),
    )
    check = "sponsorships of any kind by brand: different videos with each of the two, those with none left out."

    def stated(self, results: list[Any]) -> Facts:
        (shared,) = results
        assert shared["next_cursor"] is None
        names = {creator["id"]: creator["name"] for creator in shared["youtubers"]}
        assert tuple(names.values()) == PAIR
        return {
            "brands": {
                item["sponsor"]["name"]: tuple(
                    (relation["videos"], relation["last_seen"]) for relation in item["relations"]
                )
                for item in shared["sponsors"]
            }
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = [tables.of_creator(name) for name in PAIR]
        common = {p.brand_name for p in own[0]} & {p.brand_name for p in own[1]}
        return {
            "brands": {
                brand: tuple(
                    (
                        videos_of(p for p in mine if p.brand_name == brand),
                        str(max(p.day for p in mine if p.brand_name == brand)),
                    )
                    for mine in own
                )
                for brand in common
            }
        }

    def text(self, facts: Facts) -> str:
        brands = sorted(
            facts["brands"].items(), key=lambda item: (-item[1][0][0] - item[1][1][0], item[0])
        )
        return f"{len(brands)} brands, products for review included:\n\n" + bullets(
            f"{name}: {first} with the one, the last on {first_last}; {second} with the other, the last on {second_last}"
            for name, ((first, first_last), (second, second_last)) in brands
        )


class UnknownToTheData(Case):
    slug = "unknown-to-the-data"
    person = "A marketer"
    title = (
        "Who sponsored most in 2025, and which VPN and security brands sponsor creators from Japan?"
    )
    calls = (
        ("sponsor.top", {"since": "2025-01-01", "until": "2025-12-31"}),
        ("sponsor.top", {"country": "JP", "category": "security"}),
        ("sponsor.top", {"country": "JP"}),
    )
    check = (
        "paid sponsorships since 2025, the days of the newest video and of the newest sponsored one; paid sponsorships by "
        "country of the creator and category of the brand. Left out are videos with paid work that match but for a "
        "country or category that is unknown."
    )

    def stated(self, results: list[Any]) -> Facts:
        future, security, japan = results
        return {
            "future": (len(future["sponsors"]), future["note"]),
            "security": (security["totals"]["sponsorships"], security["note"]),
            "security_left_out": security["coverage"]["left_out"],
            "japan": {
                item["sponsor"]["name"]: (item["videos"], item["youtubers"])
                for item in japan["sponsors"]
            },
            "left_out": japan["coverage"]["left_out"],
        }

    def computed(self, tables: BaseTables) -> Facts:
        paid = tables.paid()
        last, sponsored = (max(row.day for row in rows) for rows in (tables.videos, paid))
        japan = [p for p in paid if p.country == "JP"]
        may_match = videos_of(
            p
            for p in paid
            if p.country in {"JP", None}
            and p.category in {"security", None}
            and None in {p.country, p.category}
        )
        return {
            "future": (
                brands_of(p for p in paid if p.day.year >= 2025),
                f"The data end on {last}, and the newest sponsored video is of {sponsored}: take a period that begins "
                "before.",
            ),
            "security": (
                sum(p.category == "security" for p in japan),
                f"No sponsorship matches `category` security and `country` JP. {may_match} sponsored videos may match "
                "too: their brands' categories or their creators' countries are unknown. Leave a filter out for more.",
            ),
            "security_left_out": may_match,
            "japan": {
                name: (videos_of(own), creators_of(own)) for name, own in by_brand(japan).items()
            },
            "left_out": videos_of(p for p in paid if p.country is None),
        }

    def text(self, facts: Facts) -> str:
        (brands, note), (sponsorships, other_note) = facts["future"], facts["security"]
        japan = (
            f"{name} ({counted(videos, 'video')} of {counted(creators, 'creator')})"
            for name, (videos, creators) in sorted(facts["japan"].items())
        )
        return (
            f"Neither can be said. For 2025 there are {brands} brands, and the `note` of the result says why:\n\n> {note}\n\n"
            f"For Japan there are {sponsorships} sponsorships:\n\n> {other_note}\n\n"
            f"Without the category it is {listed(japan)}, which is no picture of Japan: {facts['left_out']} videos with "
            "paid work are of creators whose country is unknown."
        )


AGENCIES: Final = (NotYetSquarespace(), SharedBrands(), UnknownToTheData())
