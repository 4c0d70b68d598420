"""No text makes the detector fail, misquote, or take more time than its length is worth."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from import_worker.detector import ChannelContext, channel_context, detect
from import_worker.detector.document import MAX_LENGTH

CONTEXT = channel_context("Lakeside Diary", ["https://instagram.com/lakesidediary"] * 5)

PIECES = st.sampled_from(
    [
        "sponsored by ", "Surfshark", "Quillbarrow ", "thanks to ", " for sponsoring", "https://surfshark.com/x",
        "code LAKE", "\n", "\r\n", " ", "提供：", "10% off ", "Спонсор ", "#ad ", "@lake ", "🎉", "merch ", "bit.ly/x ",
        "(Werbung)", "İ", "ﬀ", "\u202e", "\u0301", "\ud800", "𝐒𝐮𝐫𝐟𝐬𝐡𝐚𝐫𝐤", "ＮｏｒｄＶＰＮ", "협찬: ", "sponsors:\n",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=40).map("".join)


@settings(max_examples=300, deadline=None)
@given(title=TEXTS, description=TEXTS, channel=st.text(max_size=12))
def test_any_text_is_read_and_quoted_to_the_character(
    title: str, description: str, channel: str
) -> None:
    context = channel_context(channel, [description] * 5)
    for item in detect(title, description, context):
        source = title if item.source == "title" else description
        assert 0 <= item.start < item.end <= len(source)
        assert source[item.start : item.end] == item.excerpt
        assert item.excerpt == item.excerpt.strip()
        assert 0.5 <= item.confidence <= 1
        assert item.brand
        assert item.slug


@pytest.mark.parametrize(
    "before", ["", "İİİ ", "ﬀﬀ ", "𝐀𝐁 ", "e\u0301e\u0301 ", "\u200b\u202e ", "\r\n\r\n", "🎉🎉 "]
)
def test_offsets_hold_behind_characters_that_change_length_when_folded(before: str) -> None:
    text = f"{before}This video is sponsored by Surfshark."
    (detection,) = detect("t", text, ChannelContext())
    assert text[detection.start : detection.end] == detection.excerpt
    assert "sponsored by Surfshark" in detection.excerpt


HOSTILE = [
    "sponsored by ", "https://", "a.", "\u0301", "\u202eİﬀ", "x", "use code LAKE ", "[(", "thanks to for sponsoring ",
    "#ad ", "https://surfshark.com/ use code LAKE ", "提供：", "sponsors:\n- ", "@x ", "(Werbung)", "A ", "Thanks to A, B and ",
    "www.", "\ud800", "code: A1 ", "and by ", "Surfshark ", "10% off ", "1",
]  # fmt: skip


def cost(text: str) -> float:
    best = float("inf")
    for _ in range(4):
        started = process_time()
        detect(text, text, CONTEXT)
        best = min(best, process_time() - started)
    return best


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_costs_about_twice_the_time(piece: str) -> None:
    repeated = piece * (MAX_LENGTH // len(piece) + 1)
    detect("t", piece, CONTEXT)
    half, whole = cost(repeated[: MAX_LENGTH // 2]), cost(repeated[:MAX_LENGTH])
    assert whole < 3 * half + 0.003


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_giant_text_costs_little_more_than_the_part_that_is_read(piece: str) -> None:
    repeated = piece * (10 * MAX_LENGTH // len(piece) + 1)
    assert cost(repeated) < 2 * cost(repeated[:MAX_LENGTH]) + 0.003


def test_a_sponsor_behind_the_part_that_is_read_is_not_found() -> None:
    disclosure = "This video is sponsored by Surfshark."
    assert detect("t", "lake " * (MAX_LENGTH // 5 - 20) + disclosure, CONTEXT)
    assert not detect("t", "lake " * (MAX_LENGTH // 5) + disclosure, CONTEXT)


@pytest.mark.parametrize(
    "line",
    [
        "{name}",
        "- {name} https://{host}.com/lake",
        "Get 10% off {name} with code LAKE{number}: https://{host}.com/lake",
    ],
)
def test_a_list_is_read_to_its_end_however_many_sponsors_it_has(line: str) -> None:
    first = "Alder Birch Cedar Dogwood Elm Fern Ginkgo Hazel".split()
    second = "brook croft dale field ford garth holm wick".split()
    names = [a + b for a in first for b in second]
    lines = [
        line.format(name=name, host=name.lower(), number=number)
        for number, name in enumerate(names, 10)
    ]
    found = detect("A day at the lake", "Sponsors:\n" + "\n".join(lines), CONTEXT)
    assert {item.brand for item in found} == set(names)


@pytest.mark.parametrize(
    "unit",
    [
        "my sponsors\n協賛https://nordvpn.com/a\n. nordvpn.com ",
        "➡* sponsored by Acmehttps://bit.ly/a https://bit.ly/a ",
    ],
)
def test_many_claims_beside_many_links_take_linear_time(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        began = process_time()
        detect("A day", text, channel_context("Lakeside Diary", []))
        return process_time() - began

    seconds(2_500)
    assert min(seconds(10_000) for _ in range(3)) < 10 * min(seconds(2_500) for _ in range(3))
