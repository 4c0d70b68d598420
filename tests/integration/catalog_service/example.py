"""A small catalogue of invented facts, whose answers the tests know by hand.

| video | youtuber | day | views | sponsors |
| --- | --- | --- | --- | --- |
| a1 | Ada | 2023-01-10 | 1000 | Azura VPN (paid, 0.95, ADA) |
| a2 | Ada | 2023-02-15 | 2000 | Azura VPN (code, 0.8, ADA), BrightMeal (paid, 0.9) |
| a3 | Ada | 2023-05-20 | 3000 | |
| a4 | Ada | 2023-11-30 | 4000 | Dexter Games (affiliate, 0.6) |
| b1 | Bob | 2023-01-20 | 100 | BrightMeal (paid, 0.9) |
| b2 | Bob | 2023-02-25 | 300 | BrightMeal (free, 0.7) |
| b3 | Bob | 2023-03-05 | 500 | |
| c1 | Cyd | 2023-01-31 | unknown | Azura VPN (code, 0.5, CYD) |
| c2 | Cyd | 2023-04-01 | 700 | Dexter Games (paid, 0.9) |

Dan has one video, e1, and no sponsor; Crypto Nest and both called Echo have no video.
"""

from typing import Any

from protos.catalog.v1 import catalog_pb2 as pb

ADA_CHANNEL = "UC" + "a" * 22


def sponsor(slug: str, name: str, domain: str, category: str | None, **more: Any) -> pb.IngestItem:
    fact = pb.SponsorFact(slug=slug, name=name, domains=[domain], category=category, **more)
    return pb.IngestItem(sponsor=fact)


def youtuber(key: str, name: str, **more: Any) -> pb.IngestItem:
    return pb.IngestItem(youtuber=pb.YoutuberFact(key=key, name=name, **more))


def claim(slug: str, kind: str, confidence: float, code: str | None = None) -> pb.SponsorshipFact:
    return pb.SponsorshipFact(
        sponsor_slug=slug,
        kind=kind,
        code=code,
        link=f"https://{slug}.example/x",
        excerpt="thanks to them",
        excerpt_source="description",
        excerpt_start=4,
        excerpt_end=18,
        confidence=confidence,
        detector_version="d1",
        reason="says so",
    )


def video(
    key: str, by: str, day: str, views: int | None, *claims: pb.SponsorshipFact, **more: Any
) -> pb.IngestItem:
    fact = pb.VideoFact(
        key=key,
        youtuber_key=by,
        published_at=day,
        views=views,
        detector_version="d1",
        sponsorships=claims,
        **more,
    )
    return pb.IngestItem(video=fact)


SPONSORS = [
    sponsor(
        "azura-vpn", "Azura VPN", "azuravpn.com", "security", aliases=["Azura"], country="PA",
        website="https://azuravpn.com",
    ),
    sponsor("brightmeal", "BrightMeal", "brightmeal.com", "food", country="US"),
    sponsor("crypto-nest", "Crypto Nest", "cryptonest.io", "crypto", country="CH"),
    sponsor("dexter-games", "Dexter Games", "dexter.example", "games", country="JP"),
    sponsor("echo-books", "Echo", "echobooks.com", "audio-books", country="US"),
    sponsor("echo-tools", "Echo", "echotools.com", "software", country="DE"),
]  # fmt: skip
YOUTUBERS = [
    youtuber(
        "ada", "Ada Löve", channel_id=ADA_CHANNEL, handle="@AdaLoeve", subscribers=1_000_000,
        country="DE", category="science-technology", source="sample", imported_at="2024-01-01T00:00:00Z",
    ),
    youtuber("bob", "Bob Cooks", subscribers=500_000, country="US", category="howto-style"),
    youtuber("cyd", "Cyd Plays", handle="cyd", subscribers=50_000, country="DE", category="gaming"),
    youtuber("dan", "Dan Daily", subscribers=900_000, country="DE", category="science-technology"),
]  # fmt: skip
_SCIENCE: dict[str, Any] = {"category": "science-technology"}
_HOWTO: dict[str, Any] = {"category": "howto-style"}
_GAMING: dict[str, Any] = {"category": "gaming"}
VIDEOS = [
    video(
        "a1", "ada", "2023-01-10T23:30:00Z", 1000, claim("azura-vpn", "paid_sponsorship", 0.95, "ADA"),
        video_id="aaaaaaaaaa1", title="First light", **_SCIENCE,
    ),
    video(
        "a2", "ada", "2023-02-15", 2000, claim("azura-vpn", "promo_code", 0.8, "ADA"),
        claim("brightmeal", "paid_sponsorship", 0.9), **_SCIENCE,
    ),
    video("a3", "ada", "2023-05-20", 3000, **_SCIENCE),
    video("a4", "ada", "2023-11-30", 4000, claim("dexter-games", "affiliate", 0.6), **_SCIENCE),
    video("b1", "bob", "2023-01-20", 100, claim("brightmeal", "paid_sponsorship", 0.9), **_HOWTO),
    video("b2", "bob", "2023-02-25", 300, claim("brightmeal", "free_product", 0.7), **_HOWTO),
    video("b3", "bob", "2023-03-05", 500, **_HOWTO),
    video("c1", "cyd", "2023-01-31", None, claim("azura-vpn", "promo_code", 0.5, "CYD"), **_GAMING),
    video(
        "c2", "cyd", "2023-04-01", 700, claim("dexter-games", "paid_sponsorship", 0.9), **_GAMING
    ),
    video("e1", "dan", "2023-04-02", 10, **_SCIENCE),
]  # fmt: skip
FACTS = [*SPONSORS, *YOUTUBERS, *VIDEOS]
