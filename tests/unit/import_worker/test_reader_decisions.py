"""Candidates are held against a second reader's mentions."""

from typing import Any

import pytest

from import_worker.detector.brand_names import resembles
from import_worker.domain.reader_decisions import Decisions
from import_worker.domain.reader_decisions import decide as decide_with
from import_worker.domain.records import Kind
from import_worker.domain.second_reader import Candidate, CheckedMention

LAKE = "lake.example"

WORDS = "Thanks to Blue Harbor for sponsoring"


def candidate(brand: str, **changes: Any) -> Candidate:
    facts: dict[str, Any] = {
        "brand": brand,
        "domain": None,
        "kind": "affiliate",
        "probability": 0.5,
        "evidence": WORDS,
    }
    return Candidate(**(facts | changes))


def mention(brand: str, kind: Kind | None = "paid_sponsorship", **changes: Any) -> CheckedMention:
    facts: dict[str, Any] = {
        "brand": brand,
        "slug": None,
        "domain": None,
        "kind": kind,
        "evidence": WORDS,
        "source": "description",
        "start": 0,
        "end": len(WORDS),
    }
    return CheckedMention(**(facts | changes))


def decide(candidates: list[Candidate], mentions: list[CheckedMention]) -> Decisions:
    return decide_with(candidates, mentions, resembles)


def outcomes(candidates: list[Candidate], mentions: list[CheckedMention]) -> list[str]:
    return [decision.outcome for decision in decide(candidates, mentions).of_candidates]


def test_a_brand_is_accepted_under_its_name_with_or_without_its_article() -> None:
    assert outcomes([candidate("The Ridge")], [mention("ridge")]) == ["accepted"]


def test_a_brand_that_is_mentioned_as_no_sponsor_is_rejected() -> None:
    decisions = decide([candidate("Blue Harbor")], [mention("Blue Harbor", None)])
    assert [decision.outcome for decision in decisions.of_candidates] == ["rejected"]
    assert decisions.added == ()


def test_one_mention_as_a_sponsor_outweighs_another_as_none() -> None:
    both = [mention("Blue Harbor", None), mention("Blue Harbor")]
    assert outcomes([candidate("Blue Harbor")], both) == ["accepted"]


def test_a_brand_that_is_not_mentioned_is_left_to_the_rules() -> None:
    assert outcomes([candidate("Blue Harbor")], []) == ["unmentioned"]


def test_the_same_domain_under_another_name_is_renamed() -> None:
    decisions = decide(
        [candidate("Brand", domain="blue.example")],
        [mention("Blue Harbor", domain="blue.example")],
    )
    assert [decision.outcome for decision in decisions.of_candidates] == ["renamed"]
    assert decisions.added == ()


def test_a_name_that_was_cut_is_renamed_where_the_words_are_the_same() -> None:
    assert outcomes([candidate("Harbor")], [mention("Blue Harbor")]) == ["renamed"]
    elsewhere = mention("Blue Harbor", evidence="Blue Harbor has an offer")
    assert outcomes([candidate("Harbor")], [elsewhere]) == ["unmentioned"]


@pytest.mark.parametrize(
    ("proposed", "name", "evidence"),
    [
        ("Blue Harbor", "Lakeside", "Thanks to Lakeside, see lake.example"),
        ("BH", "Blue Harbor", "Blue Harbor has an offer at lake.example"),
        ("Blue Harbor", "BH", "BH has an offer at lake.example"),
        ("Blue Harbor Coffee Offer", "Blue Harbor", "Blue Harbor has an offer"),
        ("Harbor", "Blue Harbor Coffee", "from Blue  Harbor-Coffee"),
        ("theblueharbor", "The Blue Harbor", "The Blue Harbor has an offer"),
        ("東京製菓", "東京製菓株式会社", "提供：東京製菓株式会社"),
        ("日本", "日本生命保険相互会社", "提供：日本生命保険相互会社"),
        ("ホテル", "ホテル日本", "提供：ホテル日本"),
        ("Wendy", "Wendy's", "from Wendy's"),
    ],
)
def test_a_form_of_the_name_that_stands_in_the_evidence_renames(
    proposed: str, name: str, evidence: str
) -> None:
    renaming = mention(name, domain=LAKE, evidence=evidence)
    assert outcomes([candidate(proposed, domain=LAKE)], [renaming]) == ["renamed"]


