"""Claims from chapters that are a sponsor's: "1:20 Sponsor - Acme", "1:20 Ad: Acme"."""

import re
from collections.abc import Iterator
from typing import Final

from import_worker.detector.name_parts import CASELESS
from import_worker.detector.persons import may_be_person
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.domain.chapters import Chapter, chapters
from import_worker.domain.sponsor_chapters import sponsor_chapters

_MAX_WORDS: Final = 4
_WEIGHT: Final = {True: 0.85, False: 0.72}
"""How much a chapter says, by whether the directory knows the brand."""
_NAME_LIKE: Final = re.compile(r"[^\W\d_a-zß-öø-ÿа-яё]|\d+[A-Z]")
"""What a name's word begins with: a letter that is not a small one of an alphabet with capitals."""
_SIGN: Final = re.compile(r"[:|(\[/–—]|\s-\s")
"""What parts the word for a sponsor from its name; without one, "Sponsor Problems" may be what the chapter is about."""
_OF_OTHER_USE: Final = re.compile(
    r"\b(?:pub|pr|promos?|partner|commercial|propaganda|merchan\w*|annonce|an[uú]ncios?)\b",
    re.IGNORECASE,
)
"""Words for advertising that mean other things as well: a house, a company beside another."""


def chapter_claims(reading: Reading) -> Iterator[Claim]:
    """Yield the brands that chapters of the description name as its sponsors."""
    for sponsored in sponsor_chapters(chapters(reading.document.folded)):
        found = _named(reading, sponsored.chapter, sponsored.name)
        if found and not reading.is_platform(found) and not reading.context.owns_name(found.name):
            yield Claim(
                found=found,
                kind="paid_sponsorship",
                code=None,
                link=None,
                start=sponsored.chapter.line_start,
                end=sponsored.chapter.line_end,
                weight=_WEIGHT[found.known],
                reason="stated sponsor",
            )


def _named(reading: Reading, chapter: Chapter, name: str) -> Found | None:
    """Return the brand that the rest of a chapter's title names, where it stands there in one piece."""
    start = reading.document.folded.find(name, chapter.line_start, chapter.line_end) if name else -1
    if start < 0 or len(name.split()) > _MAX_WORDS or _OF_OTHER_USE.search(chapter.title):
        return None
    found = from_name(name, start, reading.directory, reading.context)
    if found is None or found.known:
        return found
    return found if _is_name(chapter, name) and not may_be_person(reading, found) else None


def _is_name(chapter: Chapter, name: str) -> bool:
    """Return whether the rest of a title stands apart from the word for a sponsor, and is written as names are."""
    is_apart = chapter.title.startswith(name) or _SIGN.search(chapter.title) is not None
    is_caseless = CASELESS.match(name) is not None
    return is_apart and (is_caseless or all(_NAME_LIKE.match(word) for word in name.split()))
