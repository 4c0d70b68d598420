"""Promo codes without a word for "code": the channel's name in capitals or with a number, and passwords to be said."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import Final

from ahocorasick_rs import AhoCorasick

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.context import ChannelContext, names_with_and
from import_worker.detector.document import Document, Segment
from import_worker.detector.folding import name_key
from import_worker.detector.headings import headings
from import_worker.detector.literals import required_literals
from import_worker.detector.phrases import codes
from import_worker.detector.phrases.code_entries import ENTRY_LABEL
from import_worker.detector.phrases.entry_words import BULLETS
from import_worker.detector.phrases.spoken_codes import (
    CODE_SIGN_BEFORE,
    CODE_SIGN_BEHIND,
    CODE_VERB,
    GIVEN_BEHIND,
    MENTIONS,
    NAMED_CODE_BEHIND,
    PRICED_BEFORE,
    PRICED_BEHIND,
    QUOTED_LABEL,
    SITE_BEHIND,
)
from import_worker.detector.said_words import is_rewarded, said_words

_CODE: Final = re.compile(
    r"[A-Z](?<![\w.@#/&+\-].)[A-Z0-9]+(?:[-_][A-Za-z0-9]+)?[A-Z0-9]*(?![\w@/]|\.\w)"
)
_WITH_DISCOUNT: Final = re.compile(r".*[A-Z]\d\d{1,2}")
"""A code that ends in what it takes off; longer numbers are those of products."""
_SHORTEST: Final = 4
_LONGEST: Final = 20
_BEFORE: Final = 24
_BEHIND: Final = 14
_NEAR: Final = 90
_AROUND: Final = 160
_MAX_HITS: Final = 300
_MAX_MENTIONS: Final = 12
_REACH: Final = 70
_SHORTEST_OWN: Final = 4
_HEADED: Final = 300
_CODE_WORDS: Final = (
    "code", "cupom", "cupon", "cupón", "código", "codigo", "codice", "coupon", "discount", "descont", "descuent", "rabatt", "sconti",
    "промокод", "kody", "kod ", "kode",
)  # fmt: skip
_ENTRY_NAME: Final = re.compile(
    r"\W{0,6}[A-ZÀ-ÞА-Я0-9][^\n:|]{1,40}?(?:\s?[:|=→>]|\s[-–—])\s{0,3}[\"']?"
)
_ENTRY_END: Final = re.compile(r"[\s\"'()|:→>–—-]{0,8}(?:https?:|www\.|[\w-]{2,40}\.\w\w|$)")
_OWN_WORD: Final = r"(?<![\w.@#/])(?:[a-z0-9]+-)?{}-?\d{{1,3}}(?![\w@/]|\.\w)"


def unannounced_codes(document: Document, context: ChannelContext) -> Iterator[Code]:
    """Yield the codes that only their shape, the words around them and the channel's name give away, in order."""
    yield from _in_capitals(document, context)
    yield from _with_own_name(document, context)
    yield from _mentioned(document)
    yield from said_words(document, context)


def _in_capitals(document: Document, context: ChannelContext) -> Iterator[Code]:
    """Yield words in capitals that are codes, and those behind a sign that are one elsewhere in the text."""
    others: list[re.Match[str]] = []
    known: set[str] = set()
    for match in islice(_CODE.finditer(document.folded), _MAX_HITS):
        text = match.group()
        if not _SHORTEST <= len(text) <= _LONGEST:
            continue
        if _is_code(document, context, *match.span()):
            known.add(text)
            yield _unannounced(document, match)
        elif _is_of_channel(text, context):
            others.append(match)
    for match in others:
        if match.group() in known and _is_listed_again(document, match.start(), match.end()):
            yield _unannounced(document, match)


def _unannounced(document: Document, match: re.Match[str]) -> Code:
    index = document.segment_index(match.start())
    return Code(match.group(), match.start(), match.end(), index, announced=False)


def _is_listed_again(document: Document, start: int, end: int) -> bool:
    """Return whether a code stands behind a name and a sign, as it does elsewhere with what it gives."""
    segment = document.segments[document.segment_index(start)]
    first = document.folded.rfind("\n", 0, start) + 1
    return (
        not _is_no_code(document, segment, start, end)
        and ENTRY_LABEL.fullmatch(document.lowered[first:start].lstrip(BULLETS)) is not None
    )


