"""A report from the call to its decision, as whoever sent it sees it on the site."""

from __future__ import annotations

from playwright.async_api import Browser, expect

from tests.e2e.conftest import RunningStack
from tests.e2e.test_browser import window


async def test_a_decision_on_a_report_is_read_on_the_site(
    stack: RunningStack, chromium: Browser
) -> None:
    listed = stack.tool_result("sponsor.recentVideos", {"sponsor": "nordvpn", "limit": 2})["videos"]
    sent = [
        stack.tool_result(
            "sponsorship.report",
            {"video": row["video"]["id"], "kind": "missing", "brand": "Acme Rockets", "note": note},
        )["id"]
        for row, note in zip(listed, ("<b>At 2:10</b>", "In the pinned comment"), strict=True)
    ]
    async with window(stack, chromium, "phone") as visitor:
        await visitor.log_in_as_demo()
        await visitor.page.get_by_role("link", name="Imports").click()
        await visitor.page.get_by_role("link", name="Your reports").click()
        items = [visitor.page.get_by_role("listitem").filter(has_text=number) for number in sent]
        for item in items:
            await expect(item).to_contain_text("received")
        await expect(items[0]).to_contain_text("You said: <b>At 2:10</b>")
        for number, decision, note in zip(
            sent, ("accept", "reject"), ("It is said at 2:10.", "No comment says so."), strict=True
        ):
            decided = stack.command("corrections", decision, number, "--note", note)
            assert decided.returncode == 0, decided.stderr
        await visitor.page.reload()
        await expect(items[0]).to_contain_text("accepted and applied")
        await expect(items[0]).to_contain_text("The reviewer said: It is said at 2:10.")
        await expect(items[1]).to_contain_text("rejected")
        await expect(items[1]).to_contain_text("The reviewer said: No comment says so.")
        width = await visitor.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
    video = stack.tool_result("video.get", {"video": listed[0]["video"]["id"]})
    assert "Acme Rockets" in [item["sponsor"]["name"] for item in video["sponsorships"]]
    # Other tests hold the figures of this stack against the sample's own facts.
    undone = {"video": listed[0]["video"]["id"], "kind": "wrong", "sponsor": "Acme Rockets"}
    number = stack.tool_result("sponsorship.report", undone)["id"]
    decided = stack.command("corrections", "accept", number, "--note", "Not of the sample.")
    assert decided.returncode == 0, decided.stderr
    video = stack.tool_result("video.get", {"video": listed[0]["video"]["id"]})
    assert "Acme Rockets" not in [item["sponsor"]["name"] for item in video["sponsorships"]]
