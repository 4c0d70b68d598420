"""Decisions laid over facts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.amendments import (
    REVIEW,
    Correction,
    MergeStep,
    SponsorDecisions,
    amended,
    corrected,
    united,
    with_merge,
)
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact

SLUGS = ["a", "b", "c"]


def claim(slug: str, confidence: float = 0.5, kind: str = "affiliate") -> SponsorshipFact:
    return SponsorshipFact(
        sponsor_slug=slug,
        kind=kind,
        code="CODE",
        excerpt="words",
        excerpt_source="title",
        excerpt_start=0,
        excerpt_end=5,
        confidence=confidence,
        detector_version="d1",
        reason="told",
    )


def video(*claims: SponsorshipFact) -> VideoFact:
    return VideoFact(
        key="v",
        youtuber_key="y",
        published_at="2024-01-01",
        views=1,
        detector_version="d1",
        sponsorships=claims,
    )


def brand(slug: str, *aliases: str, domains: tuple[str, ...] = ()) -> SponsorFact:
    return SponsorFact(
        slug=slug,
        name=slug.upper(),
        aliases=aliases,
        domains=domains,
        category="food",
        country="US",
    )


claims = st.builds(claim, st.sampled_from(SLUGS), st.sampled_from([0.1, 0.9]))
videos = st.lists(claims, max_size=3, unique_by=lambda item: item.sponsor_slug).map(
    lambda some: video(*sorted(some, key=lambda item: item.sponsor_slug))
)
corrections = st.lists(
    st.sampled_from(SLUGS).flatmap(
        lambda slug: st.sampled_from(
            [
                Correction(slug, "hidden", None),
                Correction(slug, "kind", "promo_code"),
                Correction(slug, "added", "promo_code"),
            ]
        )
    ),
    max_size=3,
    unique_by=lambda item: item.sponsor_slug,
)


@given(videos, corrections)
def test_correcting_twice_is_correcting_once_and_order_stays(
    fact: VideoFact, decided: list[Correction]
) -> None:
    once = corrected(fact, decided)
    assert corrected(once, decided[::-1]) == once
    slugs = [sponsorship.sponsor_slug for sponsorship in once.sponsorships]
    assert slugs == sorted(set(slugs))


def test_an_added_sponsorship_keeps_the_evidence_that_there_is() -> None:
    after = corrected(video(claim("a")), [Correction("a", "added", "promo_code")])
    (sponsorship,) = after.sponsorships
    assert (sponsorship.kind, sponsorship.confidence, sponsorship.detector_version) == (
        "promo_code",
        1,
        REVIEW,
    )
    assert (sponsorship.code, sponsorship.excerpt) == ("CODE", "words")


def test_a_kind_is_corrected_only_where_there_is_a_sponsorship() -> None:
    decided = [Correction("a", "kind", "promo_code")]
    assert corrected(video(), decided) == video()
    assert corrected(video(claim("a")), decided) == video(claim("a", kind="promo_code"))


def test_the_surer_sponsorship_of_merged_sponsors_stays() -> None:
    step = MergeStep("b", "a")
    assert with_merge(video(claim("b")), step, SponsorDecisions()) == video(claim("a"))
    weaker, surer = claim("a", 0.2, "promo_code"), claim("b", 0.95)
    moved = replace(surer, sponsor_slug="a")
    assert with_merge(video(weaker, surer, claim("c")), step, SponsorDecisions()) == video(
        moved, claim("c")
    )
    as_sure = claim("a", 0.95, "promo_code")
    assert with_merge(video(as_sure, surer), step, SponsorDecisions()) == video(as_sure)
    added = replace(claim("a", 0.1), detector_version=REVIEW)
    assert with_merge(video(added, surer), step, SponsorDecisions()) == video(added)


def test_what_was_hidden_of_the_other_before_stays_hidden() -> None:
    hidden = Correction("a", "hidden", None, 1)
    step = MergeStep("b", "a", 2)
    assert amended(video(claim("b")), [hidden], [step]) == video()
    shown = Correction("a", "added", "promo_code", 3)
    assert not SponsorDecisions.after([hidden]).admits(step)
    assert SponsorDecisions.after([shown, hidden]).admits(step)


@pytest.mark.parametrize(("hidden_at", "is_there"), [(1, True), (3, False)])
def test_what_was_added_last_goes_over_to_the_other_sponsor(
    hidden_at: int, *, is_there: bool
) -> None:
    decided = [
        Correction("a", "hidden", None, hidden_at),
        Correction("b", "added", "promo_code", 2),
    ]
    steps = [MergeStep("b", "a", 4), MergeStep("a", "c", 5)]
    after = amended(video(claim("a")), decided, steps)
    assert [item.sponsor_slug for item in after.sponsorships] == (["c"] if is_there else [])


def test_decisions_are_applied_in_their_order() -> None:
    about_b = Correction("b", "hidden", None, 1)
    steps = [MergeStep("b", "a", 2), MergeStep("a", "c", 3)]
    assert amended(video(claim("a"), claim("b", 0.9)), [about_b], steps) == video(claim("c"))
    about_a = Correction("a", "kind", "promo_code", 4)
    after = amended(video(claim("b")), [replace(about_a, number=3)], [steps[0]])
    assert after == video(claim("a", kind="promo_code"))


def test_a_sponsor_gains_what_its_parts_know() -> None:
    parts = [brand("b", "bee", domains=("b.example",)), brand("c", "A")]
    after = united(replace(brand("a", "aye"), category=None), parts)
    assert after.aliases == ("aye", "B", "bee", "C")
    assert (after.domains, after.category) == (("b.example",), "food")
    assert united(brand("a", "aye"), [replace(parts[0], category="ai")]).category == "food"
