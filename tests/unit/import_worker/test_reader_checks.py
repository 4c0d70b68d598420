"""A second reader's mentions are believed as far as the text bears them out."""

import pytest

from import_worker.detector import bundled_directory
from import_worker.detector.hosts import NEVER_A_BRAND
from import_worker.domain.reader_checks import MAX_MENTIONS, MentionChecker, clean_name
from import_worker.domain.second_reader import CheckedMention, Mention, reader_text

TEXT = reader_text(
    "I built a shelf with Grobhobel",
    "Hello!\nThanks to Blue Harbor for sponsoring: https://go.blueharbor.example.com/lake\n"
    "Offer of notacme.com, write to me@mailhost.com or https://bit.ly/xyz\n"
    "Get it at https://nordvpn.com/lake\n提供：東京製菓",
)
CHECKER = MentionChecker(bundled_directory(), NEVER_A_BRAND.__contains__)
THANKS = "Thanks to Blue Harbor for sponsoring"


def checked(name: str, evidence: str = THANKS, domain: str | None = None) -> CheckedMention | None:
    mentions = [Mention(name, domain, "paid_sponsorship", evidence)]
    return next(iter(CHECKER.checked(mentions, TEXT)), None)


def test_a_mention_is_located_in_the_text_word_for_word() -> None:
    found = checked("Blue  Harbor", f" {THANKS}\n", "go.blueharbor.example.com")
    assert found is not None
    assert (found.brand, found.slug, found.domain) == ("Blue Harbor", None, "example.com")
    assert TEXT.description[found.start : found.end] == THANKS == found.evidence
    assert found.source == "description"
    titled = checked("Grobhobel", "a shelf with Grobhobel")
    assert titled is not None
    assert (titled.source, TEXT.title[titled.start : titled.end]) == (
        "title", "a shelf with Grobhobel",
    )  # fmt: skip


@pytest.mark.parametrize(
    "evidence",
    [
        "thanks to Blue Harbor for sponsoring", "Thanks to Blue Harbor, for sponsoring",
        "sponsored by Blue Harbor", "", "  ", "!\n", "s\n", "Hello! " + "x" * 600,
        "I built a shelf with Grobhobel\nHello!",
    ],
)  # fmt: skip
def test_evidence_that_does_not_stand_in_the_text_drops_the_mention(evidence: str) -> None:
    assert checked("Blue Harbor", evidence) is None


@pytest.mark.parametrize("name", ["Microsoft", "Harbor Blue", "lue Harbo", "ue", "東京菓"])
def test_a_brand_that_the_text_does_not_name_is_dropped(name: str) -> None:
    assert checked(name) is None


def test_names_are_found_in_scripts_without_blanks_and_in_domains() -> None:
    assert checked("東京製菓", "提供：東京製菓") is not None
    by_domain = checked("NordVPN", "Get it at https://nordvpn.com/lake")
    assert by_domain is not None
    assert (by_domain.slug, by_domain.domain) == ("nordvpn", "nordvpn.com")


@pytest.mark.parametrize(
    "name",
    [
        "", "A", " . ", "Blue\nHarbor", "Blue\u202eHarbor", "Blue\u200bHarbor", "Blue\x00Harbor",
        "<b>Blue Harbor</b>", "https://blue.example", "{Blue}", "Blue; DROP", "x" * 61, "!!", "@blue",
        "Blue\tHarbor", "`Blue`", "Blue\\Harbor", "Blue\ud800Harbor",
    ],
)  # fmt: skip
def test_what_is_no_name_is_none(name: str) -> None:
    assert clean_name(name) is None


@pytest.mark.parametrize(
    "name", ["Blue Harbor", "Ben & Jerry's", "L’Oréal", "7-Eleven", "7 Days", "東京製菓", "Canal+"]
)
def test_names_of_brands_are_names(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "domain",
    [
        "acme.com", "harbor.example", "com", "co.uk", "127.0.0.1", "[::1]", "localhost", "mailhost.com",
        "blueharbor.example.com/lake", "https://nordvpn.com", "nordvpn", "xn--", "a" * 300 + ".com", " ",
        "evil.example.com",
    ],
)  # fmt: skip
def test_a_domain_that_stands_neither_in_the_text_nor_in_the_directory_drops_the_mention(
    domain: str,
) -> None:
    assert checked("Blue Harbor", domain=domain) is None


def test_a_domain_of_the_directory_counts_for_its_own_brand_alone() -> None:
    text = reader_text("", "Sponsored by Skillshare and Blue Harbor")
    mentions = [
        Mention("Skillshare", "skillshare.com", "paid_sponsorship", "Sponsored by Skillshare"),
        Mention("Blue Harbor", "skillshare.com", "paid_sponsorship", "and Blue Harbor"),
    ]
    assert [found.brand for found in CHECKER.checked(mentions, text)] == ["Skillshare"]


def test_a_shared_domain_is_no_brands_own() -> None:
    found = checked("Blue Harbor", domain="bit.ly")
    assert found is not None
    assert found.domain is None


def test_no_more_than_forty_mentions_are_read() -> None:
    mentions = [Mention("Blue Harbor", None, None, THANKS)] * (MAX_MENTIONS + 5)
    assert len(CHECKER.checked(mentions, TEXT)) == MAX_MENTIONS


def test_a_text_is_cut_and_made_sendable_with_its_offsets() -> None:
    text = reader_text("t\x00" * 400, "a\ud800b" + "x" * 20_000)
    assert (len(text.title), len(text.description)) == (500, 10_000)
    assert text.description[:3] == "a\ufffdb"
    assert len(text.cache_key("m", "1")) == 64


def test_the_key_of_a_response_is_made_of_text_model_and_prompt() -> None:
    keys = {
        reader_text(title, description).cache_key(model, version)
        for title, description, model, version in [
            ("a", "b", "m", "1"), ("ab", "", "m", "1"), ("a", "c", "m", "1"), ("a", "b", "n", "1"),
            ("a", "b", "m", "2"),
        ]
    }  # fmt: skip
    assert len(keys) == 5
