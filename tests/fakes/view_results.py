"""Results for views to show, of the classes that the tools return."""

from datetime import UTC, date, datetime, timedelta
from itertools import combinations, cycle
from typing import Any, Final

import msgspec

from shapes.catalog.comparisons import (
    ComparedSponsor,
    SharedYoutubers,
    SponsorComparison,
    SponsorTrend,
    Trends,
)
from shapes.catalog.shared import (
    Coverage,
    Period,
    SameChannels,
    Share,
    SponsorCard,
    SponsorRef,
    Totals,
    YoutuberRef,
)
from shapes.catalog.sponsors import (
    RankedSponsor,
    SeriesPoint,
    ShareOfVoice,
    SponsorStats,
    TopSponsors,
)
from shapes.catalog.youtubers import (
    FormatVideos,
    ViewComparison,
    YoutuberSeriesPoint,
    YoutuberStats,
)
from shapes.imports import FoundBrand, ImportStatus
from tests.fakes.coverage import COVERAGE

DIRECTION_MARKS: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Every character by which a text could turn the direction of what stands around it (UAX #9)."""

HOSTILE: Final = (
    '<img src=x onerror="parent.postMessage(document.cookie)">',
    "</script><script>alert(1)</script>",
    "\u202egnp.exe\u202c & <b>Söhne</b>",
    f"Turned {DIRECTION_MARKS} around",
    "W" * 120,
)
"""Names as the worst of channels would choose them."""

YEAR: Final = Period(date(2025, 11, 1), date(2026, 10, 31))
BEFORE: Final = Period(date(2024, 11, 1), date(2025, 10, 31))
BRANDS: Final = (
    "NordVPN",
    "Surfshark",
    "ExpressVPN",
    "Private Internet Access",
    "CyberGhost",
    "Proton VPN",
    "Atlas VPN",
    "PureVPN",
)

MONTHS: Final = tuple(date(2025 + (10 + at) // 12, (10 + at) % 12 + 1, 1) for at in range(12))
KINDS: Final = ("paid_sponsorship", "promo_code", "affiliate", "free_product")
_VIDEOS: Final = (31, 44, 28, 35, 52, 61, 47, 39, 58, 66, 73, 69)


def sponsor_stats(name: str = "NordVPN", slug: str = "nordvpn", scale: float = 1) -> Any:
    videos = [round(count * scale) for count in _VIDEOS]
    series = tuple(
        SeriesPoint(start, count, round(count * 0.62), count * 184_300)
        for start, count in zip(MONTHS, videos, strict=True)
    )
    kinds = _shares(
        {"promo_code": 322, "paid_sponsorship": 201, "affiliate": 62, "free_product": 18}
    )
    total = sum(videos)
    return _plain(
        SponsorStats(
            sponsor=_card(name, slug),
            period=YEAR,
            totals=Totals(total, round(total * 0.38), total * 184_300, total),
            previous_period=BEFORE,
            previous_totals=Totals(
                round(total * 0.81), round(total * 0.41), total * 151_000, round(total * 0.81)
            ),
            change=0.23,
            series=series,
            by_category=_shares({"gaming": 188, "education": 141, "technology": 120, "film": 66}),
            by_country=_shares({"US": 301, "GB": 97, "DE": 71, "CA": 44}),
            by_kind=kinds,
            repeat_rate=0.41,
            share_of_voice=ShareOfVoice(
                "vpn", round(total * 2.5), 0.38, 1, round(total * 2.63), KINDS[:3]
            ),
            kinds=KINDS,
            not_compared=None,
            granularity="month",
            coverage=COVERAGE,
            note=None,
            compared=_same_channels(round(total * 0.6), round(total * 0.5), round(total * 0.2)),
        )
    )


def sponsor_top(names: tuple[str, ...] = BRANDS, cursor: str | None = "next") -> Any:
    return _plain(
        TopSponsors(
            period=YEAR,
            metric="videos",
            totals=Totals(1490, 604, 271_000_000, 1587),
            sponsors=tuple(
                RankedSponsor(
                    rank=rank,
                    sponsor=_ref(name, f"brand-{rank}" if rank > 1 else "nordvpn"),
                    videos=round(603 / rank),
                    youtubers=229 - 17 * rank,
                    views=round(111_132_900 / rank**1.4),
                    share=round(0.38 / rank, 4),
                    free_products=rank,
                    metric_share=round(0.38 / rank, 4),
                )
                for rank, name in enumerate(names, start=1)
            ),
            next_cursor=cursor,
            kinds=KINDS[:3],
            by_kind=_shares({"promo_code": 902, "paid_sponsorship": 685, "free_product": 72}),
            coverage=COVERAGE,
            note=None,
        )
    )


def sponsor_compare(names: tuple[str, ...] = BRANDS[:3], not_compared: str | None = None) -> Any:
    brands = [
        _ref(name, f"brand-{at}" if at > 1 else "nordvpn") for at, name in enumerate(names, start=1)
    ]
    return _plain(
        SponsorComparison(
            period=YEAR,
            previous_period=BEFORE,
            sponsors=tuple(
                _compared(brand, at, compared=not_compared is None)
                for at, brand in enumerate(brands, start=1)
            ),
            shared_youtubers=tuple(
                SharedYoutubers(brand.id, other.id, 40 - 7 * at)
                for at, (brand, other) in enumerate(combinations(brands, 2))
            ),
            kinds=KINDS,
            not_compared=not_compared,
            note=None,
            coverage=COVERAGE,
        )
    )


def sponsor_trends(names: tuple[str, ...] = BRANDS[:4]) -> Any:
    figures = (
        (84, 41, 37, 22, 3.9, "rising"),
        (22, 61, 12, 30, -4.4, "falling"),
        (30, 28, 17, 15, 0.2, "steady"),
        (30, 0, 1, 0, 4.9, "too_little_to_say"),
    )
    return _plain(
        Trends(
            period=YEAR,
            previous_period=BEFORE,
            sponsorships=1587,
            previous_sponsorships=1402,
            sponsors=tuple(
                SponsorTrend(
                    sponsor=_ref(name, f"brand-{at}"),
                    videos=videos,
                    previous_videos=before,
                    youtubers=youtubers,
                    previous_youtubers=youtubers_before,
                    change=videos / before - 1 if before else None,
                    score=score,
                    trend=trend,
                    compared=_same_channels(videos, before, youtubers, trend),
                )
                for at, (name, figure) in enumerate(zip(names, cycle(figures), strict=False))
                for videos, before, youtubers, youtubers_before, score, trend in [figure]
            ),
            kinds=KINDS[:3],
            coverage=COVERAGE,
            note=None,
            youtubers=312,
            compared_youtubers=187,
            known_videos=8_412,
            previous_known_videos=7_951,
            compared_sponsors=139,
        )
    )


def youtuber_stats(name: str = "Marlene Baut") -> Any:
    uploads = (9, 8, 11, 7, 10, 12, 9, 8, 6, 11, 10, 12)
    paid = (3, 2, 4, 2, 5, 4, 3, 4, 1, 6, 5, 7)
    return _plain(
        YoutuberStats(
            youtuber=YoutuberRef(
                "yt_1", "UC" + "x" * 22, "@marlenebaut", name, 1_240_000, "DE", None
            ),
            period=YEAR,
            videos=sum(uploads),
            sponsored_videos=sum(paid),
            sponsored_share=sum(paid) / sum(uploads),
            sponsors=17,
            views=ViewComparison(
                412_000.0,
                466_500.0,
                0.883,
                46,
                67,
                (2025, 2026),
                None,
                (FormatVideos("longform", 113),),
                "last_look",
            ),
            by_category=_shares({"vpn": 14, "tools": 11, "online_learning": 9, "food": 7}),
            series=tuple(
                YoutuberSeriesPoint(start, all_, some)
                for start, all_, some in zip(MONTHS, uploads, paid, strict=True)
            ),
            coverage=_coverage(),
            sponsorships=sum(paid) + 3,
            by_kind=_shares({"promo_code": 30, "paid_sponsorship": 19}),
            kinds=KINDS,
            granularity="month",
            note=None,
        )
    )


def import_status(
    state: str = "running",
    seen: int = 240,
    *,
    title: str = "Marlene Baut",
    brands: tuple[str, ...] = BRANDS[:6],
) -> Any:
    started = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
    messages = {
        "running": "Reading videos.",
        "waiting": "YouTube's daily allowance is used up; it goes on by itself.",
        "failed": "The channel was removed from YouTube.",
    }
    return _plain(
        ImportStatus(
            import_id="imp_1",
            channel_id="UC" + "x" * 22,
            channel_title=title,
            state=state,
            message=messages.get(state, "All videos are read."),
            source="youtube-api",
            videos_seen=seen,
            videos_total=640,
            sponsorships=seen // 5,
            brands=tuple(
                FoundBrand(f"brand-{at}", name, max(1, seen // (12 * at)))
                for at, name in enumerate(brands, start=1)
            ),
            created_at=started,
            started_at=started + timedelta(seconds=2),
            finished_at=started + timedelta(minutes=3) if state in ("done", "failed") else None,
            retry_at=None,
            joined=False,
        )
    )


def result(content: Any, *, is_error: bool = False) -> Any:
    """A tool's result with this structured content."""
    text = msgspec.json.encode(content).decode()
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": content,
        "isError": is_error,
    }


def _compared(brand: SponsorRef, at: int, *, compared: bool) -> ComparedSponsor:
    videos = round(603 / at)
    before = round(videos * 0.8)
    return ComparedSponsor(
        sponsor=brand,
        totals=Totals(videos, videos // 3, videos * 184_300, videos + 4),
        previous_totals=Totals(before, before // 3, before * 151_000, before) if compared else None,
        change=videos / before - 1 if compared else None,
        by_kind=_shares({"promo_code": videos // 2, "free_product": videos - videos // 2}),
        repeat_rate=0.41,
        share_of_voice=ShareOfVoice("vpn", 1490, round(videos / 1587, 4), at, 1587, KINDS[:3]),
        compared=_same_channels(videos, before, videos // 3) if compared else None,
        not_compared=None if compared else "Too little is known of either period.",
    )


def _same_channels(videos: int, before: int, youtubers: int, trend: str = "rising") -> SameChannels:
    return SameChannels(
        youtubers=youtubers,
        videos=videos,
        previous_videos=before,
        known_videos=videos * 9,
        previous_known_videos=videos * 9,
        rate=1 / 9,
        previous_rate=before / (videos * 9),
        change_low=videos / before * 0.8 - 1 if before else None,
        change_high=videos / before * 1.25 - 1 if before else None,
        trend=trend,
    )


def _card(name: str, slug: str) -> SponsorCard:
    return SponsorCard(
        id=slug,
        slug=slug,
        name=name,
        domain=f"{slug}.com",
        website=None,
        category="vpn",
        country="PA",
        first_seen=date(2017, 3, 1),
        last_seen=date(2026, 10, 30),
        status="active",
        videos=4211,
        paid_videos=4190,
        youtubers=981,
        views=912_000_000,
        known_until=date(2026, 10, 30),
    )


def _ref(name: str, slug: str) -> SponsorRef:
    return SponsorRef(slug, slug, name, None, "vpn")


def _coverage() -> Coverage:
    return Coverage(812, date(2019, 5, 2), date(2026, 10, 30), None, "youtube-api", None)


def _shares(counts: dict[str, int]) -> tuple[Share, ...]:
    total = sum(counts.values())
    return tuple(Share(key, key, count, count / total, count) for key, count in counts.items())


def _plain(result: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(result))
