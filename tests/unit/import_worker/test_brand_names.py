"""Names of brands end where the text says that they do."""

import pytest

from import_worker.detector.brand_names import read_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Vexalon's new app is free", "Vexalon"),
        ("Lumora Health's team for sponsoring", "Lumora Health"),
        ("Kettler's for sponsoring this video", "Kettler's"),
        ("Kettler's. Get it now", "Kettler's"),
        ("McKenzie's Kitchen is open", "McKenzie's Kitchen"),
        ("Kettler's https://kettlers.example", "Kettler's"),
        ("Kettler's", "Kettler's"),
    ],
)
def test_a_name_ends_before_a_possessive_of_what_is_the_brands(text: str, name: str) -> None:
    span = read_name(text, 0, len(text))
    assert span is not None
    assert text[span[0] : span[1]] == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Vexalon14:54 The next chapter", "Vexalon"),
        ("Vexalon 05:13 The next chapter", "Vexalon"),
        ("Vexalon 25% off", "Vexalon"),
        ("Vexalon Seven 2:05", "Vexalon Seven"),
        ("Vexalon14 is here", "Vexalon14"),
        ("Vexalon 360", "Vexalon 360"),
        ("Vexalon 25: the new one", "Vexalon 25"),
    ],
)
def test_a_name_ends_before_a_time_of_the_video_and_before_a_share_of_the_price(
    text: str, name: str
) -> None:
    span = read_name(text, 0, len(text))
    assert span is not None
    assert text[span[0] : span[1]] == name


@pytest.mark.parametrize("text", ["14:54 The next chapter", "25% off", "05:13"])
def test_no_name_is_a_time_or_a_share(text: str) -> None:
    assert read_name(text, 0, len(text)) is None
