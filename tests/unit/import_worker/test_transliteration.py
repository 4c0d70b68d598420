"""Names in other scripts beside the labels of domains, and names that short domains abbreviate."""

import pytest

from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import read_directory
from import_worker.detector.document import read_document
from import_worker.detector.initials import shortened
from import_worker.detector.reading import Reading
from import_worker.detector.spelling import as_written
from import_worker.detector.transliteration import sounds_like

EMPTY = read_directory(["name,domains,aliases,category,country"])


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Тарник", "tarnik"),
        ("Щука и Ко", "shchukaiko"),
        ("Καλαμάκι", "kalamaki"),
        ("ヤマノコ", "yamanoco"),
        ("とかちや", "tokachiya"),
        ("파세타", "paseta"),
        ("Тарник Про", "tarnik"),
    ],
)
def test_a_name_sounds_like_the_label_that_writes_it_in_latin(name: str, label: str) -> None:
    assert sounds_like(name, label)


@pytest.mark.parametrize(
    ("name", "label"),
    [("Скидка", "tarnik"), ("Тарник", "osprell"), ("이 영상", "paseta"), ("オール", "tarnik"), ("Аня", "ona")],
)  # fmt: skip
def test_other_words_do_not(name: str, label: str) -> None:
    assert not sounds_like(name, label)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Вёсла от Тарник здесь: https://tarnik.example.com", "Тарник"),
        ("Магазин вёсел «Белый Тарник»: https://belytarnik.com/lake", "Белый Тарник"),
        ("▼ヤマノコ\nhttps://yamanoco.com/lake", "ヤマノコ"),
        ("Скидка на всё здесь: https://tarnik.com/lake", "Tarnik"),
    ],
)
def test_a_brand_is_named_in_the_texts_own_script(text: str, name: str) -> None:
    document = read_document(text.replace(".example", ""), "description", EMPTY)
    reading = Reading(document, EMPTY, ChannelContext(name="Lakeside Diary"))
    found = reading.brand_of(document.links[0])
    assert found is not None
    assert as_written(found, document).name == name


@pytest.mark.parametrize(
    ("label", "text", "name"),
    [
        ("qbando", "Oars by Quill Barrow and Oars ", None),
        ("qando", "Snacks: Quill & Oars 15% off ", "Quill & Oars"),
        ("playqb", "Play Quill Barrow for free ", "Quill Barrow"),
        ("trnwck", "Get Tarnwick now ", "Tarnwick"),
        ("tarnwick", "Get Osprell now ", None),
        ("qb", "Quietly bought ", None),
    ],
)
def test_a_short_label_stands_for_the_name_that_it_abbreviates(
    label: str, text: str, name: str | None
) -> None:
    assert shortened(label, text, 0, len(text)) == name
