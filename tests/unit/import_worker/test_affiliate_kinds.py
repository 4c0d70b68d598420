"""What is called an affiliate's link is one, wherever it stands."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def kinds(description: str) -> set[str]:
    return {item.kind for item in detect("A day at the lake", description, LAKESIDE)}


@pytest.mark.parametrize(
    "text",
    [
        "My affiliate link for Wise: https://wise.com/invite/lake",
        "AFFILIATE LINKS\nWise: https://wise.com/invite/lake\nSquarespace: https://squarespace.com/lake\nSurfshark: https://surfshark.com/lake",
        "My affiliate links:\nWise: https://wise.com/invite/lake\nSurfshark: https://surfshark.com/lake",
    ],
)
def test_what_is_called_an_affiliate_link_is_one_at_the_top_too(text: str) -> None:
    assert kinds(text) == {"affiliate"}


def test_a_heading_for_partners_says_that_its_links_are_paid() -> None:
    text = "Affiliate partners:\nWise: https://wise.com/invite/lake\nSurfshark: https://surfshark.com/lake"
    assert kinds(text) == {"paid_sponsorship"}


def test_a_sponsor_that_is_stated_stays_one_beside_its_affiliate_link() -> None:
    text = "This video is sponsored by Wise. My affiliate link: https://wise.com/invite/lake"
    assert kinds(text) == {"paid_sponsorship"}