def _with_own_name(document: Document, context: ChannelContext) -> Iterator[Code]:
    """Yield the words in small letters that hold the channel's name and end in a number: "sam10"."""
    lowered = document.lowered
    for own in context.own_keys:
        if len(own) < _SHORTEST_OWN or not _has_number_behind(lowered, own):
            continue
        for match in islice(_own_word(own).finditer(lowered), _MAX_MENTIONS):
            index = document.segment_index(match.start())
            if document.folded[match.start()].isupper() or document.is_in_link(match.start()):
                continue
            if is_rewarded(document, document.segments[index], match.start(), match.end()):
                text = document.folded[match.start() : match.end()]
                yield Code(text, match.start(), match.end(), index, announced=False)


def _has_number_behind(lowered: str, own: str) -> bool:
    at = lowered.find(own)
    while at >= 0:
        end = at + len(own)
        if lowered[end : end + 2].lstrip("-")[:1].isdigit():
            return True
        at = lowered.find(own, end)
    return False


@lru_cache(maxsize=256)
def _own_word(own: str) -> re.Pattern[str]:
    """Return the pattern of a word in small letters that is a channel's name with a number."""
    return re.compile(_OWN_WORD.format(re.escape(own)))


def _mentioned(document: Document) -> Iterator[Code]:
    """Yield the words to be said for a discount, empty where they are not given."""
    automaton, groups = _mentions()
    seen: set[int] = set()
    for literal, at, _ in automaton.find_matches_as_indexes(document.lowered)[:_MAX_MENTIONS]:
        index = document.segment_index(at)
        segment = document.segments[index]
        stretch = (max(segment.start, at - _REACH), min(segment.end, at + _REACH))
        for pattern in groups[literal]:
            match = pattern.search(document.lowered, *stretch)
            if match is None or match.start() in seen:
                continue
            seen.add(match.start())
            if is_rewarded(document, segment, match.start(), match.end()):
                word = document.folded[slice(*match.span("word"))] if match.re.groups else ""
                yield Code(
                    word.strip(), match.start(), match.end(), index, announced=False, said=True
                )


@cache
def _mentions() -> tuple[AhoCorasick, tuple[tuple[re.Pattern[str], ...], ...]]:
    """Return an automaton of the literals of the phrases, and the phrases of each."""
    groups: defaultdict[str, list[re.Pattern[str]]] = defaultdict(list)
    for pattern in map(re.compile, MENTIONS):
        for literal in required_literals(pattern):
            groups[literal].append(pattern)
    return AhoCorasick(list(groups)), tuple(tuple(patterns) for patterns in groups.values())


def _is_code(document: Document, context: ChannelContext, start: int, end: int) -> bool:
    segment = document.segments[document.segment_index(start)]
    if _is_no_code(document, segment, start, end):
        return False
    if _is_called_code(document, end) or _is_quoted_for_discount(document, start, end):
        return True
    if _is_of_channel(document.folded[start:end], context):
        return _is_own_code(document, segment, start, end)
    if not document.folded[end - 1].isdigit():
        return False
    is_used = CODE_VERB.search(_words_before(document, segment, start)) is not None
    return (is_used and _is_offered(document, segment, start, end)) or _stands_as_code(
        document, segment, start, end, is_used=is_used
    )


def _is_own_code(document: Document, segment: Segment, start: int, end: int) -> bool:
    """Return whether a word with the channel's name is a code: by a number and a benefit, or as words announce it."""
    has_number = document.folded[end - 1].isdigit()
    is_offered = _is_offered(document, segment, start, end)
    if has_number and is_offered:
        return True
    before = _words_before(document, segment, start)
    behind = document.lowered[end : min(segment.end, end + _BEHIND)]
    is_announced = CODE_VERB.search(before) is not None or _has_code_sign(before, behind)
    return is_announced and (
        has_number
        or is_offered
        or GIVEN_BEHIND.match(document.lowered, end, segment.end) is not None
        or _follows_code_word(document.lowered, start)
    )


def _words_before(document: Document, segment: Segment, start: int) -> str:
    return document.lowered[max(segment.start, start - _BEFORE) : start]


