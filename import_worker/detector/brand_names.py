"""Names of brands as they stand in a text or in a domain."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from import_worker.detector.folding import name_key
from import_worker.detector.hosts import CAMPAIGN_PREFIXES
from import_worker.detector.phrases.entry_words import PROSE_END
from import_worker.detector.phrases.name_words import (
    ABBREVIATED,
    ALONE_GENERIC,
    BEHIND_DE,
    CALENDAR,
    CASE_ENDING,
    CJK_AFFIX,
    CJK_STOP,
    ENDING,
    GENERIC,
    INSIDE,
    LEADING,
    NO_NAME_KOREAN,
    TOKEN,
)

_MAX_TOKENS: Final = 5
_MAX_CHARACTERS: Final = 40
_MAX_WORDS: Final = 60
_CJK: Final = re.compile(r"[\u3040-\u30fa\u30fd-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_BEHIND_LABEL: Final = re.compile(
    r"[\u3041-\u3096]{2,8}[\u3040-\u30ff\u3400-\u9fff]{0,6}(?=\s*(?:\n|$|[()【「@]))"
)
"""A name that begins in hiragana, whose letters may be particles elsewhere: behind a label it is all that stands there."""
_LABEL_SIGNS: Final = frozenset(":|/")
_RUN_ON: Final = re.compile(r"(?<=[a-zà-ÿ]{2})(?=[A-ZÀ-Ý][a-zà-ÿ])")
_QUOTED: Final = re.compile(r"\"([^\"\n]{2,40})\"")
_SHORTEST: Final = 2
_LIST: Final = 80
_RESEMBLING: Final = 4
_LONGEST_ARTICLE: Final = 5
_ABBREVIATION: Final = 6
_POSSESSIVE: Final = "'s"
_FIGURE: Final = re.compile(r"\d{1,2}$")
_FIGURE_GOES_ON: Final = re.compile(r":\d\d(?!\d)|%")
"""The rest of a time of the video or of a share of the price, whose first digits may be glued to a name."""

_CAPITAL_INSIDE: Final = frozenset({"For", "Of", "The", "To", "In", "On"})


def skip_leading(folded: str, start: int, end: int) -> int:
    """Return the offset at which a name may begin, after articles, "our friends at", quotes and other signs."""
    match = LEADING.match(folded, start, end)
    return match.end() if match else start


def skip_blanks(folded: str, start: int, end: int) -> int:
    """Return the offset of the first character from `start` on that is no blank."""
    while start < end and folded[start] == " ":
        start += 1
    return start


def read_name(folded: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the capitalised name, or the run in a script without capitals, that begins at `start`."""
    if start < end and _CJK.match(folded[start]):
        return _read_unspaced(folded, start, end)
    last = min(_end_of_words(folded, start, end), start + _MAX_CHARACTERS)
    return (start, last) if last - start >= _SHORTEST else None


def _end_of_words(folded: str, start: int, end: int) -> int:
    """Return the end of the last capitalised word of the name that begins at `start`."""
    last = at = start
    for count in range(_MAX_TOKENS):
        token = TOKEN.match(folded, at, end)
        if token is None or not _continues(folded, token, end, is_first=not count):
            break
        if begins_figure(folded, token.end(), end):
            return _without_figure(token) or last
        at = token.end()
        if _is_capitalised(token.group()) and ABBREVIATED.match(folded, token.start(), end):
            at += 1
        if _is_possessive(folded, token, end):
            return at - len(_POSSESSIVE)
        if _is_capitalised(token.group()):
            last = at
        if folded[at : at + 1] not in {" ", "&"}:
            break
        at += 3 if folded[at : at + 3] in {" & ", " + "} else 1
    return last


def begins_figure(folded: str, at: int, end: int) -> bool:
    """Return whether the digits before a place are the first ones of a time of the video or of a share of the price."""
    return folded[at - 1 : at].isdigit() and _FIGURE_GOES_ON.match(folded, at, end) is not None


def _without_figure(token: re.Match[str]) -> int | None:
    """Return where the word ends that a figure is glued to; None for a figure alone."""
    word = _FIGURE.sub("", token.group())
    return token.start() + len(word) if any(letter.isalpha() for letter in word) else None


def _continues(folded: str, token: re.Match[str], end: int, *, is_first: bool) -> bool:
    """The word begins the name, or goes on with it."""
    word = token.group()
    if word.lower() in ENDING and (is_first or not _stands_inside(folded, token, end)):
        return False
    if _is_capitalised(word) or (word.lower() in INSIDE and not is_first):
        return True
    return word in BEHIND_DE and folded.endswith(" de ", 0, token.start())


def end_before_and(folded: str, start: int, end: int) -> int:
    """Return where a name ends whose "&" joins the last two of a list, as in "Acme, Northtown & Lakeside": before that sign.

    Behind a word for "and", or where an earlier name has such a sign too, it is the name's own.
    """
    sign = folded.rfind(" & ", start, end)
    before = folded[max(start - _LIST, 0) : start]
    is_own = (
        before.rstrip().lower().endswith((" and", " und", " et", " y", " e")) or " & " in before
    )
    return sign if sign > start and not is_own else end


def run_on(folded: str, start: int, end: int) -> int | None:
    """Return where the next name begins that runs on from one where line breaks were lost: "AcmeNorthtown"."""
    match = _RUN_ON.search(folded, start, end)
    return match.start() if match else None


