"""Rankings, categories and totals of the whole catalogue."""

from __future__ import annotations

from typing import Any, Final

from tests.e2e.base_tables import (
    BaseTables,
    by_brand,
    creators_of,
    grouped,
    left_out_videos,
    videos_of,
    views_of,
)
from tests.e2e.cases.case import (
    ALL_KINDS,
    GAMING,
    TECH,
    Case,
    Facts,
    bullets,
    counted,
    kinds_of,
    year,
)


class TechBrands(Case):
    slug = "tech-2023"
    person = "A marketer"
    title = "Which technology brands paid for the most videos in 2023?"
    calls = (
        ("sponsor.top", {"category": "tech", **year(2023), "limit": 50}),
        (
            "sponsor.top",
            {"category": "tech", **year(2023), "kinds": ["free_product"], "limit": 1},
        ),
    )
    check = (
        "paid sponsorships of brands of the group in 2023, different videos and creators by brand; products for review "
        "of the same brands and year; videos that only a brand of unknown category may bring in are counted as left out."
    )

    def stated(self, results: list[Any]) -> Facts:
        paid, sent = results
        first = sent["sponsors"][0]
        return {
            "videos": paid["totals"]["videos"],
            "sponsorships": paid["totals"]["sponsorships"],
            "brands": {
                item["sponsor"]["name"]: (item["videos"], item["youtubers"])
                for item in paid["sponsors"]
            },
            "order": [item["videos"] for item in paid["sponsors"]],
            "free": (first["sponsor"]["name"], first["videos"], sent["totals"]["sponsorships"]),
            "left_out": paid["coverage"]["left_out"],
        }

    def computed(self, tables: BaseTables) -> Facts:
        of_year = [p for p in tables.sponsorships if p.day.year == 2023]
        paid = [p for p in of_year if p.category in TECH and p.is_paid]
        free = [p for p in of_year if p.category in TECH and not p.is_paid]
        brand, reviews = max(by_brand(free).items(), key=lambda item: videos_of(item[1]))
        return {
            "videos": videos_of(paid),
            "sponsorships": len(paid),
            "brands": {
                name: (videos_of(own), creators_of(own)) for name, own in by_brand(paid).items()
            },
            "order": sorted(map(videos_of, by_brand(paid).values()), reverse=True),
            "free": (brand, videos_of(reviews), len(free)),
            "left_out": left_out_videos(
                (p for p in of_year if p.category is None and p.is_paid), paid
            ),
        }

    def text(self, facts: Facts) -> str:
        ranked = sorted(facts["brands"].items(), key=lambda item: (-item[1][0], item[0]))
        first = [(brand, *figures) for brand, figures in ranked if figures[0] > 1]
        name, reviews, sent = facts["free"]
        return (
            f"Of the {facts['videos']} videos known ({facts['sponsorships']} sponsorships):\n\n"
            + bullets(
                f"{brand}: {counted(videos, 'video')} of {counted(creators, 'creator')}"
                for brand, videos, creators in first
            )
            + f"\n\nThe other {len(ranked) - len(first)} brands have one video each. These are paid work: {name} "
            f"is not among them, though {reviews} videos had its products for review (all brands together: {sent}). "
            f"{facts['left_out']} videos with paid work by brands of unknown category are left out."
        )


class GamingViews(Case):
    slug = "gaming-2022"
    person = "A marketer"
    title = "Which brands reached the most views in gaming in 2022?"
    calls = (
        ("sponsor.top", {"content_category": "gaming", "metric": "views", **year(2022)}),
        ("sponsor.top", {"category": "gaming", "metric": "views", **year(2022)}),
    )
    check = (
        "paid sponsorships of 2022: by category of the video, and by category of the brand; views of each video once; "
        "left out are the videos whose category (or that of a brand) is unknown and that no other brand brings in."
    )

    def stated(self, results: list[Any]) -> Facts:
        content, brands = results
        return {
            "in_gaming": content["totals"]["sponsorships"],
            "content_unknown": content["coverage"]["left_out"],
            "brand_unknown": brands["coverage"]["left_out"],
            "views": brands["totals"]["views"],
            "brands": [
                (item["sponsor"]["name"], item["views"], item["videos"], item["youtubers"])
                for item in brands["sponsors"]
            ],
        }

    def computed(self, tables: BaseTables) -> Facts:
        paid = tables.paid(2022)
        of_gaming = [p for p in paid if p.category in GAMING]
        brands = [
            (name, views_of(own), videos_of(own), creators_of(own))
            for name, own in by_brand(of_gaming).items()
        ]
        return {
            "in_gaming": len([p for p in paid if p.content == "gaming"]),
            "content_unknown": videos_of(p for p in paid if p.content is None),
            "brand_unknown": left_out_videos((p for p in paid if p.category is None), of_gaming),
            "views": views_of(of_gaming),
            "brands": sorted(brands, key=lambda brand: -brand[1]),
        }

    def text(self, facts: Facts) -> str:
        return (
            f"No answer is possible by the category of the videos: {facts['in_gaming']} sponsorships are known to be in "
            f"gaming videos of 2022, but {facts['content_unknown']} sponsored videos of that year have no known "
            "category. Brands of games and gaming gear reached "
            f"{facts['views']:,} views, in videos of any category:\n\n"
            + bullets(
                f"{brand}: {views:,} views in {counted(videos, 'video')} of {counted(creators, 'creator')}"
                for brand, views, videos, creators in facts["brands"]
            )
            + f"\n\n{facts['brand_unknown']} videos with brands of unknown category are left out."
        )


