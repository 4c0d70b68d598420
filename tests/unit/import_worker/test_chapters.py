"""Chapters of descriptions, and those of them that are a sponsor's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from import_worker.domain.chapters import MAX_CHAPTERS, chapters
from import_worker.domain.sponsor_chapters import sponsor_chapters, sponsor_name

LISTED = """New video!
0:00 Intro
03:15 Sponsor: Boltworks
4:20 Building
1:02:03 The end
"""


def parts(description: str, duration: int | None = None) -> list[tuple[str, int, int | None]]:
    return [(c.title, c.start, c.end) for c in chapters(description, duration)]


def test_a_chapter_ends_where_the_next_begins_and_the_last_with_the_video() -> None:
    assert parts(LISTED, 4000) == [
        ("Intro", 0, 195),
        ("Sponsor: Boltworks", 195, 260),
        ("Building", 260, 3723),
        ("The end", 3723, 4000),
    ]
    assert parts(LISTED)[-1] == ("The end", 3723, None)


def test_a_single_time_is_a_chapter_whose_end_nobody_knows() -> None:
    assert parts("Boltworks ad - 3:15", 600) == [("Boltworks ad", 195, None)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[03:15] Sponsor", [("Sponsor", 195, None)]),
        ("• (1:02:03) - Sponsor", [("Sponsor", 3723, None)]),
        ("⏱ 75:12 Sponsor", [("Sponsor", 4512, None)]),
        ("Sponsor (03:15)", [("Sponsor", 195, None)]),
        ("03:15 - 04:20 Sponsor", [("Sponsor", 195, 260)]),
        ("03:15–04:20 | Sponsor", [("Sponsor", 195, 260)]),
        ("04:20 - 03:15 Sponsor", [("Sponsor", 260, None)]),
        ("０３：１５ スポンサー", [("スポンサー", 195, None)]),
        ("00:00 Intro 03:15 Ad 04:20 Main", [("Intro", 0, 195), ("Ad", 195, 260), ("Main", 260, None)]),
        ("Meet me at 10:30 tomorrow", []),
        ("https://example.com/3:15 Sponsor", []),
        ("Published 2024-01-01 10:30:22.123", []),
        ("03:15", []),
        ("03:75 Sponsor", []),
        ("John 3:16:1:2 says", []),
    ],
)  # fmt: skip
def test_lines_are_read_as_people_write_them(
    line: str, expected: list[tuple[str, int, int | None]]
) -> None:
    assert parts(line) == expected


titles = st.from_regex(r"[A-Za-zÀ-ÖØ-ö][A-Za-zÀ-ÖØ-ö ]{0,30}[A-Za-zÀ-ÖØ-ö]", fullmatch=True)
lists = st.dictionaries(st.integers(0, 359_999), titles, max_size=20)


def stamp(second: int) -> str:
    hours, rest = divmod(second, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


@given(wanted=lists, is_title_first=st.booleans())
def test_a_written_list_is_read_back_whatever_its_order(
    wanted: dict[int, str],
    *,
    is_title_first: bool,
) -> None:
    lines = (
        f"{title} {stamp(at)}" if is_title_first else f"{stamp(at)} {title}"
        for at, title in wanted.items()
    )
    found = chapters("\n".join(lines))
    assert {chapter.start: chapter.title for chapter in found} == wanted


@given(st.text(max_size=300) | st.from_regex(r"([\d:\- a-z\n]{1,40}\d:\d\d ?){1,12}"))
def test_any_text_gives_chapters_in_order_that_are_in_it(text: str) -> None:
    found = chapters(text, 5_000)
    starts = [chapter.start for chapter in found]
    assert starts == sorted(set(starts))
    for chapter in found:
        assert 0 <= chapter.start < 5_000
        assert chapter.end is None or chapter.end > chapter.start
        line = text[chapter.line_start : chapter.line_end]
        assert chapter.title in line or not chapter.title.isascii()
    sponsor_chapters(found)


def test_endless_lists_are_cut() -> None:
    assert len(chapters("\n".join(f"{stamp(at)} x" for at in range(2_000)))) == MAX_CHAPTERS


def test_long_lines_of_times_take_no_longer_than_they_are() -> None:
    assert len(chapters("1:00 a " * 100_000)) == 1


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Sponsor", ""),
        ("Sponsor: Boltworks", "Boltworks"),
        ("Boltworks (Ad)", "Boltworks"),
        ("A word from our sponsor, Boltworks!", "Boltworks"),
        ("Thanks to today's sponsors", ""),
        ("Werbung", ""),
        ("Anzeige – Holzwerk", "Holzwerk"),
        ("Publicité : Boltworks", "Boltworks"),
        ("Publicidad", ""),
        ("Patrocínio Boltworks", "Boltworks"),
        ("Реклама Boltworks", "Boltworks"),
        ("提供：Boltworks", "Boltworks"),
        ("광고", ""),
        ("业配", ""),
        ("प्रायोजक", ""),
        ("AD", ""),
        ("ad: Boltworks", "Boltworks"),
        ("Adding the shelf", None),
        ("How ads changed television", None),
        ("Ad astra", None),
        ("State-sponsored hackers", None),
        ("How to get a sponsor", None),
        ("Not sponsored", None),
        ("The day on which I had to tell all of you about our sponsor", None),
        ("Public transport", None),
        ("PR review", None),
    ],
)
def test_titles_say_whether_they_are_a_sponsors_and_whose(title: str, name: str | None) -> None:
    assert sponsor_name(title) == name
