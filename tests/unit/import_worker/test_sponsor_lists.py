"""Names in a sponsor block that no link carries."""

import time

import pytest

from import_worker.detector import detect
from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.reading import Reading
from import_worker.detector.sponsor_lists import listed_names


def listed(text: str) -> set[tuple[str, str]]:
    document = read_document(text, "description", bundled_directory())
    reading = Reading(document, bundled_directory(), ChannelContext(name="Lakeside Diary"))
    return {(listed.found.name, listed.by) for listed in listed_names(reading)}


def names(text: str) -> set[str]:
    return {name for name, _ in listed(text)}


def test_handles_under_a_heading_for_sponsors_are_names() -> None:
    found = listed("A row.\n\nMy sponsors:\n@quillbarrow\n@tarnwick_official\n")
    assert {name.lower() for name, by in found if by == "handle"} == {"quillbarrow", "tarnwick"}


def test_handles_elsewhere_are_no_sponsors() -> None:
    assert listed("A row with @quillbarrow.\n\nFollow me: @lakesidediary") == set()


def test_lines_that_are_no_more_than_a_name_are_listed() -> None:
    assert names("My sponsors:\n- Quillbarrow\n- Tarnwick\n- Osprell\n") == {
        "Quillbarrow",
        "Tarnwick",
        "Osprell",
    }


@pytest.mark.parametrize(
    "heading",
    ["PENAJA:", "Disponsori dan didukung oleh:", "Sponzoři:", "Pokrovitelji:", "Auspician:", "Nhà tài trợ:", "Partenaire officiel :"],
)  # fmt: skip
def test_a_heading_for_sponsors_is_known_in_further_languages(heading: str) -> None:
    found = names(f"A day.\n\n{heading}\nQuillbarrow\nTarnwick\n")
    assert found >= {"Quillbarrow", "Tarnwick"}


def test_names_with_commas_between_are_listed_one_by_one() -> None:
    assert names("My sponsors: Quillbarrow, Tarnwick and Osprell\n") == {
        "Quillbarrow",
        "Tarnwick",
        "Osprell",
    }


def test_a_blank_line_ends_the_list() -> None:
    assert names("My sponsors:\nQuillbarrow\n\nBrockwell\n") == {"Quillbarrow"}


def test_lines_that_say_what_was_given_part_a_list_and_are_no_names() -> None:
    text = (
        "PENAJA:\n\nLokasi\nQuillbarrow Sofea instagram.com/quillbarrow_sofea\n\nPakaian Anna Miller\n"
        "TARN instagram.com/tarn_official\nOsprell @osprell\n\nPengurusan: Farah\n"
    )
    assert names(text) == {"Quillbarrow Sofea", "TARN", "Osprell"}


def test_who_is_listed_under_what_it_gave_supplied_a_product() -> None:
    text = "A day.\n\nSPONSORS:\n\nClothes\nTarnwick @tarnwick\nOsprell Wear @osprellwear\n"
    found = detect("A day at the lake", text, ChannelContext(name="Lakeside Diary"))
    assert {(item.brand, item.kind) for item in found} == {
        ("Tarnwick", "free_product"),
        ("Osprell Wear", "free_product"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Our partners:\nAnna Miller instagram.com/annmiller\n",
        "Our partners:\nClothes\n\nAnna Miller instagram.com/annmiller\n",
        "Our partners:\nClothes\nAnna Miller https://annmiller.com\n",
    ],
)
def test_profiles_without_a_line_of_what_was_given_above_them_are_no_names(text: str) -> None:
    assert names(text) == set()


def test_names_that_ran_together_with_their_line_breaks_are_apart() -> None:
    text = "Clip: https://youtu.be/abcdefghij1 My sponsors: QuillbarrowTarnwick"
    assert names(text) == {"Quillbarrow", "Tarnwick"}


@pytest.mark.parametrize(
    "text",
    [
        "My sponsors: Quillbarrow Oils (oil), Tarn & Wick (fuel), Osprell Socks (socks)\n",
        "Nos partenaires\n• Quillbarrow Oils (huile)\n• Tarn & Wick (essence)\n• Osprell Socks (chaussettes)\n",
        "ผู้สนับสนุน : Quillbarrow Oils (น้ำมัน), Tarn & Wick, Osprell Socks (ถุงเท้า)\n",
    ],
)
def test_names_with_a_note_of_what_they_do_are_listed_one_by_one(text: str) -> None:
    assert names(text) == {"Quillbarrow Oils", "Tarn & Wick", "Osprell Socks"}


@pytest.mark.parametrize(
    "entry",
    [
        "Brindle Juniors (travel grant)",
        "Conseil Brindle (subvention)",
        "Brindle Crew (that's us)",
        "เสื้อทีม (ของทีมเราเอง)",
        "Gemeente Brindle",
        "Fundación Brindle",
    ],
)
def test_grants_public_bodies_and_the_creators_own_are_left_out_of_a_list(entry: str) -> None:
    assert names(f"My sponsors:\n- Quillbarrow (oil)\n- {entry}\n- Tarnwick (fuel)\n") == {
        "Quillbarrow",
        "Tarnwick",
    }


@pytest.mark.parametrize(
    "heading",
    ["APOIADORES DO MÊS (vocês são demais):", "Sponsors, level 'Otter':"],
)
def test_supporters_by_the_month_or_level_are_no_sponsors(heading: str) -> None:
    assert names(f"{heading}\nQuillbarrow Boats\nMarta Brindle\nOsprell\n") == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Спасибо спонсорам канала (уровень «Лоцман»):\nОля\nПаша", set[str]()),
        ('Thanks to our sponsors (tier "Otter"):\nOla\nPawel', set[str]()),
        ("Dit wordt mogelijk gemaakt door onze sponsoren Quillbarrow.", {"Quillbarrow"}),
        (
            "My sponsors: Quillbarrow (oil), Tarn & Wick (fuel), Osprell (socks)",
            {"Quillbarrow", "Tarn & Wick", "Osprell"},
        ),
    ],
)  # fmt: skip
def test_levels_and_the_word_for_sponsors_are_no_names(text: str, expected: set[str]) -> None:
    assert {
        found.brand for found in detect("A day", text, ChannelContext(name="Lakeside"))
    } == expected


@pytest.mark.parametrize(
    "chapter", ["10:10 Sponsors", "Sponsors - 10:10", "1:02:03 – Sponsors", "10:10 スポンサー"]
)
def test_a_chapter_of_the_video_heads_no_list_of_sponsors(chapter: str) -> None:
    text = f"0:00 Hello\n{chapter}\n\n• Brindlewick\n• Tarnwick boats\n• Osprell\n"
    assert detect("A day at the lake", text, ChannelContext(name="Lakeside Diary")) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sponsors: " + ", ".join(f"Brindle{number} (boats)" for number in range(24)),
        "Sponsors: "
        + "  ,  ".join(f"Brindle{number} (boats)" for number in range(20))
        + ". See you!",
        "Sponsors: " + "Brindlewick (boats), " * 40,
    ],
)
def test_a_long_list_with_notes_takes_no_longer_than_one_that_is_read(text: str) -> None:
    short = "Sponsors: " + ", ".join(f"Brindle{number} (boats)" for number in range(20))
    assert _time_of(text) < 20 * max(_time_of(short), 0.001)


def _time_of(text: str) -> float:
    """Return the shortest of three times in which a text is read, in seconds of the thread."""
    times: list[float] = []
    for _ in range(3):
        start = time.thread_time()
        detect("A day at the lake", text, ChannelContext(name="Lakeside Diary"))
        times.append(time.thread_time() - start)
    return min(times)
