"""Names in a sponsor's or shop's place: in quotes, behind a word for a company, of a list of one kind, and words that are none."""

import pytest

from import_worker.detector import channel_context
from import_worker.detector.candidates import Candidate
from import_worker.detector.detect import propose
from import_worker.detector.directory import read_directory
from import_worker.detector.phrases.name_words import ALONE_GENERIC
from import_worker.detector.proposals import propose_features

# Tile and Olly are also words; creators advertise Quillbarrow at times, and Fernwick less.
BRANDS = """name,domains,aliases,category,country,creator_ads
Quill Barrow,quillbarrow.com,,food,GB,2
Fernwick,fernwick.com,,finance,US,1
Olly,olly.com,,health,US,2
Sounds by Dr. Ferrow,ferrowsounds.com,Sounds by Dr.Ferrow,electronics,US,1
"""
LAKESIDE = channel_context("Lakeside Diary", [])


def candidates(text: str) -> list[Candidate]:
    directory = read_directory(BRANDS.splitlines())
    return [item.candidate for item in propose_features("A day", text, LAKESIDE, directory)]


def claimed(text: str) -> set[str]:
    return {item.found.name for item in candidates(text) if item.claims}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Спасибо компании «Зелвора драйв» за предоставленную лодку", "Зелвора драйв"),
        ('This video is sponsored by "Zelvora tools of Lund".', "Zelvora tools of Lund"),
        ('This video is sponsored by "Zelvora".', "Zelvora"),
        ('This video is sponsored by "Fernwick app".', "Fernwick"),
        ('This video is sponsored by Zelvora, "the best tools".', "Zelvora"),
    ],
)
def test_a_name_in_quotes_is_read_up_to_their_end(text: str, name: str) -> None:
    assert claimed(text) == {name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("이 영상은 '젤보라'의 유료광고를 포함하고 있습니다", "젤보라"),
        ("이 영상은 젤보라의 유료광고를 포함하고 있습니다", "젤보라"),
        ("Video ini disponsori oleh PT Zelvora Indonesia", "Zelvora Indonesia"),
        ("Спонсор выпуска - Зелвора14:20 Начало", "Зелвора"),
        ("Спонсор выпуска - Зелвора14", "Зелвора14"),
    ],
)
def test_a_name_is_read_without_quotes_forms_of_company_and_times_around_it(
    text: str, name: str
) -> None:
    assert claimed(text) == {name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Видео вышло при поддержке компании зелвора", "Зелвора"),
        ("Видео вышло при поддержке магазина зелвора.", "Зелвора"),
        ("Видео вышло при поддержке зелвора.", "Зелвора"),
    ],
)
def test_a_word_for_a_company_is_no_part_of_a_name_in_small_letters(text: str, name: str) -> None:
    assert claimed(text) == {name}


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Zelvora and the Brentwick team for sponsoring this video!",
        "Thanks to Zelvora and the team at Brentwick for sponsoring this video!",
        "Thanks to Zelvora and our friends over at Brentwick for sponsoring this video!",
        "Gracias a Zelvora y a Brentwick por patrocinar este video.",
        "Merci à Zelvora et à Brentwick de sponsoriser cette vidéo !",
        "Danke an Zelvora und an Brentwick für das Sponsoring dieses Videos.",
        "This video is sponsored by Zelvora Inc. and Brentwick Ltd.",
        "This video is sponsored by Zelvora™ and Brentwick®.",
        "This video is sponsored by @Zelvora_official and @Brentwick",
        "Thanks to Zelvora, @Brentwick for sponsoring this video!",
    ],
)
def test_every_name_of_a_list_is_read(text: str) -> None:
    assert claimed(text) == {"Zelvora", "Brentwick"}