def is_generic(name: str) -> bool:
    """Return whether a name says no more than "you" or "our patrons"."""
    words = name.lower().split()
    return (
        not words
        or NO_NAME_KOREAN.search(name) is not None
        or all(word in GENERIC for word in words)
        or _is_date(words)
        or (len(words) == 1 and words[0] in ALONE_GENERIC)
        or words[0] in GENERIC
    )


def _is_date(words: list[str]) -> bool:
    """Return whether words are a day or month, alone or before a number or another of them."""
    if words[0] not in CALENDAR:
        return False
    following = "".join(words[1:2])
    return not following or following[0].isdigit() or following in CALENDAR or following in GENERIC


def label_name(label: str) -> str:
    """Return a name for people out of a domain's label, which is kept as it was written in mixed case."""
    if label != label.lower() and label != label.upper():
        return label
    return " ".join(part.capitalize() for part in label.lower().split("-") if part)


def spelled(label: str, text: str) -> str | None:
    """Return the words of a text that a domain's label is made of, as the text writes them."""
    keys = {name_key(label), bare_label(label)} - {""}
    words = list(TOKEN.finditer(text))[:_MAX_WORDS]
    for first in range(len(words)):
        key = ""
        for word in words[first : first + _MAX_TOKENS]:
            key += name_key(word.group())
            if key in keys and not text[words[first].start()].islower():
                return text[words[first].start() : word.end()]
    return None


def spelled_by_handle(handle: str, text: str) -> str | None:
    """Return the words of a text, outside of handles, that a handle is made of; accents do not matter."""
    key = _plain_key(handle)
    words = [
        word
        for word in TOKEN.finditer(text)
        if text[word.start() - 1 : word.start()] not in {"@", "#"}
    ]
    for first, word in enumerate(words[:_MAX_WORDS]):
        joined = ""
        for last in words[first : first + _MAX_TOKENS]:
            joined += _plain_key(last.group())
            if joined == key:
                return text[word.start() : last.end()]
    return None


def _plain_key(name: str) -> str:
    decomposed = unicodedata.normalize("NFD", name_key(name))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=16_384)
def bare_label(label: str) -> str:
    """Return the label without the word that a campaign's domain begins with: "tryacme" is "acme"."""
    lowered = label.lower().replace("-", "")
    for prefix in CAMPAIGN_PREFIXES:
        if lowered.startswith(prefix) and len(lowered) - len(prefix) > _SHORTEST:
            return lowered[len(prefix) :]
    return lowered


def abbreviates(label: str, name: str) -> bool:
    """Return whether a short domain's letters stand in a brand's name in that order: "lga" in "Elgato"."""
    short, letters = name_key(label), iter(name_key(name))
    return _SHORTEST < len(short) <= _ABBREVIATION and all(letter in letters for letter in short)


def resembles(name: str, label: str) -> bool:
    """Return whether a domain's label looks like the name of the brand."""
    key, whole = name_key(name), name_key(label)
    bare = bare_label(label)
    if not key or not whole:
        return False
    return any(
        key == part
        or (len(part) >= _RESEMBLING and key.startswith(part))
        or (len(key) >= _RESEMBLING and part.startswith(key))
        or (len(part) >= _RESEMBLING + 2 and part in key)
        or (_common_start(key, part) >= max(_RESEMBLING, len(part) // 2 + 1))
        for part in (whole, bare)
    )


def _stands_inside(folded: str, token: re.Match[str], end: int) -> bool:
    """Return whether a word like "For" is written as part of a name: "Heads For Tails"."""
    following = TOKEN.match(folded, token.end() + 1, end)
    return (
        token.group() in _CAPITAL_INSIDE
        and following is not None
        and _is_capitalised(following.group())
        and following.group().lower() not in ENDING
        and not following.group()[0].isdigit()
    )


def _is_possessive(folded: str, token: re.Match[str], end: int) -> bool:
    """Return whether a word says whose the next one is, as in "Acme's new app": a name that ends so has no such word behind it."""
    if not token.group().endswith(_POSSESSIVE) or not _is_capitalised(token.group()):
        return False
    following = TOKEN.match(folded, token.end() + 1, end)
    return (
        folded[token.end() : token.end() + 1] == " "
        and following is not None
        and following.group().islower()
        and following.group().isalpha()
        and following.group() not in ENDING
        and not folded.startswith("://", following.end())
    )


def _common_start(first: str, other: str) -> int:
    count = 0
    for a, b in zip(first, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit() or any(c.isupper() for c in word[1:])


def _read_unspaced(folded: str, start: int, end: int) -> tuple[int, int] | None:
    if labelled := _BEHIND_LABEL.match(folded, start, end):
        is_label = folded[:start].rstrip(" ")[-1:] in _LABEL_SIGNS
        if is_label and not PROSE_END.search(labelled.group()):
            return labelled.span()
    stop = CJK_STOP.search(folded, start, min(end, start + _MAX_CHARACTERS))
    last = stop.start() if stop else min(end, start + _MAX_CHARACTERS)
    return (start, last) if last - start >= _SHORTEST else None


def article_free(name: str) -> str:
    """Return a name's key without a leading "the", also one that is glued to the next word ("thefarmersdog")."""
    key = name_key(name)
    return key[3:] if key.startswith("the") and len(key) > _LONGEST_ARTICLE else key


@lru_cache(maxsize=16_384)
def trim_company(name: str) -> str:
    """Return a name without the forms of address, of company and of grammar around it, in languages that glue them."""
    bare = CASE_ENDING.sub("", name.strip())
    return CJK_AFFIX.sub("", CJK_AFFIX.sub("", bare)).strip()