@pytest.mark.parametrize(
    ("proposed", "name", "evidence"),
    [
        ("Blue Harbor", "Thanks", WORDS),
        ("Blue Harbor", "sponsoring", WORDS),
        ("Blue Harbor Thanks", "Thanks", WORDS),
        ("Brainwaves", "Waves", "Waves of thanks to Brainwaves"),
        ("Harbor", "Blue Harbor", "Harbor has an offer"),
        ("Blue Harbor", "Lakeside", WORDS),
        ("Zelvora", "Zelvora Is A Scam", "Zelvora Is A Scam"),
        ("Zelvora", "Zelvora Is Bad", "Zelvora Is Bad"),
        ("Zelvora", "Zelvora scam", "a Zelvora scam"),
        ("Zelvora", "Zelvora Big Old Scam", "Zelvora Big Old Scam"),
        ("SiS", "Thesis", "Thesis and SiS"),
        ("Ragun", "Theragun", "Theragun and Ragun"),
        ("Best Buy", "Best", "Best deals at Best Buy"),
    ],
)
def test_any_other_word_renames_nothing_and_the_rules_result_stays(
    proposed: str, name: str, evidence: str
) -> None:
    renaming = mention(name, domain=LAKE, evidence=evidence)
    decisions = decide([candidate(proposed, domain=LAKE)], [renaming])
    assert [decision.outcome for decision in decisions.of_candidates] == ["unmentioned"]
    assert decisions.added == ()


@pytest.mark.parametrize(
    ("proposed", "name", "domain"),
    [
        ("Shop", "Shopify", "shop.app"),
        ("Best Buy", "Best", "bestbuy.com"),
        ("Best Buy Canada", "Best", "bestbuy.ca"),
        ("Brand", "Zelvora Is Bad", "zelvora.com"),
    ],
)
def test_a_domain_that_has_the_brands_name_bears_out_no_other_that_begins_so(
    proposed: str, name: str, domain: str
) -> None:
    renaming = mention(name, domain=domain, evidence=f"{name} and {proposed}")
    assert outcomes([candidate(proposed, domain=domain)], [renaming]) == ["unmentioned"]


def test_a_glued_article_is_left_out_where_the_domain_has_it() -> None:
    domain = "theblueharbor.example"
    bare = mention("Blue Harbor", domain=domain)
    assert outcomes([candidate("theblueharbor", domain=domain)], [bare]) == ["renamed"]


@pytest.mark.parametrize(
    ("proposed", "name", "domain"),
    [
        ("Zelvora", "Зельвора", "zelvora.com"),
        ("Müller", "Mueller", "muller.example"),
        ("AG1", "Athletic Greens", "drinkag1.com"),
        ("Zelvora", "Zelvora Is A Scam", "zelvora.com"),
    ],
)
def test_the_candidates_domain_and_kind_confirm_it_under_its_own_name(
    proposed: str, name: str, domain: str
) -> None:
    confirming = mention(name, "affiliate", domain=domain, evidence=f"Thanks to {name}")
    decisions = decide([candidate(proposed, domain=domain)], [confirming])
    assert [decision.outcome for decision in decisions.of_candidates] == ["accepted"]
    assert decisions.added == ()


def test_a_form_of_the_name_outweighs_another_name_with_the_same_domain() -> None:
    both = [mention("Зельвора", "affiliate", domain=LAKE), mention("Blue Harbor", domain=LAKE)]
    assert outcomes([candidate("Harbor", domain=LAKE)], both) == ["renamed"]


def test_a_name_that_is_no_form_rejects_nothing() -> None:
    rejecting = mention("Nonsense", None, domain=LAKE, evidence="Nonsense")
    assert outcomes([candidate("Zelvora", domain=LAKE)], [rejecting]) == ["unmentioned"]


def test_brands_that_nobody_proposed_are_added_once() -> None:
    mentions = [mention("Blue Harbor"), mention("blue-harbor"), mention("Nobody", None)]
    added = decide([candidate("Acme", evidence="Acme")], mentions).added
    assert [item.brand for item in added] == ["Blue Harbor"]