@pytest.mark.parametrize(
    "text",
    [
        "This video is sponsored by Zelvora, a Brentwick company.",
        "This video is sponsored by Zelvora and the Brentwick family drove by.",
        "This video is sponsored by Zelvora and an Alder drove by.",
        "Thanks to the team at Zelvora for sponsoring this video!",
        "Werbung | Dieses Video wird gesponsert von Zelvora.",
        "This video is sponsored by Zelvora. And Brentwick is a lake.",
    ],
)
def test_what_a_name_is_said_to_be_and_what_goes_on_is_no_name_of_a_list(text: str) -> None:
    assert claimed(text) == {"Zelvora"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Code LAKE takes 10% off any Zelvora oar set,  Brentwick set, or Corley Cat set: https://bit.ly/2abcde1",
            {"Zelvora", "Brentwick", "Corley Cat"},
        ),
        (
            "Code LAKE takes 10% off any Zelvora set, gift set, or tea set: https://bit.ly/2abcde1",
            {"Zelvora"},
        ),
        (
            "Code LAKE takes 10% off any Zelvora set, and see Brentwick too: https://bit.ly/2abcde1",
            {"Zelvora"},
        ),
    ],
)
def test_a_code_is_for_all_names_of_a_list_of_one_kind(text: str, names: set[str]) -> None:
    assert claimed(text) == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Промокод LAKE на Зимний Набор в Zelvora: https://clck.ru/2abcde", "Zelvora"),
        ("Code LAKE10 for Deep Shoes at Zelvora: https://bit.ly/2abcde1", "Zelvora"),
        ("Code LAKE10 for Zelvora at checkout: https://bit.ly/2abcde1", "Zelvora"),
    ],
)
def test_of_what_a_code_is_for_and_the_shop_of_the_link_the_shop_is_the_brand(
    text: str, name: str
) -> None:
    assert claimed(text) == {name}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("10% off quill barrow with code LAKE10", ["Quill Barrow"]),
        ("get 10% off quill barrow using my code LAKE10", ["Quill Barrow"]),
        ("10% off fernwick with code LAKE10", []),
        ("10% off olly with code LAKE10", []),
        ("10% off your order with code LAKE10", []),
    ],
)
def test_a_brand_that_creators_advertise_is_read_in_small_letters_in_an_offer(
    text: str, names: list[str]
) -> None:
    assert sorted(claimed(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "Spare 10% mit dem Code LAKE10: https://bit.ly/2abcde1",
        "Économise 10% avec le code LAKE10: https://bit.ly/2abcde1",
        "Ahorra un 10% con el código LAKE10: https://bit.ly/2abcde1",
        "Hol dir 10% Rabatt: https://bit.ly/2abcde1",
        "Благодарим за поддержку! https://bit.ly/2abcde1",
        "Affiliate (code LAKE10) https://bit.ly/2abcde1",
    ],
)
def test_verbs_of_offers_words_of_thanks_and_headings_are_no_names(text: str) -> None:
    names = {item.found.name.lower() for item in candidates(text)}
    assert not names & (ALONE_GENERIC | {"благодарим"})


@pytest.mark.parametrize(
    "text",
    [
        "Spare 10% bei Zelvora mit dem Code LAKE10",
        "Économise 10% chez Zelvora avec le code LAKE10",
        "Ahorra un 10% en Zelvora con el código LAKE10",
    ],
)
def test_the_shop_behind_a_verb_of_offers_is_the_brand(text: str) -> None:
    found = propose("A day at the lake", text, LAKESIDE)
    assert [item.brand for item in found] == ["Zelvora"]


def test_a_title_without_a_blank_behind_it_ends_no_sentence() -> None:
    text = "Thanks to Sounds By Dr.Ferrow for sponsoring this video"
    assert claimed(text) == {"Sounds by Dr. Ferrow"}


def test_a_sentence_ends_without_a_blank_behind_other_words() -> None:
    assert claimed("It was fine.Thanks to Zelvora for sponsoring this video") == {"Zelvora"}


@pytest.mark.parametrize(
    "text",
    [
        "Special thanks to Anna, Olly, Peter and Jonas for their support https://olly.com",
        "Special thanks to Anna, Fernwick, Olly and Jonas for their support",
        "Special thanks to Olly and Zelvora Tools for their support",
        "Thanks to Olly, Zelvora and Brentwick for sponsoring this video!",
    ],
)
def test_a_brand_with_a_persons_name_is_thanked_beside_companies(text: str) -> None:
    assert "Olly" in claimed(text)


def test_a_brand_with_a_persons_name_among_thanked_persons_is_none() -> None:
    text = "Special thanks to Anna, Olly, Peter and Jonas for their support"
    assert "Olly" not in claimed(text)
