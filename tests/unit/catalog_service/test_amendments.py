"""Decisions laid over facts."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.amendments import (
    REVIEW,
    Correction,
    Merges,
    corrected,
    part,
    redirected,
    united,
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
def test_correcting_twice_is_correcting_once_and_order_is_kept(
    fact: VideoFact, decided: list[Correction]
) -> None:
    once = corrected(fact, decided)
    assert corrected(once, decided[::-1]) == once
    slugs = [sponsorship.sponsor_slug for sponsorship in once.sponsorships]
    assert slugs == sorted(set(slugs))


def test_an_added_sponsorship_keeps_the_evidence_that_there_is() -> None:
    after = corrected(video(claim("a")), [Correction("a", "added", "promo_code")])
    (one,) = after.sponsorships
    assert (one.kind, one.confidence, one.detector_version) == ("promo_code", 1, REVIEW)
    assert (one.code, one.excerpt) == ("CODE", "words")


def test_a_kind_is_corrected_only_where_there_is_a_sponsorship() -> None:
    decided = [Correction("a", "kind", "promo_code")]
    assert corrected(video(), decided) == video()
    assert corrected(video(claim("a")), decided) == video(claim("a", kind="promo_code"))


def test_a_merged_slug_is_the_sponsor_that_it_became() -> None:
    merges = Merges({"b": "a", "c": "a"})
    assert redirected(video(claim("b")), merges) == video(claim("a"))
    own, surer = claim("a", 0.2), claim("c", 0.9)
    assert redirected(video(own, claim("b", 0.95), surer), merges) == video(own)
    both = redirected(video(claim("b", 0.5), surer), merges)
    assert both == video(replace(surer, sponsor_slug="a"))


def test_a_sponsor_gains_names_and_domains_of_its_parts_once() -> None:
    parts = [part(brand("b", "bee", domains=("b.example",))), part(brand("c", "A"))]
    after = united(brand("a", "aye"), parts)
    assert after.aliases == ("aye", "B", "bee", "C")
    assert (after.domains, after.category) == (("b.example",), "food")
    assert united(after, parts) == after
    assert part(after, parts) == replace(
        brand("a", "aye"), category=None, country=None, website=None
    )
