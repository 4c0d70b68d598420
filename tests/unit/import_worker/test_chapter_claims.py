"""Chapters that are a sponsor's name it."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def brands(chapter: str) -> list[str]:
    text = f"0:00 Intro\n1:20 {chapter}\n2:30 The lake"
    return [found.brand for found in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    ("chapter", "expected"),
    [
        ("Sponsor - Brilliant", ["Brilliant"]),
        ("Sponsor: Quillbarrow", ["Quillbarrow"]),
        ("Ad: Quillbarrow", ["Quillbarrow"]),
        ("Quillbarrow - ad", ["Quillbarrow"]),
        ("Quillbarrow Sponsorship", ["Quillbarrow"]),
        ("Sponsor spot (Quillbarrow)", ["Quillbarrow"]),
    ],
)
def test_a_chapter_names_its_sponsor(chapter: str, expected: list[str]) -> None:
    assert brands(chapter) == expected


@pytest.mark.parametrize(
    "chapter",
    [
        "Sponsor break",
        "Sponsor talk",
        "The Sponsor Problem",
        "Sponsor John Miller",
        "Nike Sponsorship Deal",
        "Pub - Night Life",
        "Our sponsor Lakeside Diary",
    ],
)
def test_a_chapter_about_sponsors_names_none(chapter: str) -> None:
    assert brands(chapter) == []
