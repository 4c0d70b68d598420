"""The site with which an import hands a sponsor to the catalogue."""

from datetime import UTC, datetime

import pytest

from import_worker.detector import bundled_directory, channel_context
from import_worker.domain.sources import SourceVideo
from import_worker.jobs.detections import records_of
from import_worker.jobs.proposals import propose_all

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def sites(description: str) -> dict[str, tuple[str, ...]]:
    video = SourceVideo(
        video_id="abcdefghijk",
        channel_id="UC" + "a" * 22,
        title="A day at the lake",
        description=description,
        published_at=NOW,
        category_number=None,
        duration_seconds=None,
        views=None,
        language=None,
        declares_placement=None,
    )
    context = channel_context("Lakeside Diary", [description])
    (finding,) = records_of(propose_all([(video, NOW)], context))
    return {sponsor.name: tuple(sponsor.domains or ()) for sponsor in finding.sponsors}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (
            "Sponsored by Brindlewick: https://brindlewick.com/lake",
            {"Brindlewick": ("brindlewick.com",)},
        ),
        ("Sponsored by Fender: https://fender.com/lake", {"Fender": ("fender.com",)}),
        ("Sponsored by Brindlewick: https://nordvpn.com@evil.example/lake", {"Brindlewick": ()}),
    ],
)
def test_a_sponsor_has_the_site_that_is_known_or_seen(
    description: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert sites(description) == expected


def test_a_brand_whose_site_the_directory_lacks_has_the_one_that_is_seen() -> None:
    brand = next(
        b
        for b in bundled_directory().brands
        if not b.domains and b.name.isalpha() and b.name.isascii() and len(b.name) > 7
    )
    site = f"{brand.name.lower()}.com"
    assert sites(f"Sponsored by {brand.name}: https://{site}/lake")[brand.name] == (site,)
