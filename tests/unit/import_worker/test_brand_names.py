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
