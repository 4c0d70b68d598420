"""A guess at the language of a text by its script and commonest words: enough to group an evaluation."""

import re
from collections import Counter
from typing import Final

OTHER: Final = "other"

_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_SHARE: Final = 0.15
_WORD: Final = re.compile(r"[^\W\d_]+")
_READ: Final = 3_000
_LEAST: Final = 2
_WORDS: Final = {
    word: language
    for language, words in {
        "en": "the and of to you is this for with my on your are we it",
        "de": "und der die das ich nicht ist mit auf für ein eine euch von hier mein zu",
        "fr": "le les des et est une pour vous sur je dans avec ce la mes pas du",
        "es": "el los las y es una para con por que en mi su del este suscríbete",
        "pt": "o os as e é uma para com por não do da no na você meu em vídeo",
        "it": "il gli e di che una per con non sono mio questo della nel iscriviti",
        "hi": "hai ka ki ke ko se aur mein kya nahi bhi ye yeh dosto hain",
    }.items()
    for word in words.split()
}
"""Words that several languages share count for the one that is named last."""


def language_of(text: str) -> str:
    """Two letters for one of the detector's languages, else `OTHER`."""
    read = text[:_READ]
    letters = sum(c.isalpha() for c in read)
    for language, script in _SCRIPTS:
        if len(script.findall(read)) > letters * _SHARE:
            return language
    words = Counter(
        _WORDS[word]
        for word in _WORD.findall(re.sub(r"(?<!\S)\S+[./]\S+", " ", read.lower()))
        if word in _WORDS
    )
    best = words.most_common(1)
    return best[0][0] if best and best[0][1] >= _LEAST else OTHER
