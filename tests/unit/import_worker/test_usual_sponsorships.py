"""What exclusions must leave alone, and what no rule may take for a sponsor: sentences as most creators write them."""

import pytest

from import_worker.detector import channel_context, detect

LAKESIDE = channel_context("Lakeside Diary", [])


def brands(text: str) -> list[str]:
    return [item.brand for item in detect("A day at the lake", text, LAKESIDE)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("This video was sponsored by Surfshark, plans starting at 10 USD a month", "Surfshark"),
        ("This video was sponsored by Quillbarrow, razors starting at 99 cents", "Quillbarrow"),
        ("This trip was sponsored by Quillbarrow in 2016", "Quillbarrow"),
        ("Thanks to Quill Labs for sponsoring this one!", "Quill Labs"),
        ("Thanks to Quill Labs for sponsoring today's lecture", "Quill Labs"),
        ("This video is sponsored by Papa Murphy's", "Papa Murphy's"),
        ("This video is sponsored by Coach Outlet", "Coach Outlet"),
        ("This video is sponsored by DeWalt Tools", "DeWalt"),
        ("This video is sponsored by Norton Antivirus", "Norton"),
        ("This video is sponsored by Bolt Food", "Bolt"),
        ("Use code LAKE20 at Surfshark, works for everyone, 20% off!", "Surfshark"),
        (
            "Join my Skillshare class with code LAKE10 for 2 free months https://skl.sh/lake",
            "Skillshare",
        ),
        ("Thanks to our members and today's sponsor, Surfshark.", "Surfshark"),
        ("Thanks to our channel members and our sponsor Quillbarrow.", "Quillbarrow"),
        ("Anzeige: Hol dir Surfshark mit 83% Rabatt https://surfshark.com/lake", "Surfshark"),
    ],
)
def test_a_sponsor_is_found_beside_words_that_exclude_others(text: str, name: str) -> None:
    assert brands(text) == [name]


def test_names_with_a_letter_or_a_sign_are_all_found() -> None:
    thanked = "Thanks to Plan B and Quill Tools for sponsoring this video."
    assert brands(thanked) == ["Plan B", "Quill Tools"]
    signs = "Thanks to Quill, Barrow & Sons and Lake & Mill for sponsoring this video."
    assert set(brands(signs)) == {"Quill", "Barrow & Sons", "Lake & Mill"}


@pytest.mark.parametrize(
    "text",
    [
        "We bought a Honda CRF250 for $800",
        "I bought a Logitech G502 for $30",
        "Bosch GSB18: 30% more power",
        "This video was made in collaboration with Perrin Alder",
        "I teamed up with Perrin Alder for this video!",
        "En colaboración con Perrin Alder",
        "Dieses Video entstand in Zusammenarbeit mit Perrin Alder",
        "This video is supported by Perrin Alder and Wilma Kay.",
        "I'm an ambassador for Mental Health Awareness",
        "My dog #proud_dad #ad",
    ],
)
def test_prices_of_things_and_persons_one_works_with_are_no_sponsors(text: str) -> None:
    assert brands(text) == []
