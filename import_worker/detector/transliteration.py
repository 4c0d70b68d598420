"""Whether a name in another script sounds as the Latin label of a domain does: "Ясно" and "yasno"."""

from functools import lru_cache
from typing import Final

from anyascii import anyascii

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
_FEWEST: Final = 2
_FEWEST_OF_PART: Final = 3
_SHORTEST_WORD: Final = 5


def sounds_like(name: str, label: str, *, whole: bool = False) -> bool:
    """Return whether a name that is not written in Latin letters has a label's consonants, in order.

    One may have more of them behind, unless they have to be a `whole`. Ideographs are read in Mandarin.
    """
    sounds, written = _consonants(latin(name)), _consonants(label.lower())
    if not sounds or not written or _begins(latin(name)) != _begins(label.lower()):
        return False
    if sounds == written:
        return len(sounds) >= _FEWEST
    if whole:
        return False
    short, long = sorted((sounds, written), key=len)
    return len(short) >= _FEWEST_OF_PART and long.startswith(short) and len(short) * 2 >= len(long)


def has_sounds_of(word: str, label: str) -> bool:
    """Return whether a label has a whole word of another script, of some length, written in Latin letters."""
    written = latin(word)
    return len(written) >= _SHORTEST_WORD and written in label.lower()


@lru_cache(maxsize=4_096)
def latin(name: str) -> str:
    """Return a name in small Latin letters and digits, without blanks and signs."""
    return "".join(filter(str.isalnum, anyascii(name).lower()))


@lru_cache(maxsize=4_096)
def _consonants(written: str) -> str:
    """Return the kinds of consonants of a word, each run of one kind once."""
    for letters, sound in _SIBILANTS:
        written = written.replace(letters, sound)
    sounds = "".join(_SOUNDS.get(c, "") for c in written if c not in _VOWELS)
    return "".join(c for at, c in enumerate(sounds) if not at or sounds[at - 1] != c)


def _begins(written: str) -> str:
    """Return the kind of letter that a word begins with; vowels are one."""
    return _SOUNDS.get(written[:1], "") or "a"
