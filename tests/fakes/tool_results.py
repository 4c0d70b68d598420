"""Answers of tools for pages with data, small and with hostile names."""

import json
from typing import Any, Final

from tests.fakes import view_results

HOSTILE: Final = '<img src=x onerror="alert(1)">'
CATALOG_COVERAGE: Final = {
    "first_video": "2024-01-01",
    "last_video": "2024-12-31",
    "youtubers": 3,
    "videos": 40,
    "sponsored_videos": 12,
    "left_out": 0,
}


def brand(slug: str = "nordvpn", name: str = "NordVPN") -> dict[str, Any]:
    return {"id": f"sp_{slug}", "slug": slug, "name": name, "domain": None, "category": "vpn"}


def creator(name: str = "Marlene Baut", handle: str | None = "@marlene") -> dict[str, Any]:
    return {
        "id": "yt_1",
        "channel_id": "UC" + "x" * 22,
        "handle": handle,
        "name": name,
        "subscribers": 1200,
        "country": "DE",
        "url": None,
    }


def relation(name: str, videos: int, views: int) -> dict[str, Any]:
    return {
        "youtuber": creator(name, None),
        "videos": videos,
        "first_seen": "2024-01-02",
        "last_seen": "2024-03-04",
        "views": views,
        "status": "active",
        "codes": ["=HYPERLINK(1)", "SAVE"],
    }


def youtubers(count: int = 2, next_cursor: str | None = None) -> dict[str, Any]:
    """Return an answer of sponsor.youtubers."""
    return {
        "sponsor": brand(),
        "youtubers": [relation(f"Creator {n}", n, 1_000 - n) for n in range(1, count + 1)],
        "next_cursor": next_cursor,
        "coverage": CATALOG_COVERAGE,
        "note": None,
    }


def results() -> dict[str, Any]:
    """Return an answer of each tool that pages call."""
    stats: Any = view_results.sponsor_stats(HOSTILE)
    return {
        "sponsor.stats": stats,
        "sponsor.get": {"sponsor": brand(), "latest_codes": [], "coverage": CATALOG_COVERAGE},
        "sponsor.youtubers": youtubers(),
        "sponsor.recentVideos": _empty("videos"),
        "sponsor.similar": _empty("sponsors"),
        "sponsor.search": _empty("sponsors"),
        "youtuber.search": _empty("youtubers"),
        "youtuber.stats": view_results.youtuber_stats(),
        "youtuber.sponsors": _empty("sponsors"),
        "youtuber.recentVideos": _empty("videos"),
        "youtuber.prospects": _empty("prospects"),
        "sponsor.top": view_results.sponsor_top(),
        "sponsor.compare": view_results.sponsor_compare(),
        "sponsor.trends": view_results.sponsor_trends(),
        "category.list": {"categories": [], "kinds": [], "coverage": CATALOG_COVERAGE},
    }


def text(result: Any) -> str:
    return json.dumps(result)


def _empty(rows: str) -> dict[str, Any]:
    return {
        rows: [],
        "next_cursor": None,
        "coverage": CATALOG_COVERAGE,
        "note": "Nothing matches.",
    }
