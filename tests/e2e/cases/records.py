"""Records of paid work of a creator and of a brand, and conflicts of a brand."""

from __future__ import annotations

from typing import Any, Final

from tests import track_records
from tests.e2e.base_tables import BaseTables
from tests.e2e.cases.case import Case, Facts, bullets, counted, listed, percent
from tests.e2e.cases.creators import MAINI
from tests.track_records import Tables, Upload, Work

DAYS: Final = 365


def rows_of(tables: BaseTables) -> Tables:
    """Return the base tables as the computation of records has them."""
    works = [
        Work(p.creator, p.brand, p.video, p.day, p.kind, p.category) for p in tables.sponsorships
    ]
    uploads = [Upload(video.id, video.creator, video.day, video.format) for video in tables.videos]
    return Tables(works, uploads, {p.creator: p.subscribers for p in tables.sponsorships})


class CreatorRecord(Case):
    slug = "record-of-mrwhosetheboss"
    person = "An agency"
    title = "Do the brands of Mrwhosetheboss come back?"
    calls = (("youtuber.get", {"youtuber": MAINI, "record": True}),)
    check = (
        "paid sponsorships of the creator by brand and day: brands with more than one day, days between one and the next, brands "
        "of the last 730 known days, and videos of the last 365 by format."
    )

    def stated(self, results: list[Any]) -> Facts:
        return track_records.stated_record(results[0]["record"])

    def computed(self, tables: BaseTables) -> Facts:
        return track_records.creator_record(rows_of(tables), tables.of_creator(MAINI)[0].creator)

    def text(self, facts: Facts) -> str:
        known, again, rate, still_open, at_most = facts["renewal"]
        days, gaps, largest = facts["gap"]
        (start, end), sponsors, twice = facts["two_years"]
        _, _, _, _, unknown, unknown_paid, _ = facts["fulfilment"]
        return (
            f"{again} of {known} brands did, {percent(rate)}; of {still_open} others too little is known, so it is at most "
            f"{percent(at_most)}. A brand that came back did so after {days:.0f} days (median of {gaps} gaps, {largest} of them of one "
            f"brand). From {start} to {end}, the last two years known, {sponsors} brands paid, and {twice} of them more than once. What "
            f"share of longform videos is sponsored cannot be said, as the sample has no formats: of {unknown} videos of any format of "
            f"the last year {unknown_paid} had paid work."
        )


class BrandRecord(Case):
    slug = "season-of-surfshark"
    person = "A creator"
    title = "In which months does Surfshark sponsor most, and do its creators hear from it again?"
    calls = (("sponsor.get", {"sponsor": "Surfshark", "record": True}),)
    check = (
        "paid sponsorships of the brand by month, by whole calendar year and month, and by creator and day; subscribers of its "
        "creators."
    )

    def stated(self, results: list[Any]) -> Facts:
        return track_records.stated_record(results[0]["record"])

    def computed(self, tables: BaseTables) -> Facts:
        return track_records.brand_record(rows_of(tables), tables.of_brand("Surfshark")[0].brand)

    def text(self, facts: Facts) -> str:
        (start, end), videos, active, months, each = facts["cadence"]
        conspicuous, years, in_years = facts["season"]
        known, again, _, still_open, _ = facts["renewal"]
        days, gaps, _ = facts["gap"]
        _, sizes, no_size = facts["creator_size"]
        season = listed(map(str, conspicuous)) if conspicuous else "No month"
        return (
            f"{season} stands out in {listed(map(str, years))} ({in_years} videos). From {start} to {end} it had {videos} videos in "
            f"{active} of {months} months, {each:.1f} a month of these. {again} of its {counted(known, 'creator')} came back, after "
            f"{days:g} days (median of {gaps} gaps); of the other {still_open} too little is known. Subscribers are known of {sizes} of "
            f"{sizes + no_size}."
        )


class BrandConflicts(Case):
    slug = "conflicts-of-nordvpn"
    person = "A marketer"
    title = "Which competitors of NordVPN did Mrwhosetheboss have in his last known year?"
    calls = (
        (
            "youtuber.conflicts",
            {"youtuber": MAINI, "sponsor": "NordVPN", "days": DAYS, "limit": 50},
        ),
    )
    check = (
        "paid sponsorships of the creator in the 365 days until the newest known video, of other brands of the same category and of "
        "none."
    )

    def stated(self, results: list[Any]) -> Facts:
        (found,) = results
        assert found["unknown_brands"] == len(found["unknown_examples"])
        return {
            "period": (found["period"]["from_date"], found["period"]["to_date"]),
            "category": found["category"],
            "brands": {
                item["sponsor"]["name"]: (item["videos"], item["last_seen"])
                for item in found["conflicts"]
            },
            "unknown": {item["name"] for item in found["unknown_examples"]},
        }

    def computed(self, tables: BaseTables) -> Facts:
        own = tables.of_brand("NordVPN")[0]
        creator = tables.of_creator(MAINI)[0].creator
        names = {p.brand: p.brand_name for p in tables.sponsorships}
        found = track_records.conflicts(rows_of(tables), creator, own.brand, own.category, DAYS)
        return {
            "period": tuple(map(str, found["period"])),
            "category": own.category,
            "brands": {
                names[brand]: (videos, str(last))
                for brand, (videos, last) in found["brands"].items()
            },
            "unknown": {names[brand] for brand in found["unknown"]},
        }

    def text(self, facts: Facts) -> str:
        start, end = facts["period"]
        ranked = sorted(facts["brands"].items(), key=lambda item: item[1][1], reverse=True)
        return (
            f"From {start} to {end} he had {counted(len(ranked), 'brand')} of `{facts['category']}`:\n\n"
            + bullets(
                f"{name}: {counted(videos, 'video')}, the last on {last}"
                for name, (videos, last) in ranked
            )
            + f"\n\nThe categories of {listed(sorted(facts['unknown']))} are not known. The known videos of the channel end on {end}: "
            "whom he had since is not known."
        )


RECORDS: Final[tuple[Case, ...]] = (CreatorRecord(), BrandRecord(), BrandConflicts())
