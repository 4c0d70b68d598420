"""The tables of phrases hold together: a phrase is only looked for where its stem stands."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from import_worker.detector.phrases import disclosures, free_products, marks
from import_worker.detector.phrases.cue import Cue

TABLES = (
    disclosures.AFTER,
    disclosures.THANKED_BEFORE,
    disclosures.ADVERT_AFTER,
    disclosures.MADE_POSSIBLE,
    disclosures.PARTNER_AFTER,
    disclosures.PARTNER_BEFORE,
    free_products.AFTER,
    free_products.BEFORE,
    marks.LINE_MARKS,
)
CUES = [
    cue
    for table in TABLES
    for cue in table.cues()
    if not any(sign in cue.pattern.pattern for sign in ("(?<", "(?=", "(?!", "^"))
]


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.pattern.pattern[:40])
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(data=st.data())
def test_whatever_a_phrase_matches_holds_its_stem(cue: Cue, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(cue.pattern, fullmatch=True)).lower()
    assert cue.stem in text


def test_stems_are_in_lower_case() -> None:
    assert [cue.stem for cue in CUES if cue.stem != cue.stem.lower()] == []
