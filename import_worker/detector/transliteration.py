"""Whether a name in another script sounds as the Latin label of a domain does: "Ясно" and "yasno"."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

_CYRILLIC: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґђћљњџјѓќѕ",
        "a b v g d e e zh z i i k l m n o p r s t u f h ts ch sh sch - y - e iu ia i i e g d c l n d i g k z".split(),
        strict=True,
    )
)
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n ks o p r s s t y f ch ps o".split(),
        strict=True,
    )
)
_KANA_ROWS: Final = {
    "": "アイウエオ", "k": "カキクケコ", "s": "サシスセソ", "t": "タチツテト", "n": "ナニヌネノ", "h": "ハヒフヘホ",
    "m": "マミムメモ", "r": "ラリルレロ", "g": "ガギグゲゴ", "z": "ザジズゼゾ", "d": "ダヂヅデド", "b": "バビブベボ",
    "p": "パピプペポ",
}  # fmt: skip
_KANA_ALONE: Final = {
    "ヤ": "ya", "ユ": "yu", "ヨ": "yo", "ワ": "wa", "ヲ": "o", "ン": "n", "ヴ": "v", "ッ": "", "ー": "", "チ": "chi",
    "シ": "shi", "ツ": "tsu", "フ": "fu", "ャ": "ya", "ュ": "yu", "ョ": "yo", "ァ": "a", "ィ": "i", "ゥ": "u", "ェ": "e",
    "ォ": "o",
}  # fmt: skip
_KANA: Final = {
    kana: row + vowel
    for row, letters in _KANA_ROWS.items()
    for kana, vowel in zip(letters, "aiueo", strict=True)
} | _KANA_ALONE
_INITIALS: Final = "g kk n d tt r m b pp s ss - j jj ch k t p h".split()
_FINALS: Final = "- k k ks n nj nh t l lk lm lb ls lt lp lh m p ps t t ng t ch k t p h".split()
_FIRST_SYLLABLE: Final = 0xAC00
_LAST_SYLLABLE: Final = 0xD7A3
_TO_KATAKANA: Final = 0x60
_VOWELS: Final = frozenset("aeiouyhw-")
_SOUNDS: Final = {
    **dict.fromkeys("kcqg", "k"), **dict.fromkeys("td", "t"), **dict.fromkeys("pbfv", "p"), **dict.fromkeys("szj", "s"),
    "m": "m", "n": "n", "r": "r", "l": "r", "x": "ks",
}  # fmt: skip
_SIBILANTS: Final = (
    ("sch", "s"),
    ("tsh", "s"),
    ("tch", "s"),
    ("sh", "s"),
    ("ch", "s"),
    ("zh", "s"),
    ("ts", "s"),
    ("tz", "s"),
    ("cz", "s"),
)
_IDEOGRAPH: Final = re.compile(r"[\u3400-\u9fff]")
_FEWEST: Final = 2
_FEWEST_OF_PART: Final = 3


def sounds_like(name: str, label: str, *, whole: bool = False) -> bool:
    """Return whether a name that is not written in Latin letters has a label's consonants, in order.

    One may have more of them behind, unless they have to be a `whole`; ideographs and what follows them are not read.
    """
    sounds, written = _consonants(_latin(name)), _consonants(label.lower())
    if not sounds or not written or _begins(_latin(name)) != _begins(label.lower()):
        return False
    if sounds == written:
        return len(sounds) >= _FEWEST
    if whole:
        return False
    short, long = sorted((sounds, written), key=len)
    return len(short) >= _FEWEST_OF_PART and long.startswith(short) and len(short) * 2 >= len(long)


@lru_cache(maxsize=4_096)
def _latin(name: str) -> str:
    ideograph = _IDEOGRAPH.search(name)
    return "".join(_letters(c) for c in (name[: ideograph.start()] if ideograph else name))


def _letters(character: str) -> str:
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    point = ord(character)
    if _FIRST_SYLLABLE <= point <= _LAST_SYLLABLE:
        return _of_syllable(point - _FIRST_SYLLABLE)
    if "ぁ" <= character <= "ゖ":
        character = chr(point + _TO_KATAKANA)
    plain = unicodedata.normalize("NFD", character.lower())[0]
    for table in (_CYRILLIC, _KANA, _GREEK):
        if letters := table.get(character.lower(), table.get(plain)):
            return letters.strip("-")
    return ""


def _of_syllable(number: int) -> str:
    """Return the consonants of a Korean syllable around a vowel."""
    first, rest = divmod(number, 588)
    return f"{_INITIALS[first].strip('-')}a{_FINALS[rest % 28].strip('-')}"


@lru_cache(maxsize=4_096)
def _consonants(latin: str) -> str:
    """Return the kinds of consonants of a word, each run of one kind once."""
    for written, sound in _SIBILANTS:
        latin = latin.replace(written, sound)
    sounds = "".join(_SOUNDS.get(c, "") for c in latin if c not in _VOWELS)
    return "".join(c for at, c in enumerate(sounds) if not at or sounds[at - 1] != c)


def _begins(latin: str) -> str:
    """Return the kind of letter that a word begins with; vowels are one."""
    return _SOUNDS.get(latin[:1], "") or "a"
