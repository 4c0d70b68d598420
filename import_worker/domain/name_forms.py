"""Whether a name that a second reader gives a candidate may be that candidate's.

Any word of the text would pass the check that the text has it, and a description may dictate one.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

from import_worker.domain.reader_checks import name_key, stands_as_words
from import_worker.domain.second_reader import Candidate, CheckedMention

Resembles = Callable[[str, str], bool]
"""Whether a domain's label, the second argument, looks like a name, the first."""

_SHORTEST_PART: Final = 4
_SHORTEST_INITIALS: Final = 2
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""Chinese, Japanese and Korean have no blanks between words: each character is a word there."""

_ARTICLE: Final = "the"


def is_form_of(mention: CheckedMention, candidate: Candidate, resembles: Resembles) -> bool:
    """Return whether a mention has the candidate's name, or a form of it that stands in the mention's own evidence.

    Forms of a name are a longer one with its words, its first words, its initials or the words that it has the initials of, and
    what the candidate's domain resembles.
    """
    if _article_free(mention.brand) == _article_free(candidate.brand):
        return True
    evidence = unicodedata.normalize("NFKC", mention.evidence).lower()
    if not stands_as_words(mention.brand, evidence):
        return False
    label = (candidate.domain or "").partition(".")[0]
    return bool(label and resembles(mention.brand, label)) or _is_form(
        _words(mention.brand), _words(candidate.brand)
    )


def _article_free(name: str) -> str:
    """Return a name's key without an article, also one that is glued to the next word: "thefarmersdog"."""
    return name_key(name).removeprefix(_ARTICLE)


def _is_form(words: Sequence[str], proposed: Sequence[str]) -> bool:
    shorter = min(len("".join(words)), len("".join(proposed)))
    if shorter >= _SHORTEST_PART and (_has(words, proposed) or _begins(proposed, words)):
        return True
    return _abbreviates(words, proposed) or _abbreviates(proposed, words)


def _has(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether the words of a part stand among others, one behind the other."""
    starts = range(len(words) - len(part) + 1)
    return any(words[start : start + len(part)] == part for start in starts)


def _begins(words: Sequence[str], part: Sequence[str]) -> bool:
    return words[: len(part)] == part


def _abbreviates(short: Sequence[str], words: Sequence[str]) -> bool:
    initials = "".join(word[0] for word in words)
    return len(initials) >= _SHORTEST_INITIALS and "".join(short) == initials


def _words(name: str) -> Sequence[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", name).casefold())
