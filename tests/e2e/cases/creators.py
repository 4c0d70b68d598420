"""The sponsors of single creators and videos, and their prospects."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from tests.e2e.base_tables import (
    BaseTables,
    by_brand,
    creators_of,
    videos_of,
)
from tests.e2e.cases.case import PAID_KINDS, Case, Facts, bullets, counted, listed, shown_status

BROWNLEE: Final = "Marques Brownlee"
MAINI: Final = "Mrwhosetheboss"
KURZGESAGT: Final = "Kurzgesagt – In a Nutshell"
VIDEO: Final = "4RieHdz6U9Q"


class VideoSponsors(Case):
    slug = "who-sponsored-this-video"
    person = "A creator"
    title = "Who sponsored this video?"
    calls = (("video.get", {"video": f"https://www.youtube.com/watch?v={VIDEO}"}),)
    check = "the video with this YouTube id and its sponsorships."

    def stated(self, results: list[Any]) -> Facts:
        (found,) = results
        video = found["video"]
        return {
            "creator": found["youtuber"]["name"],
            "day": video["published_at"],
            "views": video["views"],
            "brands": {
                item["sponsor"]["name"]: (item["kind"], item["code"])
                for item in found["sponsorships"]
            },
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = [p for p in tables.sponsorships if p.youtube_id == VIDEO]
        return {
            "creator": own[0].creator_name,
            "day": str(own[0].day),
            "views": own[0].views,
            "brands": {p.brand_name: (p.kind, p.code) for p in own},
        }

    def text(self, facts: Facts) -> str:
        brands = (
            f"{name} ({kind.replace('_', ' ')}{f', code {code}' if code else ''})"
            for name, (kind, code) in sorted(facts["brands"].items())
        )
        return (
            f"{listed(brands)}. It is by {facts['creator']}, of {facts['day']}, and was seen {facts['views']:,} times; "
            f"one video with {len(facts['brands'])} sponsorships."
        )


class CreatorBrands(Case):
    slug = "brands-of-mkbhd"
    person = "An agency"
    title = "Which brands have paid Marques Brownlee most often, and do they still?"
    calls = (
        (
            "youtuber.sponsors",
            {"youtuber": "@mkbhd", "kinds": PAID_KINDS, "sort": "videos", "limit": 50},
        ),
        (
            "youtuber.sponsors",
            {"youtuber": "@mkbhd", "kinds": ["free_product"], "sort": "videos", "limit": 1},
        ),
    )
    check = "paid sponsorships of the creator by brand, products for review apart; the day of the creator's newest video."

    def stated(self, results: list[Any]) -> Facts:
        paid, free = results
        assert paid["next_cursor"] is None
        first = free["sponsors"][0]
        return {
            "brands": {
                item["sponsor"]["name"]: (
                    item["videos"],
                    item["last_seen"],
                    item["sponsor"]["domain"],
                )
                for item in paid["sponsors"]
            },
            "order": [item["videos"] for item in paid["sponsors"]],
            "status": sorted({shown_status(item) for item in paid["sponsors"]}),
            "free": (first["sponsor"]["name"], first["videos"]),
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = tables.of_creator(BROWNLEE)
        brands = by_brand(p for p in own if p.is_paid)
        free = by_brand(p for p in own if not p.is_paid)
        sender = max(free, key=lambda name: videos_of(free[name]))
        return {
            "brands": {
                name: (videos_of(mine), str(max(p.day for p in mine)), mine[0].domain)
                for name, mine in brands.items()
            },
            "order": sorted(map(videos_of, brands.values()), reverse=True),
            "status": sorted({tables.status(BROWNLEE, name) for name in brands}),
            "free": (sender, videos_of(free[sender])),
        }

    def text(self, facts: Facts) -> str:
        ranked = sorted(facts["brands"].items(), key=lambda item: (-item[1][0], item[0]))
        often = [(name, *figures) for name, figures in ranked if figures[0] > 2]
        sender, reviews = facts["free"]
        return (
            f"{len(ranked)} brands in paid work, those with more than two videos:\n\n"
            + bullets(
                f"{name} ({domain}): {videos} videos, the last on {last}"
                for name, videos, last, domain in often
            )
            + f"\n\nEach relation is {' or '.join(facts['status'])}, as the videos known of the channel end then. "
            f"Products for review are apart; most came from {sender} ({counted(reviews, 'video')})."
        )


class EndedRelations(Case):
    slug = "ended-relations"
    person = "An agency"
    title = (
        "Which brands that paid Mrwhosetheboss since 2022 are still active, and which have stopped?"
    )
    calls = (
        (
            "youtuber.sponsors",
            {"youtuber": MAINI, "kinds": PAID_KINDS, "since": "2022-01-01", "limit": 50},
        ),
    )
    check = (
        "paid sponsorships of the creator since then by brand; "
        "a relation whose last sponsorship of any kind is more than 180 days older than the creator's newest known video has "
        "lapsed if five known videos are later than it, and is unknown since its day otherwise; any other is active if the newest "
        "video is at most 180 days old today, and unknown since its day otherwise."
    )

    def stated(self, results: list[Any]) -> Facts:
        (sponsors,) = results
        assert sponsors["next_cursor"] is None
        return {
            "relations": {
                item["sponsor"]["name"]: (shown_status(item), item["videos"], item["last_seen"])
                for item in sponsors["sponsors"]
            }
        }

    def computed(self, tables: BaseTables) -> Facts:
        since = date(2022, 1, 1)
        own = by_brand(p for p in tables.of_creator(MAINI) if p.is_paid and p.day >= since)
        return {
            "relations": {
                name: (
                    tables.status(MAINI, name),
                    videos_of(mine),
                    str(max(p.day for p in mine)),
                )
                for name, mine in own.items()
            }
        }

    def text(self, facts: Facts) -> str:
        relations = sorted(facts["relations"].items())
        lapsed = [item for item in relations if item[1][0].startswith("lapsed")]
        others = [item for item in relations if item not in lapsed]
        statuses = sorted({status for _, (status, _, _) in others})
        (until,) = {status for _, (status, _, _) in lapsed}
        return (
            f"That {len(others)} of {len(relations)} are active today cannot be said, nor that they are not: "
            f"{listed(name for name, _ in others)} are {listed(statuses)}. {len(lapsed)} had {until}:\n\n"
            + bullets(
                f"{name}: {counted(videos, 'video')}, the last on {last}"
                for name, (_, videos, last) in lapsed
            )
            + "\n\nThe status is that of the whole relation; `since` chooses which brands are listed."
        )


class Prospects(Case):
    slug = "prospects-of-kurzgesagt"
    person = "A creator"
    title = "Which brands could Kurzgesagt approach?"
    calls = (("youtuber.prospects", {"youtuber": "@kurzgesagt", "limit": 50}),)
    check = (
        "creators with a paying brand in common with the creator; the brands that pay at least two of them, counted; none "
        "of them has any sponsorship of the creator; by chance it would be the creators in common by the brand's part of "
        "all creators with paid sponsorships."
    )

    def stated(self, results: list[Any]) -> Facts:
        (prospects,) = results
        found = [item for item in prospects["prospects"] if item["similar_youtubers"] > 1]
        return {
            "brands": {
                item["sponsor"]["name"]: (
                    item["similar_youtubers"],
                    round(item["expected_youtubers"], 6),
                    item["sponsor"]["last_seen"],
                )
                for item in found
            },
            "peers": {
                int(item["reason"].partition(" of the ")[2].partition(" ")[0]) for item in found
            },
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = {p.brand for p in tables.of_creator(KURZGESAGT)}
        paying = {p.brand for p in tables.of_creator(KURZGESAGT) if p.is_paid}
        others = [p for p in tables.paid() if p.creator_name != KURZGESAGT]
        peers = {p.creator for p in others if p.brand in paying}
        every = creators_of(tables.paid())
        brands: dict[str, tuple[int, float, str]] = {}
        for name, theirs in by_brand(p for p in others if p.brand not in own).items():
            similar = len({p.creator for p in theirs} & peers)
            if similar > 1:
                last = max(p.day for p in tables.of_brand(name))
                expected = len(peers) * creators_of(theirs) / every
                brands[name] = (similar, round(expected, 6), str(last))
        return {"brands": brands, "peers": {len(peers)}}

    def text(self, facts: Facts) -> str:
        (peers,) = facts["peers"]
        brands = sorted(facts["brands"].items(), key=lambda item: (-item[1][0], item[0]))
        return (
            f"{len(brands)} brands pay at least two of the {peers} creators who share a paying brand with Kurzgesagt, "
            "and have not sponsored Kurzgesagt:\n\n"
            + bullets(
                f"{name}: {similar} creators, where chance would give {expected:.2g}; last seen on {last}"
                for name, (similar, expected, last) in brands
            )
        )


CREATORS: Final = (
    VideoSponsors(),
    CreatorBrands(),
    EndedRelations(),
    Prospects(),
)
