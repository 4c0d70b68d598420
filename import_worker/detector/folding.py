"""Folding of texts for comparison, of the same length: every offset stays valid in the original."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_RANGES: Final = (
    (0x00A0, 0x0100),
    (0x2000, 0x2070),
    (0x2100, 0x2190),
    (0x2460, 0x2500),
    (0x3000, 0x3040),
    (0xD800, 0xE000),
    (0xFE00, 0xFE10),
    (0xFF01, 0xFFEF),
    (0x1D400, 0x1D800),
    (0x1F130, 0x1F14A),
)
_UNCHANGED: Final = ((0x0100, 0x0530), (0x0900, 0x0A00), (0x3040, 0x3100), (0x1F300, 0x1F700))
"""Common characters that stay as they are: one that the table lacks costs an exception."""

_QUOTES: Final = dict.fromkeys(
    map(ord, "\u2018\u2019\u201b\u02bc\u00b4\u2032"), "'"
) | dict.fromkeys(
    map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\u2033"), '"'
)
_DASHES: Final = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_BLANKS: Final = dict.fromkeys(
    map(ord, "\r\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0f\ufe0e"), " "
)
_LINES: Final = dict.fromkeys(map(ord, "\x0b\x0c\u2028\u2029\u0085"), "\n")
_NOT_ALPHANUMERIC: Final = re.compile(r"[\W_]+")
_DOTTED_CAPITAL_I = 0x130


def _table() -> dict[int, str]:
    table = {point: chr(point) for first, end in _UNCHANGED for point in range(first, end)}
    for first, end in _RANGES:
        for point in range(first, end):
            # Lone surrogates cannot cross into native code.
            folded = (
                "\ufffd"
                if unicodedata.category(chr(point)) == "Cs"
                else unicodedata.normalize("NFKC", chr(point))
            )
            if len(folded) == 1 and ord(folded) != point:
                table[point] = folded
    return table | _QUOTES | _DASHES | _BLANKS | _LINES | {_DOTTED_CAPITAL_I: "I"}


_TABLE: Final = _table()
_FOLDED: Final = {chr(point): plain for point, plain in _TABLE.items() if chr(point) != plain}
"""What changes. No character turns into another one that changes."""

_FEW: Final = 24


def fold(text: str) -> str:
    """Return the text with plain letters, quotes, dashes, blanks and line ends, of the same length."""
    changing = _FOLDED.keys() & set(text)
    if len(changing) > _FEW:
        return text.translate(_TABLE)
    for character in changing:
        text = text.replace(character, _FOLDED[character])
    return text


def lower(folded: str) -> str:
    """Return the folded text in lower case, of the same length."""
    lowered = folded.lower()
    if len(lowered) == len(folded):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in folded)


@lru_cache(maxsize=16_384)
def name_key(name: str) -> str:
    """Return a name reduced to what must agree for two spellings to be one: letters and digits, casefolded."""
    return _NOT_ALPHANUMERIC.sub("", unicodedata.normalize("NFKC", name).casefold())