class Categories(Case):
    slug = "categories"
    person = "An agency"
    title = "How large are the categories of brands?"
    calls = (("category.list", {"scope": "sponsor"}),)
    check = (
        "all sponsorships by the brand's category, summed up by group: different videos, sponsorships, products for "
        "review."
    )
    groups: Final = {"tech": TECH, "gaming": GAMING}

    def stated(self, results: list[Any]) -> Facts:
        (categories,) = results
        sizes = {
            item["id"]: (item["videos"], item["sponsorships"], item["free_products"])
            for item in categories["categories"]
        }
        leaves = {
            item["id"]
            for item in categories["categories"]
            if item["parent"] and sizes[item["id"]][1]
        }
        return {
            "groups": {group: sizes[group] for group in self.groups},
            "largest": sorted(
                ((name, *sizes[name]) for name in leaves), key=lambda item: (-item[1], item[0])
            )[:5],
        }

    def computed(self, tables: BaseTables) -> Facts:
        by_category = grouped(tables.sponsorships, lambda p: p.category)

        def size(names: frozenset[str]) -> tuple[int, int, int]:
            own = [p for name in names for p in by_category.get(name, [])]
            return videos_of(own), len(own), len([p for p in own if not p.is_paid])

        parents = {"tech", "gaming", "money", "lifestyle", "media", "growth", "commerce", "other"}
        leaves = [
            (name, *size(frozenset({name})))
            for name in by_category
            if name is not None and name not in parents
        ]
        return {
            "groups": {group: size(members) for group, members in self.groups.items()},
            "largest": sorted(leaves, key=lambda item: (-item[1], item[0]))[:5],
        }

    def text(self, facts: Facts) -> str:
        rows = [*((group, *size) for group, size in facts["groups"].items()), *facts["largest"]]
        return (
            "Two groups, then the five largest categories below groups; a video counts once in each, however many of "
            "its brands are there:\n\n| category | videos | sponsorships | of them products for review |\n"
            "| --- | --- | --- | --- |\n"
            + "\n".join(f"| `{name}` | {a} | {b} | {c} |" for name, a, b, c in rows)
        )


class Totals(Case):
    slug = "totals"
    person = "An agency"
    title = "How much do you know in all?"
    calls = (("sponsor.top", {"kinds": ALL_KINDS, "limit": 1}),)
    check = "all rows of the tables: different videos of sponsorships, sponsorships by kind, videos, their days."

    def stated(self, results: list[Any]) -> Facts:
        (top,) = results
        coverage = top["coverage"]
        return {
            "videos": top["totals"]["videos"],
            "sponsorships": top["totals"]["sponsorships"],
            "creators": top["totals"]["youtubers"],
            "views": top["totals"]["views"],
            "kinds": {part["key"]: part["sponsorships"] for part in top["by_kind"]},
            "all_videos": coverage["videos"],
            "sponsored_videos": coverage["sponsored_videos"],
            "first": coverage["first_video"],
            "last": coverage["last_video"],
            "period": (top["period"]["from_date"], top["period"]["to_date"]),
        }

    def computed(self, tables: BaseTables) -> Facts:
        every = tables.sponsorships
        days, sponsored = [v.day for v in tables.videos], [p.day for p in every]
        return {
            "videos": videos_of(every),
            "sponsorships": len(every),
            "creators": creators_of(every),
            "views": views_of(every),
            "kinds": {kind: len(own) for kind, own in grouped(every, lambda p: p.kind).items()},
            "all_videos": len(tables.videos),
            "sponsored_videos": videos_of(every),
            "first": str(min(days)),
            "last": str(max(days)),
            "period": (str(min(sponsored)), str(max(sponsored))),
        }

    def text(self, facts: Facts) -> str:
        return (
            f"{facts['videos']} sponsored videos of {facts['creators']} creators, seen {facts['views']:,} times. They "
            f"have {facts['sponsorships']} sponsorships, as a video may have several brands: "
            f"{kinds_of(facts['kinds'])}. They were found among {facts['all_videos']:,} "
            f"videos of {facts['first']} to {facts['last']}; the newest sponsored one is of {facts['period'][1]}."
        )


RANKINGS: Final = (
    TechBrands(),
    GamingViews(),
    Categories(),
    Totals(),
)
