"""The detector finds sponsorships in texts made up for these tests, and leaves the others alone."""

import pytest

from import_worker.detector import ChannelContext, Detection, channel_context, detect

NO_ELICITATION = ChannelContext()


def found(description: str, title: str = "A day at the lake") -> dict[str, Detection]:
    return {item.brand: item for item in detect(title, description, NO_ELICITATION)}


@pytest.mark.parametrize(
    "text",
    [
        "This video is sponsored by NordVPN.",
        "Thanks to NordVPN for sponsoring this video!",
        "Dieses Video wird gesponsert von NordVPN.",
        "Merci à NordVPN de sponsoriser cette vidéo !",
        "Este video es patrocinado por NordVPN.",
        "Este vídeo é patrocinado por NordVPN.",
        "Video sponsorizzato da NordVPN",
        "Спонсор этого видео: NordVPN",
        "提供：NordVPN",
    ],
)
def test_a_stated_sponsor_is_found_in_many_languages(text: str) -> None:
    assert found(text)["NordVPN"].kind == "paid_sponsorship"


def test_a_creators_code_is_found_with_its_brand() -> None:
    offer = "Use code LAKESIDE for 15% off your order at https://gfuel.com"
    at_the_top = found(offer)["G FUEL"]
    assert (at_the_top.code, at_the_top.domain) == ("LAKESIDE", "gfuel.com")
    assert at_the_top.kind == "paid_sponsorship"
    below = found("We went to the lake and swam all day long.\n" * 30 + offer)["G FUEL"]
    assert (below.code, below.kind) == ("LAKESIDE", "promo_code")


def test_a_brand_that_no_directory_knows_is_found_where_a_sponsor_stands() -> None:
    detection = found(
        "Thanks to Quillbarrow for sponsoring this video: https://quillbarrow.com/lake"
    )
    assert [d.domain for d in detection.values()] == ["quillbarrow.com"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Not sponsored by anyone, I bought this NordVPN plan myself.",
        "For sponsorship enquiries write to lake@example.com",
        "Thanks to all my patrons for sponsoring this channel: https://patreon.com/lake",
        "My camera: https://amzn.to/3abcdef",
        "Music by the Lakeside Band, licensed under CC-BY.",
        "A film about state-sponsored hackers and NordVPN.",
        "Buy my merch with code LAKE10 at https://lakeside-shop.example",
    ],
)
def test_a_text_without_sponsorship_is_left_alone(text: str) -> None:
    assert found(text) == {}


def test_a_channels_own_shop_is_not_its_sponsor() -> None:
    descriptions = ["Get 10% off with code LAKE at https://lakesidediary.com"] * 5
    context = channel_context("Lakeside Diary", descriptions)
    assert detect("t", descriptions[0], context) == ()


def test_the_same_text_gives_the_same_result() -> None:
    text = "Sponsored by Surfshark: https://surfshark.com/lake code LAKE. Thanks to Squarespace!"
    assert detect("t", text, NO_ELICITATION) == detect("t", text, NO_ELICITATION)
