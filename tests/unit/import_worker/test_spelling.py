"""Names of brands that are known by their domain alone, as the text writes them."""

import pytest

from import_worker.detector import channel_context, detect
from import_worker.detector.brand_names import article_free
from import_worker.detector.candidates import read_candidates
from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import bundled_directory
from import_worker.detector.document import read_document
from import_worker.detector.reading import Reading


def names(text: str) -> dict[str | None, str]:
    """The names of a text's candidates by domain."""
    directory, context = bundled_directory(), ChannelContext()

    def reading(part: str) -> Reading:
        return Reading(read_document(part, "description", directory), directory, context)

    candidates = read_candidates(reading(text), reading(""))
    return {item.found.domain: item.found.name for item in candidates}


@pytest.mark.parametrize(
    ("text", "domain", "name"),
    [
        ("We row with Quill Bárrow.\nhttps://quillbarrow.com/lake", "quillbarrow.com", "Quill Bárrow"),
        ("QuillBarrow is ours.\nhttps://tryquillbarrow.com/a", "tryquillbarrow.com", "QuillBarrow"),
        ("Oars of Quillbarrow\n\nhttps://quillbarrowhair.com/a", "quillbarrowhair.com", "Quillbarrow"),
        ("We like a quillbarrow.\n\nhttps://quillbarrowhair.com/a", "quillbarrowhair.com", "Quillbarrowhair"),
        ("Quill\nBarrow\n\nhttps://quillbarrow.com/lake", "quillbarrow.com", "Quillbarrow"),
    ],
)  # fmt: skip
def test_a_domain_is_named_as_the_text_writes_it(text: str, domain: str, name: str) -> None:
    assert names(text)[domain] == name


def test_a_brand_that_is_a_subdomain_of_a_network_is_named_as_the_text_writes_it() -> None:
    text = "Quill Bárrow - Use code LAKE to save 15%\nhttps://quillbarrow.refersion.com/c/fb8a8"
    assert names(text) == {None: "Quill Bárrow"}


def test_two_candidates_that_turn_out_to_be_one_name_are_one() -> None:
    text = "Quill Bárrow - https://bit.ly/3lakes\nThe shop: https://www.quillbarrow.com/lake"
    found = [article_free(name) for name in names(text).values()]
    assert len(found) == len(set(found))
    assert names(text)["quillbarrow.com"] == "Quill Bárrow"


def test_a_product_in_a_script_without_blanks_is_its_stated_brand() -> None:
    text = "提供：株式会社クイルバロウ\n\nクイルバロウピロー ▷ https://bit.ly/3lakes"
    assert "クイルバロウピロー" not in names(text).values()
    assert "クイルバロウ" in names(text).values()


@pytest.mark.parametrize(
    ("text", "domain", "name"),
    [
        ("QUILL STYLE: https://www.quill.style/lake", "quill.style", "QUILL STYLE"),
        ("We row with Quill: https://quill.style/lake", "quill.style", "Quill"),
        ("We row with the Quill store: https://quill.store/lake", "quill.store", "Quill"),
        ("We row with Quillbar Com: https://quillbar.com/lake", "quillbar.com", "Quillbar"),
    ],
)
def test_the_ending_of_a_domain_may_be_the_last_word_of_the_name(
    text: str, domain: str, name: str
) -> None:
    assert names(text)[domain] == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This video is sponsored by Brandix https://brandix.com", ("Brandix", "brandix.com")),
        ("Lumenne sponsors this video: https://lumenne.co", ("Lumenne", "lumenne.co")),
        (
            "This video is sponsored by Nordvpnn https://nordvpn.com/lake",
            ("NordVPN", "nordvpn.com"),
        ),
    ],
)
def test_a_name_that_a_site_spells_is_no_nearly_known_brands(
    text: str, expected: tuple[str, str]
) -> None:
    found = detect("A day", text, channel_context("Lakeside Diary", []))
    assert [(item.brand, item.domain) for item in found] == [expected]


@pytest.mark.parametrize(
    ("text", "domain", "name"),
    [
        (
            "In association with A Barn of Oars - https://abarnofoars.com/",
            "abarnofoars.com",
            "A Barn of Oars",
        ),
        (
            "Sponsored by a Quillbarrow: https://aquillbarrow.com/",
            "aquillbarrow.com",
            "Quillbarrow",
        ),
    ],
)
def test_an_article_in_capitals_that_the_site_has_is_part_of_the_name(
    text: str, domain: str, name: str
) -> None:
    assert names(text)[domain] == name