def _is_offered(document: Document, segment: Segment, start: int, end: int) -> bool:
    """Return whether a benefit stands near a word in its segment."""
    first, last = max(segment.start, start - _NEAR), min(segment.end, end + _NEAR)
    return has_benefit(document.lowered, first, last)


def _is_called_code(document: Document, end: int) -> bool:
    """Return whether the words right behind call it a code."""
    return NAMED_CODE_BEHIND.match(document.lowered, end, end + _REACH) is not None


def _is_quoted_for_discount(document: Document, start: int, end: int) -> bool:
    """Return whether a word in quotes stands between a name with a colon and the discount that it gives."""
    before = document.lowered[max(start - _NEAR, 0) : start]
    return (
        QUOTED_LABEL.search(before) is not None
        and document.folded[end : end + 1] in {"'", '"'}
        and PRICED_BEHIND.match(document.lowered, end, end + _NEAR) is not None
    )


def _stands_as_code(
    document: Document, segment: Segment, start: int, end: int, *, is_used: bool
) -> bool:
    """Return whether a word that ends in what it takes off stands where codes do."""
    if _WITH_DISCOUNT.fullmatch(document.folded, start, end) is None:
        return False
    return (
        _is_priced(document, segment, start, end)
        or _is_entry_of_codes(document, start, end)
        or (is_used and _is_at_site(document, end))
    )


def _is_priced(document: Document, segment: Segment, start: int, end: int) -> bool:
    """Return whether what a word gives stands right behind it, or before it at the end of a line."""
    before = document.lowered[max(segment.start, start - _NEAR) : start]
    ends_line = not document.lowered[end : segment.end].strip()
    return bool(
        PRICED_BEHIND.match(document.lowered, end, segment.end)
        or (ends_line and PRICED_BEFORE.search(before))
    )


def _is_entry_of_codes(document: Document, start: int, end: int) -> bool:
    """Return whether a word stands behind a name on its line, under a heading for codes, and ends the line but for a link."""
    first, last = document.folded.rfind("\n", 0, start) + 1, document.folded.find("\n", end)
    last = last if last >= 0 else len(document.folded)
    if not (
        _ENTRY_NAME.fullmatch(document.folded, first, start)
        and _ENTRY_END.match(document.lowered, end, last)
    ):
        return False
    above = [heading for heading in headings(document.lowered) if heading[1] <= start]
    if not above:
        return False
    words = document.lowered[slice(*above[-1][:2])]
    return any(word in words for word in _CODE_WORDS)


def _is_at_site(document: Document, end: int) -> bool:
    """Return whether a link to a site follows that a word is used at."""
    return any(
        link.kind == "site" and SITE_BEHIND.fullmatch(document.lowered[end : link.start])
        for link in document.links_in(end, end + _BEHIND)
    )


def _has_code_sign(before: str, behind: str) -> bool:
    return bool(CODE_SIGN_BEFORE.search(before) or CODE_SIGN_BEHIND.match(behind))


def _is_no_code(document: Document, segment: Segment, start: int, end: int) -> bool:
    return (
        document.folded[start:end].lower() in codes.NO_CODES
        or document.is_in_link(start)
        or _is_platforms(document, segment, start, end)
    )


def _follows_code_word(lowered: str, start: int) -> bool:
    """Return whether a word for codes stands in a heading or item before."""
    return any(word in lowered[max(start - _HEADED, 0) : start] for word in _CODE_WORDS)


def _is_of_channel(text: str, context: ChannelContext) -> bool:
    """Return whether a code is made of the channel's name or a good part of it, with a number or a brand's name at the most."""
    key = name_key(text)
    letters = key.rstrip("0123456789")
    if key != letters and key in name_key(context.name):
        return False
    if letters in names_with_and(context.name):
        return True
    if len(letters) >= _SHORTEST_OWN and context.has_initials_in(letters):
        return True
    shortest = _SHORTEST_OWN if len(letters) == len(text) else _SHORTEST_OWN - 1
    return len(letters) >= shortest and context.is_named_in(letters)


def _is_platforms(document: Document, segment: Segment, start: int, end: int) -> bool:
    near = slice(max(segment.start, start - _AROUND), min(segment.end, end + _AROUND))
    return codes.PLATFORM_CODES.search(document.lowered[near]) is not None
