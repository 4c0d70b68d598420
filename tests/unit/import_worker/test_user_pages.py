"""Links to pages that a site's users make, the creator's own offers, and codes that are everybody's."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def found(description: str, channel: str = "Lakeside Diary") -> set[str]:
    context = channel_context(channel, [description])
    return {item.brand for item in detect("A day at the lake", description, context)}


@pytest.mark.parametrize(
    "text",
    [
        "Hotel we stayed at: https://marriott.com/hotels/lake",
        "My Airbnb listing: https://airbnb.com/rooms/1",
        "My new job: https://shopify.com/careers",
        "Slides: https://canva.com/design/lake",
        "Try the demo: https://huggingface.co/spaces/lake",
        "Figma file: https://figma.com/community/file/lake",
        "Docs: https://stripe.com/docs/coupons",
    ],
)
def test_a_page_that_users_make_or_the_creator_shows_is_no_sponsors(text: str) -> None:
    assert found(text) == set()


def test_an_offer_beside_such_a_page_is_one() -> None:
    text = "Get 20% off with code LAKE20: https://marriott.com/hotels/lake"
    assert found(text) == {"Marriott"}


@pytest.mark.parametrize(
    "text",
    [
        "Book a free call with me: https://calendly.com/lake\nMore below, with 10% off boats.",
        "Join my Skool community https://skool.com/lake - first month free",
        "Grab tickets to my tour! 10% off with code LAKE10: https://seetickets.com",
    ],
)
def test_a_call_to_what_the_creator_offers_is_no_sponsorship(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "The code FALL20 is public and works for everyone at Target. I'm not affiliated with them.",
        "I paid for it with code WELCOME10 at Wayfair like anyone can.",
    ],
)
def test_a_code_that_is_everybodys_is_no_promo_code(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("channel", "site"),
    [("Wool & Oar", "woolandoar.com"), ("Wolle & Ruder", "wolleundruder.de")],
)
def test_a_shop_with_the_channels_name_and_a_word_for_its_sign_is_its_own(
    channel: str, site: str
) -> None:
    text = f"The new bags are here: 10% off with code EARLYBIRD at https://shop.{site}"
    assert found(text, channel) == set()
