"""The calls that the service is for, as a script makes them, on the bundled sample."""

import itertools
import json
from typing import Any

import httpx2

from tests.e2e import base_tables
from tests.e2e.conftest import RunningStack


def test_a_misspelt_brand_is_found(stack: RunningStack) -> None:
    found = stack.tool_result("sponsor.search", {"search": "nordvpm", "limit": 3})
    assert found["sponsors"][0]["name"] == "NordVPN"


def test_the_tools_are_listed_with_dots_for_a_script(stack: RunningStack) -> None:
    response = httpx2.post(
        stack.connection["mcp_url"],
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"Authorization": f"Bearer {stack.connection['api_key']}"},
    )
    names = [tool["name"] for tool in response.json()["result"]["tools"]]
    assert {"sponsor.search", "sponsor.top", "youtuber.prospects", "account.usage"} <= set(names)


def test_the_most_active_brands_of_a_category_in_a_period(stack: RunningStack) -> None:
    top = stack.tool_result(
        "sponsor.top", {"category": "tech", "from": "2020-01-01", "to": "2024-12-31", "limit": 10}
    )
    ranked = top["sponsors"]
    assert len(ranked) == 10
    figures = [r["videos"] for r in ranked]
    assert [r["rank"] for r in ranked] == [
        1 + sum(other > own for other in figures) for own in figures
    ]
    assert all(a["videos"] >= b["videos"] for a, b in itertools.pairwise(ranked))
    assert sum(r["videos"] for r in ranked) <= top["totals"]["sponsorships"]


