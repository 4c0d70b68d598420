"""The bundled sample: facts alone, each with the place that it was read from, links of the brands'."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

import pytest

from devstack.catalog_files import read_catalog_files
from devstack.sample.build import TARGET, stripped
from import_worker.detector import bundled_directory
from import_worker.detector.brand_names import abbreviates, resembles
from import_worker.detector.detect import LEAST_PROBABILITY
from import_worker.detector.links import find_links
from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, SponsorshipFact

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_LAST_LATIN: Final = "\u024f"


@pytest.fixture(scope="module")
def sponsors() -> dict[str, SponsorFact]:
    facts = read_catalog_files([TARGET])
    return {fact.slug: fact for fact in facts if isinstance(fact, SponsorFact)}


@pytest.fixture(scope="module")
def claims() -> list[SponsorshipFact]:
    return list(_claims())


def _claims() -> Iterator[SponsorshipFact]:
    for fact in read_catalog_files([TARGET]):
        if isinstance(fact, VideoRecord):
            assert fact.title is None
            yield from fact.sponsorships


def test_every_sponsorship_names_its_place_and_not_its_words(claims: list[SponsorshipFact]) -> None:
    assert len(claims) > 900
    for claim in claims:
        assert claim.excerpt is None
        assert claim.excerpt_source in {"title", "description"}
        assert claim.excerpt_start is not None
        assert claim.excerpt_end is not None
        assert claim.excerpt_start < claim.excerpt_end
        assert _HASH.fullmatch(claim.excerpt_hash or "")


def test_every_link_is_its_brands_own(
    sponsors: dict[str, SponsorFact], claims: list[SponsorshipFact]
) -> None:
    wrong = [
        (claim.sponsor_slug, claim.link)
        for claim in claims
        if claim.link and not _is_own(sponsors[claim.sponsor_slug], claim.link)
    ]
    assert wrong == []
    assert sum(claim.link is not None for claim in claims) > 650


def _is_own(sponsor: SponsorFact, url: str) -> bool:
    """Return whether a link leads to the brand, or hides its target."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    if any(host == domain or host.endswith(f".{domain}") for domain in sponsor.domains):
        return True
    (link, *_) = find_links(url)
    owner = bundled_directory().of_domain(link.domain)
    if link.kind in {"platform", "store"} or (owner and owner.slug != sponsor.slug):
        return False
    if link.kind in {"shortener", "hidden"}:
        return True
    label = link.subdomain if link.kind == "network" else link.label
    names = (sponsor.name, *sponsor.aliases)
    return any(resembles(name, label) or abbreviates(label, name) for name in names)


def test_every_code_is_one_word_of_one_alphabet(claims: list[SponsorshipFact]) -> None:
    for code in {claim.code for claim in claims if claim.code}:
        assert not re.search(r"\s", code)
        foreign = {letter > _LAST_LATIN for letter in code if letter.isalpha()}
        assert len(foreign) <= 1, code


def test_a_link_keeps_the_query_that_it_means_nothing_without() -> None:
    video = next(fact for fact in read_catalog_files([TARGET]) if isinstance(fact, VideoRecord))
    links = ("https://awin1.com/cread.php?id=1", "acme.com/deal?utm_source=x")
    claims = tuple(
        SponsorshipFact(
            sponsor_slug="acme",
            kind="affiliate",
            link=link,
            confidence=0.9,
            detector_version="1",
            reason="r",
        )
        for link in links
    )
    made = stripped(replace(video, sponsorships=claims)).sponsorships
    assert [claim.link for claim in made] == [links[0], "https://acme.com/deal"]


def test_the_sample_has_what_an_import_would_find() -> None:
    video = next(fact for fact in read_catalog_files([TARGET]) if isinstance(fact, VideoRecord))
    least = SponsorshipFact(
        sponsor_slug="acme",
        kind="affiliate",
        confidence=LEAST_PROBABILITY,
        detector_version="1",
        reason="r",
    )
    assert len(stripped(replace(video, sponsorships=(least,))).sponsorships) == 1
