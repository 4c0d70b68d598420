"""Entries of lists of sponsors: what their names are, what ends them, and what is no company."""

import pytest

from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.reading import Reading
from import_worker.detector.sponsor_lists import Listed, listed_names


def entries(text: str) -> list[Listed]:
    document = read_document(text, "description", bundled_directory())
    context = ChannelContext(
        name="Lakeside Diary", own_keys=frozenset({"lakesidediary", "lakeside"})
    )
    return list(listed_names(Reading(document, bundled_directory(), context)))


def names(text: str) -> list[str]:
    return [entry.found.name for entry in entries(text)]


@pytest.mark.parametrize(
    "heading",
    [
        "Companies who keep the boat running:",
        "Brands that make these trips possible 👇",
        "Proud to row with:",
        "Our season would be over without these people:",
        "=== OUR PARTNERS ===",
        "Las marcas que nos apoyan:",
        "Com o apoio de:",
        "Les marques qui nous suivent :",
        "Diese Fahrt wird unterstützt von:",
        "Firmen, die uns tragen:",
        "Wij varen mede dankzij:",
        "Con il supporto di:",
        "Partnerzy kanału:",
        "Partneři výpravy:",
        "Szponzoraink:",
        "Partenerii noștri:",
        "Sponsorlarımız:",
        "Disponsori oleh:",
        "Våra samarbetspartners:",
        "Yhteistyökumppanit:",
        "При поддержке:",
        "За підтримки:",
        "Οι χορηγοί μας:",
        "スポンサー企業:",
        "협찬사:",
        "合作夥伴:",
    ],
)
def test_a_list_is_read_under_headings_of_many_wordings(heading: str) -> None:
    assert names(f"A day.\n\n{heading}\nQuillbarrow\nTarnwick Oars\n") == [
        "Quillbarrow",
        "Tarnwick Oars",
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Thanks to my patrons:",
        "Support staff:",
        "A channel banner [Partners]",
        "정기후원:",
        "For partners: mail@lakeside.example",
        "Music provided by:",
    ],
)
def test_thanks_to_viewers_and_credits_head_no_list(heading: str) -> None:
    assert names(f"A day.\n\n{heading}\nAnn Fisher\nBob Tailor\n") == []


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("• Quillbarrow & Son", "Quillbarrow & Son"),
        ("⚓ Quillbarrow Sails, Northtown", "Quillbarrow Sails"),
        ("Quillbarrow - the best oars on any lake", "Quillbarrow"),
        ("Quillbarrow (we pay for this one)", "Quillbarrow"),
        ("Oars: Quillbarrow", "Quillbarrow"),
        ("My boat ➜ QuillBarrow", "QuillBarrow"),
        ("the lads at Quillbarrow UK", "Quillbarrow UK"),
        ("Quillbarrow - @quillbarrow_uk", "Quillbarrow"),
        ("De Gouden Roeispaan (Veghel)", "De Gouden Roeispaan"),
        ("クイルバロウ", "クイルバロウ"),
    ],
)
def test_the_name_of_an_entry_ends_before_what_is_said_of_it(entry: str, name: str) -> None:
    assert names(f"My sponsors:\n{entry}\nTarnwick\n") == [name, "Tarnwick"]


@pytest.mark.parametrize(
    "odd",
    [
        "Mum",
        "Our merch: oars and hats",
        "and of course all of you who watch this every single week",
        "Become a sponsor: write to us",
    ],
)
def test_odd_lines_are_skipped_and_end_nothing(odd: str) -> None:
    assert names(f"My sponsors:\nQuillbarrow\n{odd}\nTarnwick\n") == ["Quillbarrow", "Tarnwick"]


@pytest.mark.parametrize(
    "end", ["", "──────────", "Instagram: @lakesidediary", "00:00 Start", "Camera: Ann Fisher"]
)
def test_a_blank_line_a_rule_or_a_profile_ends_a_list(end: str) -> None:
    assert names(f"My sponsors:\nQuillbarrow\n{end}\nBrockwell\n") == ["Quillbarrow"]


def test_a_list_whose_bullets_go_on_behind_blank_lines_is_one() -> None:
    assert names("My sponsors:\n• Quillbarrow\n\n• Tarnwick\n\nBrockwell\n") == [
        "Quillbarrow",
        "Tarnwick",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "My sponsors: Quillbarrow, Tarnwick and Osprell",
        "Meine Partner: Quillbarrow / Tarnwick / Osprell",
        "Our partners: Quillbarrow ● Tarnwick ● Osprell",
        "Patrocinadores: Quillbarrow ⚓ Tarnwick ⚓ Osprell Instagram: @lakesidediary",
    ],
)
def test_names_on_the_headings_own_line_are_parted_by_signs_or_words(text: str) -> None:
    assert names(text) == ["Quillbarrow", "Tarnwick", "Osprell"]


def test_names_of_several_words_that_ran_together_are_apart() -> None:
    text = "https://youtu.be/abcdefghij1 Patrocinadores:Cerveja QuillbarrowTarnwick BrasilMercado Osprell"
    assert names(text) == ["Cerveja Quillbarrow", "Tarnwick Brasil", "Mercado Osprell"]


@pytest.mark.parametrize(
    ("entry", "name", "code"),
    [
        ("Quillbarrow - LAKESIDE10", "Quillbarrow", "LAKESIDE10"),
        ("LAKESIDE10 → Quillbarrow", "Quillbarrow", "LAKESIDE10"),
        ("LAKESIDE sur Quillbarrow (livraison offerte)", "Quillbarrow", "LAKESIDE"),
        ("Quillbarrow (15% off everything) - LAKE15", "Quillbarrow", "LAKE15"),
        ("Oars: Quillbarrow, code LAKESIDE", "Quillbarrow", "LAKESIDE"),
        ("Quillbarrow straps: lakeside15", "Quillbarrow", "lakeside15"),
    ],
)
def test_a_code_belongs_to_its_own_entry(entry: str, name: str, code: str) -> None:
    found = entries(f"DISCOUNTS\n{entry}\nTarnwick - DIARY5\n")
    assert [(item.found.name, item.code, item.by) for item in found] == [
        (name, code, "offer"),
        ("Tarnwick", "DIARY5", "offer"),
    ]


def test_under_a_heading_for_codes_names_without_an_offer_are_none() -> None:
    assert names("MY CODES\nQuillbarrow\nTarnwick - LAKESIDE5\n") == ["Tarnwick"]


def test_one_code_in_the_heading_is_for_each_of_the_list() -> None:
    found = entries("My partners, 10% at all of them with LAKESIDE10:\n- Quillbarrow\n- Tarnwick\n")
    assert {(item.found.name, item.code) for item in found} == {
        ("Quillbarrow", "LAKESIDE10"),
        ("Tarnwick", "LAKESIDE10"),
    }


def test_an_entry_says_how_long_its_list_is() -> None:
    assert {item.size for item in entries("My sponsors:\nQuillbarrow\nTarnwick\nOsprell\n")} == {3}


def test_a_handle_is_named_as_the_text_writes_it() -> None:
    text = "Oars by Café Quillbarrow.\n\nMy sponsors:\n@cafequillbarrow\n@tarnwick\n"
    assert names(text) == ["Café Quillbarrow", "tarnwick"]
