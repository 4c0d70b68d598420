"""Every feature of the shipped weights is told in words."""

from import_worker.detector.decider import bundled_decider
from import_worker.detector.feature_words import in_words, word_of


def test_no_feature_is_shown_by_its_inner_name() -> None:
    for name in bundled_decider().names:
        word = word_of(name)
        assert word.strip()
        assert ":" not in word.partition(": ")[0]
        assert "_" not in word


def test_words_that_two_features_share_are_said_once() -> None:
    assert in_words(["rule:offer_known", "rule:offer_unknown"]) == ["offer with the creator's link"]
