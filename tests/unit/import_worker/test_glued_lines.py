"""Texts whose source glued their lines together are read as if the lines were apart; evidence stands where it stood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.detector import channel_context, detect
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.folding import fold
from import_worker.detector.glued_lines import LINE, glued_lines, parted, span_before

LAKESIDE = channel_context("Lakeside Diary", [])
LINKS = "https://twitter.com/lakesidehttps://instagram.com/lakeside"


def brands(text: str) -> list[str]:
    return [found.brand for found in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"Vote here: https://vote.lakeside.comThanks to Brindlewick for sponsoring this video!{LINKS}",
            ["Brindlewick"],
        ),
        (
            "Shop: https://lakeside.example/music/a-song-for-the-lakeThank you to Brindlewick who agreed to sponsor this build."
            f"►Watch the trailer: {LINKS}",
            ["Brindlewick"],
        ),
        (f"Windows KeysNordVPN 70% discount code: LAKE70Music by us: {LINKS}", ["NordVPN"]),
        (
            f"SPONSORSRazer :arrow_forward: for gamers: https://trb.gg/razer{LINKS}",
            ["Razer"],
        ),
        (
            "Find deals near you: https://brindlewick.com/lakesideDon't forget to like and subscribe "
            f"{LINKS}",
            ["Brindlewick"],
        ),
        (
            "Newsletter: https://bit.ly/3u7Gg1s:beach: 10% off at Brindlewick > https://brindlewick.com/lakeside:fire: "
            f"More: {LINKS}",
            ["Brindlewick"],
        ),
    ],
)
def test_a_sponsor_is_found_in_a_line_that_is_glued_to_the_one_before(
    text: str, expected: list[str]
) -> None:
    assert brands(text) == expected


def test_evidence_of_glued_lines_is_the_exact_text() -> None:
    text = f"Vote: https://vote.lakeside.comThanks to Brindlewick for sponsoring this video!Follow me: {LINKS}"
    (found,) = detect("A day at the lake", text, LAKESIDE)
    assert found.excerpt == text[found.start : found.end]
    assert found.excerpt == "Thanks to Brindlewick for sponsoring this video!"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://brindlewick.com/lakesideThanks to", "https://brindlewick.com/lakeside"),
        ("https://brindlewick.com/lakesideDon't forget", "https://brindlewick.com/lakeside"),
        ("https://brindlewick.com/59a64e671c4383008ffLYFT (a ride)", "https://brindlewick.com/59a64e671c4383008ff"),
        ("https://bit.ly/2zM170G*Converse - shoes", "https://bit.ly/2zM170G"),
        ("https://bit.ly/lakeABc more", "https://bit.ly/lakeABc"),
        ("https://brindlewick.com:8443/lake more", "https://brindlewick.com:8443/lake"),
        ("https://brindlewick.com/lake:fire: more", "https://brindlewick.com/lake"),
    ],
)  # fmt: skip
def test_a_link_ends_where_the_next_line_begins(url: str, expected: str) -> None:
    document = read_document(f"Deal: {url} {LINKS}", "description", bundled_directory())
    assert document.links[0].url == expected


def test_a_text_with_its_line_breaks_is_left_as_it_is() -> None:
    text = "Shop: https://brindlewick.com/lakesideShop\n\nhttps://twitter.com/lakeside\n"
    document = read_document(text, "description", bundled_directory())
    assert document.text == text
    assert document.glued == ()


WORDS = st.sampled_from(
    ["Follow", "me", "NordVPN", "https://a.example/b", "Thanks", " ", "to", ":fire:", "20", "Subscribe", "!", "é"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=30), st.data())
def test_a_stretch_has_its_place_in_the_text_as_it_was(
    words: list[str], data: st.DataObject
) -> None:
    text = fold("".join(words))
    glued = glued_lines(text, bundled_directory())
    whole = parted(text, glued)
    origins = [at for at in range(len(text)) for _ in (*glued.get(at, ""), at)]
    visible = [at for at, character in enumerate(whole) if not character.isspace()]
    if not visible:
        return
    first = data.draw(st.sampled_from(visible))
    last = data.draw(st.sampled_from([at for at in visible if at >= first]))
    start, end = span_before(tuple(glued), first, last + 1)
    assert (start, end) == (origins[first], origins[last] + 1)
    assert LINE not in text[start:end]


@pytest.mark.parametrize(
    ("text", "brand"),
    [
        ("Sponsored by Zorbel Toolshttps://zorbeltools.com", "Zorbel Tools"),
        ("Use code LAKE10 at Zorbelhttps://zorbel.com", "Zorbel"),
        ("Video patrocinado por SarteniaConsigue un 15% con el código LAGO15: https://sartenia.es/lago", "Sartenia"),
        ("Präsentiert von FeilenkönigMit dem Code SEE10 spart ihr 10%: https://www.feilenkoenig.de/see", "Feilenkönig"),
        ("I samarbete med BåtgrossenAnvänd koden LAKE20 för 20%: https://batgrossen.se", "Båtgrossen"),
    ],
)  # fmt: skip
def test_a_name_ends_where_a_link_or_the_next_line_is_glued_to_it(text: str, brand: str) -> None:
    assert brands(text) == [brand]


def test_a_name_in_a_script_without_blanks_is_glued_to_nothing() -> None:
    assert brands("本视频并非Surfshark赞助播出。https://surfshark.com/lake") == []
