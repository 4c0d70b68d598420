"""Verbs and the rest of a sentence in the place of a name."""

import pytest

from import_worker.detector import channel_context, detect
from import_worker.detector.detect import propose

LAKESIDE = channel_context("Lakeside Diary", [])


def proposed(description: str) -> set[str]:
    return {item.brand for item in propose("A day at the lake", description, LAKESIDE)}


@pytest.mark.parametrize(
    "text",
    [
        "3:02 Our sponsor lied",
        "Our sponsor cancelled last minute.",
        "My sponsor dropped me.",
        "Unsere Sponsoren zahlen nicht.",
    ],
)
def test_what_a_sponsor_does_is_no_name(text: str) -> None:
    assert proposed(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Brindlewick, our sponsor, offers 10% off: https://brindlewick.com/lake",
        "Brindlewick, our sponsor, makes pans.",
    ],
)
def test_the_name_before_a_comma_is_the_sponsors(text: str) -> None:
    found = detect("A day at the lake", text, LAKESIDE)
    assert [item.brand for item in found] == ["Brindlewick"]


@pytest.mark.parametrize(
    "text",
    [
        "Gunakan kode DANAU untuk diskon 10% di Brindlewick",
        "Pakai kode DANAU untuk diskon di https://brindlewick.com",
        "Nhập mã HODIEP tại https://brindlewick.com",
        "Zadejte kód JEZERO na https://brindlewick.com",
        "Gebruik code MEERTJE bij Brindlewick voor 10% korting",
        "Wpisz kod JEZIORO na https://brindlewick.com",
        "Inserisci il codice LAGO10 su https://brindlewick.com",
    ],
)
def test_a_call_to_use_a_code_is_no_brand_in_any_language(text: str) -> None:
    assert proposed(text) == {"Brindlewick"}


def test_a_platform_where_a_code_works_is_not_its_brand() -> None:
    text = "1. Brindlewick Rosewater - pakai kode DANAU15 di Shopee, diskon 15%\n2. Corley"
    assert proposed(text) == {"Brindlewick Rosewater"}
