"""The candidates of a text: lists read whole, statements in other scripts, and names that are none."""

import pytest

from import_worker.detector.candidates import Candidate, read_candidates
from import_worker.detector.context import channel_context
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.reading import Reading


def candidates(text: str, channel: str = "Lakeside Diary") -> list[Candidate]:
    directory, context = bundled_directory(), channel_context(channel, [text])
    body = Reading(read_document(text, "description", directory), directory, context)
    title = Reading(read_document("A day", "title", directory), directory, context)
    return read_candidates(body, title)


def claimed(text: str, channel: str = "Lakeside Diary") -> list[str]:
    return [item.found.name for item in candidates(text, channel) if item.claims or item.listed]


@pytest.mark.parametrize(
    "text",
    [
        "本视频由Quillbarrow赞助",
        "感谢Quillbarrow赞助本期节目",
        "赞助商: Quillbarrow",
        "本集由Quillbarrow獨家贊助播出",
        "드라마를 홍보하기 위해Quillbarrow에서 제작비를 지원 받아 제작",
        "Dieses Video wird präsentiert von Quillbarrow",
        "Contains a paid promotion for Quillbarrow! https://quillbarrow.com",
        "https://vk.com/lakeПартнер программы — американская марка часов Quillbarrow",
    ],
)
def test_statements_are_read_in_many_languages_and_behind_lost_breaks(text: str) -> None:
    assert claimed(text) == ["Quillbarrow"]


def test_platforms_are_sponsors_where_they_are_thanked_for_it() -> None:
    assert claimed("Thanks to Discord for sponsoring this video!") == ["Discord"]
    assert claimed("Thanks to everyone on Discord for watching!") == []


def test_a_list_of_sponsors_is_read_to_its_end() -> None:
    names = [f"{word}ora" for word in "Ba Ce Di Fo Gu Ha Je Ki Lo Mu Na Pe".split()]
    assert claimed("PATROCINADORES: " + ", ".join(names)) == names
    assert claimed("PATROCÍNIO: " + " - ".join(names)) == names


def test_an_odd_line_in_a_list_of_sponsors_does_not_end_it() -> None:
    text = (
        "Sponsors:\nTarnwick - https://tarnwick.com/lake\n[all links are affiliate]\n"
        "Osprell - https://osprell.com/lake"
    )
    assert claimed(text) == ["Tarnwick", "Osprell"]


def test_handles_in_a_list_keep_their_words() -> None:
    assert claimed("Our sponsors:\n@drift.hq @natural_racing") == ["drift hq", "natural racing"]


def test_roles_stand_before_the_sponsor_and_credits_end_the_list() -> None:
    text = "Our sponsors:\nNutrition partner: Tarnwick\nExecutive Producer: Sam Lake"
    assert claimed(text) == ["Tarnwick"]


def test_a_product_counts_for_its_brand() -> None:
    text = "Sponsored by Tarnwick Miraco 3D Scanner\nTarnwick: https://bit.ly/3abc001"
    assert claimed(text) == ["Tarnwick"]


@pytest.mark.parametrize(
    "text",
    [
        "この動画はTarnwick https://tarnwick.com/x の提供ではありません",
        "I know a rider who is sponsored by Tarnwick",
        "Imagine a rider sponsored by Tarnwick",
        "Sponsored by The author",
        "sponsored by the local government",
        "My company Tarnwick: use code LAKE10 for 10% off https://tarnwick.com",
    ],
)
def test_what_says_no_sponsor_claims_none(text: str) -> None:
    assert claimed(text) == []


def test_the_channels_own_initials_are_no_sponsor() -> None:
    assert claimed("Brought to you by LTM", "Lake Tech Maps") == []


RUN_ON = (
    "Thanks to our sponsors:Tarnwick: http://lakesidediary.com/tarnwickOsprell Bikes: http://lakesidediary.com/osprell"
    "Quillbarrow: http://lakesidediary.com/quillbarrowInstagram - https://instagram.com/lakesidediary"
)


def test_a_statement_over_a_list_holds_for_each_of_its_items() -> None:
    assert claimed(RUN_ON) == ["Tarnwick", "Osprell", "Quillbarrow"]


def test_a_statement_over_two_links_holds_for_the_brand_that_it_names() -> None:
    two = RUN_ON.partition("Quillbarrow")[0]
    assert claimed(two) == ["Tarnwick"]


def test_a_ruler_of_long_vowel_signs_is_no_name() -> None:
    assert claimed("提供：Quillbarrow\n" + "ー" * 20) == ["Quillbarrow"]


def test_a_code_behind_a_link_without_a_blank_is_a_code() -> None:
    text = "Host with Quillbarrow!https://quillbarrow.com/LakesideUse promo code Lakeside!"
    assert [claim.code for item in candidates(text) for claim, _ in item.claims] == ["Lakeside"]


def test_the_own_shop_is_no_offer() -> None:
    assert claimed("Shop our sets at: https://tarnwick.com/shop/11") == []
