"""Which sponsorship a chapter or a segment belongs to."""

from dataclasses import dataclass

import pytest

from import_worker.domain.chapters import chapters
from import_worker.domain.claimed_segments import segments_by_slug
from import_worker.domain.records import ExcerptSource, Kind
from import_worker.domain.segments import Segment
from import_worker.domain.signals import VideoSignals
from import_worker.domain.sponsor_chapters import sponsor_chapters


@dataclass(frozen=True)
class FakeClaim:
    slug: str
    brand: str
    domain: str | None = None
    kind: Kind = "paid_sponsorship"
    source: ExcerptSource = "description"
    start: int = 9_000
    end: int = 9_010


BOLTWORKS = FakeClaim("boltworks", "Boltworks")
QUILL = FakeClaim("quillbarrow", "The Quillbarrow Company", "quillbarrow.example")
CODE = FakeClaim("dexter", "Dexter", kind="promo_code")
OTHER_CODE = FakeClaim("azura", "Azura", kind="promo_code")
BLOCKED = (Segment(30, 40, "sponsorblock"), Segment(100, 160, "sponsorblock"))


def starts(claims: list[FakeClaim], description: str, *segments: Segment) -> dict[str, int]:
    listed = sponsor_chapters(chapters(description))
    signals = VideoSignals(sponsor_chapters=listed, segments=segments)
    return {slug: found.start for slug, found in segments_by_slug(claims, signals).items()}


@pytest.mark.parametrize(
    ("claims", "description", "expected"),
    [
        ([BOLTWORKS, QUILL], "1:00 Sponsor: Boltworks", {"boltworks": 60}),
        ([BOLTWORKS, QUILL], "1:00 Sponsor: Quillbarrow", {"quillbarrow": 60}),
        ([BOLTWORKS, QUILL], "1:00 Sponsor", {}),
        ([BOLTWORKS, CODE], "1:00 Sponsor", {"boltworks": 60}),
        ([CODE], "1:00 Sponsor", {"dexter": 60}),
        ([CODE, OTHER_CODE], "1:00 Sponsor", {}),
        ([BOLTWORKS], "1:00 Sponsor: Somebody", {}),
        ([BOLTWORKS], "1:00 Boltworks", {}),
        ([FakeClaim("x", "X", start=0, end=5)], "1:00 Sponsor: Somebody\nX", {"x": 60}),
        ([FakeClaim("x", "X", source="title", start=0, end=5)], "1:00 Ad: Somebody\nX", {}),
        ([FakeClaim("x", "X", kind="affiliate")], "1:00 Sponsor", {}),
    ],
)
def test_a_chapter_is_of_the_brand_that_it_names_or_of_the_only_paid_one(
    claims: list[FakeClaim], description: str, expected: dict[str, int]
) -> None:
    assert starts(claims, description) == expected


def test_segments_of_viewers_are_of_the_only_paid_claim_where_no_chapter_says_more() -> None:
    assert starts([BOLTWORKS, CODE], "", *BLOCKED) == {"boltworks": 100}
    assert starts([BOLTWORKS, QUILL], "", *BLOCKED) == {}
    assert starts([BOLTWORKS], "1:00 Sponsor", *BLOCKED) == {"boltworks": 60}
    assert starts([BOLTWORKS], "1:00 Sponsor: Somebody", *BLOCKED) == {}
    assert segments_by_slug([BOLTWORKS], VideoSignals(segments=None)) == {}