def read_category(stack: RunningStack, word: str) -> Any:
    params = {"uri": f"sponsorgraph://category/{word}"}
    response = httpx2.post(
        stack.connection["mcp_url"],
        json={"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params},
        headers={"Authorization": f"Bearer {stack.connection['api_key']}"},
    )
    return response.json()


def test_a_category_is_read_by_its_id_and_by_what_is_meant(stack: RunningStack) -> None:
    by_id, by_word = (
        json.loads(read_category(stack, word)["result"]["contents"][0]["text"])["categories"]
        for word in ("security", "vpn")
    )
    assert [item["id"] for item in by_word] == ["security"]
    assert by_word == by_id
    error = read_category(stack, "zzqqxx")["error"]
    assert error["code"] == -32602
    assert error["message"] == "There is no category zzqqxx. category.list lists them."
    games = json.loads(read_category(stack, "Games")["result"]["contents"][0]["text"])["categories"]
    listed = [(item["scope"], item["id"]) for item in games]
    assert len(listed) == len(set(listed))
    assert set(listed) == {("sponsor", "games"), ("content", "gaming")}


def test_a_video_counts_once_and_free_products_do_not_rank(stack: RunningStack) -> None:
    year = {"category": "tech", "from": "2023-01-01", "to": "2023-12-31", "limit": 50}
    every = ["paid_sponsorship", "promo_code", "affiliate", "free_product"]
    totals = stack.tool_result("sponsor.top", {"kinds": every})["totals"]
    assert 0 < totals["videos"] < totals["sponsorships"]
    paid = stack.tool_result("sponsor.top", year)
    assert "free_product" not in paid["kinds"]
    assert "Apple" not in {item["sponsor"]["name"] for item in paid["sponsors"]}
    ranked = stack.tool_result("sponsor.top", {**year, "kinds": every})["sponsors"]
    (apple,) = (item for item in ranked if item["sponsor"]["name"] == "Apple")
    assert apple["videos"] == apple["free_products"] > 0
    sent = sum(part["sponsorships"] for part in paid["by_kind"] if part["key"] == "free_product")
    assert sent >= apple["free_products"]


def _all_sponsors(stack: RunningStack, youtuber: str) -> list[dict[str, Any]]:
    sponsors: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    while not sponsors or page["next_cursor"]:
        more = {"cursor": page["next_cursor"]} if page else {}
        page = stack.tool_result("youtuber.sponsors", {"youtuber": youtuber, "limit": 50, **more})
        sponsors += page["sponsors"]
    return sponsors


def test_the_creators_of_a_brand_agree_with_the_brands_of_each_creator(stack: RunningStack) -> None:
    creators = stack.tool_result("sponsor.youtubers", {"sponsor": "NordVPN", "limit": 5})[
        "youtubers"
    ]
    assert creators
    for creator in creators:
        sponsors = _all_sponsors(stack, creator["youtuber"]["id"])
        (seen,) = [s for s in sponsors if s["sponsor"]["slug"] == "nordvpn"]
        assert seen["videos"] == creator["videos"]


def test_statistics_add_up(stack: RunningStack) -> None:
    stats = stack.tool_result("sponsor.stats", {"sponsor": "nordvpn.com", "granularity": "year"})
    total = stats["totals"]["videos"]
    assert total > 0
    assert sum(point["videos"] for point in stats["series"]) == total
    assert sum(kind["videos"] for kind in stats["by_kind"]) == total


def test_prospects_do_not_sponsor_the_creator_yet(stack: RunningStack) -> None:
    creator = stack.tool_result("sponsor.youtubers", {"sponsor": "NordVPN", "limit": 1})[
        "youtubers"
    ][0]
    youtuber = creator["youtuber"]["id"]
    prospects = stack.tool_result("youtuber.prospects", {"youtuber": youtuber, "limit": 20})
    mine = stack.tool_result("youtuber.sponsors", {"youtuber": youtuber, "limit": 50})["sponsors"]
    proposed = {p["sponsor"]["slug"] for p in prospects["prospects"]}
    assert proposed
    assert not proposed & {s["sponsor"]["slug"] for s in mine}


def test_sponsored_videos_of_a_grown_channel_are_not_said_to_be_seen_more(
    stack: RunningStack,
) -> None:
    """Medians over all of its years differ by the factor 14; within a year, by -5 to -33 % lately."""
    stats = stack.tool_result("youtuber.stats", {"youtuber": "Mrwhosetheboss"})
    assert 0.67 <= stats["views"]["ratio"] <= 0.95
    assert stats["views"]["sponsored_videos"] > 100
    assert len(stats["series"]) <= 40
    coverage = stats["coverage"]
    assert (coverage["last_import"], coverage["source"]) == (None, "bundled-sample")


def test_videos_without_a_category_are_said_to_be_left_out(stack: RunningStack) -> None:
    paid = base_tables.read(stack.home).paid()
    gaming = stack.tool_result("sponsor.top", {"content_category": "gaming"})
    assert gaming["coverage"]["left_out"] == base_tables.left_out_videos(
        (p for p in paid if p.content is None), (p for p in paid if p.content == "gaming")
    )
    none = stack.tool_result("sponsor.top", {"country": "IS"})
    assert none["sponsors"] == []
    unknown = none["coverage"]["left_out"]
    assert 0 < unknown == base_tables.videos_of(p for p in paid if p.country is None)
    assert none["coverage"]["videos"] == 0
    assert none["note"].startswith("No sponsorship matches `country` IS. None of the ")
    assert f"{unknown:,} sponsored videos may match too" in none["note"]


def test_coverage_is_of_the_year_and_the_creators(stack: RunningStack) -> None:
    tables = base_tables.read(stack.home)
    filters: list[dict[str, str]] = [
        {"from": f"{year}-01-01", "to": f"{year}-12-31"} for year in range(2010, 2025)
    ]
    filters += [{"country": "US"}, {"content_category": "gaming"}]
    filters += [{**period, "country": "US"} for period in filters[:15:3]]
    for query in filters:
        scanned = [
            video
            for video in tables.videos
            if query.get("from", "") <= str(video.day) <= query.get("to", "9")
            and query.get("country") in {None, video.country}
            and query.get("content_category") in {None, video.content}
        ]
        coverage = stack.tool_result("sponsor.top", {**query, "limit": 1})["coverage"]
        days = sorted(str(video.day) for video in scanned)
        assert (coverage["videos"], coverage["youtubers"]) == (
            len(scanned),
            len({video.creator for video in scanned}),
        ), query
        assert (coverage["first_video"], coverage["last_video"]) == (
            (days[0], days[-1]) if days else (None, None)
        )


def test_the_sample_is_as_large_as_it_says(stack: RunningStack) -> None:
    categories = stack.tool_result("category.list", {})["categories"]
    assert sum(c["sponsors"] for c in categories if c["scope"] == "sponsor") >= 250


def test_usage_is_free_and_counts(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    assert stack.tool_result("account.usage", {}, key)["requests_used"] == 0
    stack.tool_result("sponsor.search", {"search": "vpn"}, key)
    assert stack.call_tool("sponsor.get", {"sponsor": ""}, key).status_code == 400
    used = stack.tool_result("account.usage", {}, key)
    assert (used["requests_used"], used["requests_remaining"]) == (1, 999)


def test_a_name_that_is_no_channel_gets_the_creators_that_it_may_mean(stack: RunningStack) -> None:
    arguments = {"limit": 50, "sort": "sponsored_videos"}
    found = [
        c for c in stack.tool_result("youtuber.search", arguments)["youtubers"] if c["channel_id"]
    ]
    words = (creator["name"].split() for creator in found)
    part = " ".join(next(parts[:2] for parts in words if len(parts) > 2))
    key = stack.key(stack.account("creator"))
    refused = stack.call_tool("channel.import", {"channel": part}, key)
    assert refused.status_code == 400, refused.text
    candidates = refused.json()["error"]["data"]["details"]["candidates"]
    meant = [creator["name"] for creator in found if creator["channel_id"] in candidates]
    assert any(name.startswith(part) for name in meant)
    assert stack.tool_result("account.usage", {}, key)["requests_used"] == 0


def test_the_status_of_every_brand_follows_its_newest_relations(stack: RunningStack) -> None:
    tables = base_tables.read(stack.home)
    cards: dict[str, str] = {}
    arguments: dict[str, object] = {"min_videos": 1, "sort": "videos", "limit": 50}
    while True:
        page = stack.tool_result("sponsor.search", arguments)
        cards |= {card["name"]: card["status"] for card in page["sponsors"]}
        if page["next_cursor"] is None:
            break
        arguments["cursor"] = page["next_cursor"]
    assert len(cards) > 100
    assert cards["NordVPN"] == "unknown"
    assert cards == {name: tables.brand_status(name) for name in cards}
