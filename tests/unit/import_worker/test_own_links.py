"""The link and the code of a detection are the brand's own."""

import pytest

from import_worker.detector import channel_context, detect

CONTEXT = channel_context("Lakeside Diary", [], None)


def _found(description: str, slug: str) -> tuple[str | None, str | None]:
    detections = {item.slug: item for item in detect("", description, CONTEXT)}
    return detections[slug].link, detections[slug].code


@pytest.mark.parametrize(
    ("description", "link"),
    [
        (
            "Brought to you by NordVPN: https://nordvpn.com/lake (code: lake)\nDrone:\n"
            "Worldwide: https://goo.gl/axY1vU",
            "https://nordvpn.com/lake",
        ),
        (
            "This video is sponsored by NordVPN!\nInstagram: https://www.instagram.com/lakeside/",
            None,
        ),
        ("This video is sponsored by NordVPN!\nhttps://www.amazon.com/shop/lakeside", None),
        ("This video is sponsored by NordVPN!\nHeadphones: https://buyraycon.com/lake", None),
        ("This video is sponsored by NordVPN!\nGet it: https://go.nordvpn.net/lake", "https://go.nordvpn.net/lake"),
        ("This video is sponsored by NordVPN! Get it here: https://bit.ly/3abcdef", "https://bit.ly/3abcdef"),
        ("This video is sponsored by NordVPN!\n\nPlaylist: https://bit.ly/3abcdef", None),
    ],
)  # fmt: skip
def test_a_link_is_the_brands_or_none(description: str, link: str | None) -> None:
    assert _found(description, "nordvpn")[0] == link


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("LAKE20For more videos", "LAKE20"),
        ("LAKE20По ссылке", "LAKE20"),
        ("ЛЕТО20 ", "ЛЕТО20"),
        ("LAKE20to save money", "LAKE20"),
        ("LAKE20" * 40, None),
    ],
)
def test_a_code_ends_where_the_next_word_begins(written: str, code: str | None) -> None:
    description = f"20% off NordVPN at https://nordvpn.com/lake with promo code {written}"
    assert _found(description, "nordvpn")[1] == code


def test_a_code_ends_where_a_link_is_glued_to_it() -> None:
    found = _found("20% off NordVPN with code LAKE20https://nordvpn.com/lake", "nordvpn")
    assert found == ("https://nordvpn.com/lake", "LAKE20")


@pytest.mark.parametrize(
    ("link", "domain"),
    [
        ("https://moosquell-kräuter.de/see", "moosquell-kräuter.de"),
        ("https://www.moosquelläcker.ch/see", "moosquelläcker.ch"),
        ("https://moosquell.co/café", "moosquell.co"),
        ("now.https://moosquell.com/see", "moosquell.com"),
        ("https://moosquell.com/seeFollow me https://instagram.com/lakeside", "moosquell.com"),
    ],
)
def test_a_host_has_its_accents_and_nothing_that_was_glued_to_it(link: str, domain: str) -> None:
    detections = detect("", f"Sponsored by Moosquell {link}", CONTEXT)
    assert [(item.brand, item.domain) for item in detections] == [("Moosquell", domain)]


def test_a_brand_in_another_script_owns_the_link_behind_it() -> None:
    (found,) = detect("", "Χορηγός του βίντεο: Αστερία https://asteria.gr/lake", CONTEXT)
    assert (found.brand, found.domain) == ("Αστερία", "asteria.gr")


@pytest.mark.parametrize(
    ("channel", "text"),
    [
        ("UPSC Wallah Didi", "Use Code NEHA15 for 15% discount: https://didiclasses.com/sankalp"),
        ("ことり先生の英文法", "https://kotori-juku.com/ コード【KOTORI10】で入会金10%OFF"),
        (
            "Ginger Snaps",
            "20% off with code LAKE20 at https://snappyprints.example\nBusiness: hello@snappyprints.example",
        ),
    ],
)
def test_a_site_of_a_word_of_the_channels_name_or_of_its_address_is_its_own(
    channel: str, text: str
) -> None:
    assert [found.brand for found in detect("A day", text, channel_context(channel, [text]))] == []


def test_a_known_brand_that_holds_a_word_of_the_channels_name_stays_one() -> None:
    text = "20% off with code LAKE20 at https://homechef.com/lake"
    found = detect("A day", text, channel_context("Chef John", [text]))
    assert [item.domain for item in found] == ["homechef.com"]


@pytest.mark.parametrize(
    "link",
    ["https://nordvpn-deals.com/dan", "https://get-nordvpn.example/dan"],
)
def test_a_site_that_only_looks_like_a_named_brands_is_no_second_sponsor(link: str) -> None:
    text = f"This video is sponsored by NordVPN. Get 20% off at https://nordvpn.com/dan with code DAN20. Mirror {link}"
    found = detect("A day", text, channel_context("Dan", [text]))
    assert [(item.brand, item.code) for item in found] == [("NordVPN", "DAN20")]
