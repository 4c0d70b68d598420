"""What a description says of its video: without links, codes and the paragraphs about sponsors.

The catalogue indexes its words and stores no text. What is sponsored is no topic of the video, and is found by its brand.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shapes.catalog.ingest import SponsorshipFact

_MAX_CHARACTERS: Final = 5_000
_MAX_PARAGRAPH: Final = 600
"""Of a longer one, lines about a sponsor are left out alone: some descriptions have no blank line."""

_CODE_LENGTHS: Final = range(4, 31)
_SUFFIX_LENGTHS: Final = range(2, 25)
_AROUND: Final = ".,:;!?\"'()[]<>*“”„"


def spoken_text(description: str, sponsorships: Sequence[SponsorshipFact]) -> str:
    """Return the description without paragraphs that show a sponsorship, links, addresses and codes."""
    text = description[:_MAX_CHARACTERS]
    shown = _evidence_spans(sponsorships)
    codes = {item.code.lower() for item in sponsorships if item.code}
    return " ".join(
        word
        for start, end in _parts(text)
        if not any(first < end and last > start for first, last in shown)
        for word in text[start:end].split()
        if not _is_left_out(word.strip(_AROUND), codes)
    )


def _evidence_spans(sponsorships: Sequence[SponsorshipFact]) -> list[tuple[int, int]]:
    """Return where the description shows them."""
    return [
        (item.excerpt_start, item.excerpt_end)
        for item in sponsorships
        if item.excerpt_source == "description"
        and item.excerpt_start is not None
        and item.excerpt_end is not None
    ]


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the paragraphs of a text, of long ones those of their lines."""
    lines: list[tuple[int, int]] = []
    start = 0
    for line in [*text.splitlines(keepends=True), ""]:
        end = start + len(line)
        if line.strip():
            lines.append((start, end))
        elif lines:
            bounds = (lines[0][0], lines[-1][1])
            yield from [bounds] if bounds[1] - bounds[0] <= _MAX_PARAGRAPH else lines
            lines = []
        start = end


def _is_left_out(word: str, codes: set[str]) -> bool:
    return word.lower() in codes or _is_address(word) or _is_code(word)


def _is_address(word: str) -> bool:
    if "://" in word or "@" in word or word.lower().startswith("www."):
        return True
    _, dot, suffix = word.partition("/")[0].rpartition(".")
    return bool(dot) and suffix.isalpha() and suffix.islower() and len(suffix) in _SUFFIX_LENGTHS


def _is_code(word: str) -> bool:
    """Return whether a word is capitals and digits mixed, as promo codes are."""
    is_plain = word.isascii() and word.isalnum() and word.isupper()
    return is_plain and not word.isalpha() and len(word) in _CODE_LENGTHS
