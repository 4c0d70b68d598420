"""What of a description is indexed: neither links nor codes, nor what is about sponsors."""

import time

import pytest

from import_worker.domain.spoken_text import spoken_text
from shapes.catalog.ingest import SponsorshipFact


def shown(
    text: str, part: str, code: str | None = None, source: str = "description"
) -> SponsorshipFact:
    start = text.index(part)
    return SponsorshipFact(
        sponsor_slug="azura-vpn",
        kind="promo_code",
        code=code,
        excerpt=part,
        excerpt_source=source,
        excerpt_start=start,
        excerpt_end=start + len(part),
        confidence=0.9,
        detector_version="d",
        reason="r",
    )


def test_the_paragraph_of_a_sponsor_is_left_out() -> None:
    text = "We cook pasta.\n\nThis video is by Azura VPN.\nStay private online!\n\nGarlic at last."
    assert spoken_text(text, [shown(text, "Azura VPN")]) == "We cook pasta. Garlic at last."


def test_of_a_long_paragraph_the_lines_of_a_sponsor_are_left_out_alone() -> None:
    lines = ["We cook pasta."] * 60
    text = "\n".join([*lines, "By Azura VPN", "Garlic at last."])
    spoken = spoken_text(text, [shown(text, "Azura VPN")])
    assert "Azura" not in spoken
    assert spoken.endswith("pasta. Garlic at last.")


def test_a_sponsor_in_the_title_leaves_the_description_as_it_is() -> None:
    assert spoken_text("We cook.", [shown("We cook.", "We", source="title")]) == "We cook."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("See https://a.example/x and www.b.example now", "See and now"),
        ("shop.example/deal, a.example.", ""),
        ("Mail me@a.example or @handle", "Mail or"),
        ("Take ADA20 or SAVE15!", "Take or"),
        ("NASA and COVID in 2024, MP3", "NASA and COVID in 2024, MP3"),
        ("投資の話 https://a.example", "投資の話"),
        ("", ""),
    ],
)
def test_links_addresses_and_codes_are_left_out(text: str, words: str) -> None:
    assert spoken_text(text, []) == words


def test_a_known_code_is_left_out_however_it_is_written() -> None:
    text = "With azura\n\nuse Azura at the end"
    code = shown(text, "With azura", code="AZURA")
    assert spoken_text(text, [code]) == "use at the end"


@pytest.mark.parametrize("part", ["a", "a.", "a@", "://", "A1", "\n ", "\n\n", "a b\n", "\u2028"])
def test_hostile_descriptions_take_no_long(part: str) -> None:
    started = time.thread_time()
    spoken_text(part * 100_000, [])
    assert time.thread_time() - started < 0.5
