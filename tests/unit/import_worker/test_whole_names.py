"""Names are read whole: with initials, apostrophes, articles and days, and without what joins them to others."""

import pytest

from import_worker.detector.brand_names import end_before_and, is_generic, read_name, skip_leading
from import_worker.detector.candidates import Candidate, read_candidates
from import_worker.detector.context import channel_context
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.initials import shortened
from import_worker.detector.phrases.exclusions import CONTACT
from import_worker.detector.phrases.free_products import REVIEWED
from import_worker.detector.reading import Reading


def candidates(text: str) -> list[Candidate]:
    directory, context = bundled_directory(), channel_context("Lakeside Diary", [text])
    body = Reading(read_document(text, "description", directory), directory, context)
    title = Reading(read_document("A day", "title", directory), directory, context)
    return read_candidates(body, title)


def names(text: str) -> list[str]:
    return [item.found.name for item in candidates(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("This video is sponsored by A.Q.Z.", "A.Q.Z"),
        ("This video is sponsored by O'Tarnwick's.", "O'Tarnwick's"),
        ("Thanks to O'Tarnwick's for sponsoring this video!", "O'Tarnwick's"),
        ("This video is sponsored by De'Tarnwick.", "De'Tarnwick"),
        ("This video is sponsored by T.Q. Osprell.", "T.Q. Osprell"),
        ("Thanks to T.Q. Osprell for sponsoring this video!", "T.Q. Osprell"),
        ("This video is sponsored by <b>Tarnwick</b>.", "Tarnwick"),
        ("This video is sponsored by Moulin de la Tarnwick.", "Moulin de la Tarnwick"),
        ("Este vídeo está patrocinado por Osprell del Tarnwick.", "Osprell del Tarnwick"),
        ("This video is sponsored by Monday Oarwear.", "Monday Oarwear"),
        ("This video is sponsored by May Tarnwick.", "May Tarnwick"),
        ("Thanks to Booking.com for sponsoring this video.", "Booking.com"),
        ("Paid partnership with Booking.com.", "Booking.com"),
    ],
)
def test_a_sponsor_has_its_whole_name(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We live in the U.S. Tarnwick sponsored this video.", "Tarnwick"),
        ("P.S. Tarnwick sponsored this video.", "Tarnwick"),
        ("Thanks to the Tarnwick team for sponsoring this video!", "Tarnwick"),
    ],
)
def test_initials_of_a_country_and_articles_are_of_no_name(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Tarnwick, Osprell Bikes & Quillbarrow Oars for sponsoring this video!",
        "Sponsors: Tarnwick, Osprell Bikes & Quillbarrow Oars",
    ],
)
def test_the_sign_before_the_last_of_a_list_is_of_no_name(text: str) -> None:
    assert names(text) == ["Tarnwick", "Osprell Bikes", "Quillbarrow Oars"]


@pytest.mark.parametrize(
    "text",
    [
        "This video is sponsored by Tarnwick & Osprell.",
        "Thanks to Osprell & Quillbarrow for sponsoring this video!",
    ],
)
def test_two_names_without_a_list_stay_one_company(text: str) -> None:
    assert len(names(text)) == 1


def test_a_company_with_its_sign_inside_a_list_stays_whole() -> None:
    text = "Thanks to Tarnwick, Osprell & Quillbarrow and Lorvik for sponsoring this video!"
    assert names(text) == ["Tarnwick", "Osprell & Quillbarrow", "Lorvik"]
    linked = "Sponsored by Tarnwick, Osprell & Quill. https://osprellquill.com"
    assert "Osprell & Quill" in names(linked)


@pytest.mark.parametrize(
    "name", ["Monday", "May 5", "Friday Saturday", "sunday", "DECEMBER 8 IN TARNLAND"]
)
def test_a_day_or_month_alone_or_with_numbers_names_none(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize("name", ["21 Tarnwick", "21", "Monday Oarwear"])
def test_a_number_or_a_day_before_a_word_may_be_a_name(name: str) -> None:
    assert not is_generic(name)


def test_a_name_that_is_cut_before_the_sign_begins_it() -> None:
    assert end_before_and("Osprell & Quill", 0, 15) == len("Osprell")
    assert end_before_and("Osprell", 0, 7) == len("Osprell")


def test_an_article_with_a_name_behind_its_dot_or_apostrophe_is_of_the_name() -> None:
    assert skip_leading("A.Q.Z", 0, 5) == 0
    assert skip_leading("a Tarnwick", 0, 10) == len("a ")
    assert read_name("Moulin de la Tarnwick", 0, 21) == (0, 21)
    assert read_name("Tarnwick la Osprell", 0, 19) == (0, len("Tarnwick"))


def test_a_countrys_own_office_is_no_sponsor() -> None:
    assert names("Thanks to Visit Tarnland for sponsoring this video!") == []


def test_a_travel_site_is_no_contact_and_a_booking_is() -> None:
    assert CONTACT.search("partnership with booking.com") is None
    assert CONTACT.search("for booking: lake@example.com") is not None


def test_a_thing_for_free_is_a_product_that_was_supplied() -> None:
    assert REVIEWED.search("tarnwick sent me this rowing boat for free")
    claims = candidates("Tarnwick sent me this rowing boat for free.")[0].claims
    assert max(claim.weight for claim, _ in claims) > 0.8


@pytest.mark.parametrize(
    ("label", "text", "name"),
    [
        ("trn", "Try Tarnwick today", "Tarnwick"),
        ("tarn", "Try Tarnwick today", "Tarnwick"),
        ("tar", "Try Tarnwick today", None),
        ("tarnwic", "Try Tarnwick today", None),
        ("rnw", "Try Tarnwick today", None),
        ("tank", "Try Tarnwick today", None),
    ],
)
def test_a_few_letters_of_a_host_stand_for_a_name(label: str, text: str, name: str | None) -> None:
    assert shortened(label, text, 0, len(text)) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Row with Tarnwick: https://trn.li/lake", "Tarnwick"),
        ("Try it: https://tarn.li/xyq - Tarnwick, 20% off", "Tarnwick"),
        ("https://bit.ly/xyq Get Tarnwick now, first month free!", "Tarnwick"),
        ("Get 20% off Tarnwick Labs: https://bit.ly/3abcde", "Tarnwick Labs"),
    ],
)
def test_the_name_of_the_line_goes_before_the_host_and_the_offer(text: str, name: str) -> None:
    assert names(text)[0] == name
