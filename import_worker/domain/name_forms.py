"""Whether a name that a second reader gives a candidate may be that candidate's.

It is not enough that the text contains the name: any word of the text would do, and a description may dictate one.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from import_worker.domain.reader_checks import name_key
from import_worker.domain.second_reader import Candidate, CheckedMention

Resembles = Callable[[str, str], bool]
"""Whether a domain's label, the second argument, looks like a name, the first."""

_SHORTEST_PART: Final = 4
_SHORTEST_INITIALS: Final = 2
_FEWEST_FIRST_WORDS: Final = 2
_MAX_FURTHER_WORDS: Final = 2
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""Chinese, Japanese and Korean have no blanks between words: each character is a word there."""

_ARTICLE: Final = "the"
_POSSESSIVE: Final = "s"
_FUNCTION_WORDS: Final = frozenset(
    """
    a an and are as at be been but by can could did do does don for from had has have he her his how i if in is isn it its may
    me my no not of on or our she should so than that their them they this to us was we were what when where which who why will
    with would you your ask avoid buy check click come get go join know like look make need never now save say see stop take
    try use visit want watch
    est sont pas avec ist sind nicht und mit es son no con
    は が を に で と も の へ 是 的 了 在 不
    """.split()
)
"""Words of sentences: a name with one of them behind it is a statement about the brand."""


def is_form_of(mention: CheckedMention, candidate: Candidate, resembles: Resembles) -> bool:
    """Return whether a mention has the candidate's name, or a form of it that stands in the mention's own evidence.

    Forms of a name are that of the candidate's domain, its initials or the words that it has the initials of, a longer one with
    up to two further words, and its first words. Where the domain does not have the candidate's name, what it resembles is one too.
    """
    label = name_key((candidate.domain or "").partition(".")[0])
    if _is_same_name(mention.brand, candidate.brand, label):
        return True
    proposed = _words(candidate.brand)
    is_undecided = not resembles(candidate.brand, label)
    return any(
        _is_form(written, proposed, label)
        or (is_undecided and resembles(mention.brand, label) and _is_of_label(written, label))
        for written in _occurrences(mention.brand, mention.evidence)
    )


def _is_same_name(name: str, other: str, label: str) -> bool:
    """Return whether names differ in signs and articles alone; in a glued one where the domain has it: "thefarmersdog"."""
    keys = name_key(name), name_key(other)
    if keys[0] == keys[1] or _joined(_words(name)) == _joined(_words(other)):
        return True
    shorter, longer = sorted(keys, key=len)
    return longer == f"{_ARTICLE}{shorter}" and longer in label


def _is_form(written: Sequence[str], proposed: Sequence[str], label: str) -> bool:
    words = [word.casefold() for word in written]
    if _joined(words) == label or _abbreviates(words, proposed) or _abbreviates(proposed, words):
        return True
    return _extends(written, proposed) or (
        _joined(proposed) not in label and _begins(proposed, words)
    )


def _extends(written: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether the words of a part stand among others, one behind the other, and the others may be of a name."""
    if sum(_SHORTEST_PART if _is_unspaced(word) else len(word) for word in part) < _SHORTEST_PART:
        return False
    words = [word.casefold() for word in written]
    return any(
        words[start : start + len(part)] == part
        and _may_be_added([*written[:start], *written[start + len(part) :]])
        for start in range(len(words) - len(part) + 1)
    )


def _begins(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether a name begins with some words; with a single one, "Best" of "Best Buy", it says too little."""
    is_long = len(part) >= _FEWEST_FIRST_WORDS and len(_joined(part)) >= _SHORTEST_PART
    return is_long and words[: len(part)] == part


def _is_of_label(written: Sequence[str], label: str) -> bool:
    """Return whether the words that the domain does not have may be of a name."""
    return _may_be_added(
        [word for word in written if len(word) < _SHORTEST_PART or word.casefold() not in label]
    )


def _may_be_added(further: Sequence[str]) -> bool:
    """Return whether words may belong to a name, by how the text writes them: few, with capitals, and none of a sentence's own."""
    words = [word for word in further if word != _POSSESSIVE]
    count = sum(
        1 if is_unspaced else len(list(run)) for is_unspaced, run in groupby(words, _is_unspaced)
    )
    return count <= _MAX_FURTHER_WORDS and not any(
        word[0].islower() or word.casefold() in _FUNCTION_WORDS for word in words
    )


def _abbreviates(short: Sequence[str], words: Sequence[str]) -> bool:
    initials = "".join(word[0] for word in words)
    return len(initials) >= _SHORTEST_INITIALS and _joined(short) == initials


def _occurrences(name: str, evidence: str) -> Iterator[Sequence[str]]:
    """Yield the words of a name as a text writes them, wherever it has them one behind the other."""
    spelled = r"[\W_]*".join(f"({re.escape(word)})" for word in _split(name))
    pattern = rf"(?<![a-z0-9]){spelled}(?![a-z0-9])"
    for found in re.finditer(pattern, unicodedata.normalize("NFKC", evidence), re.IGNORECASE):
        yield found.groups()


def _words(name: str) -> Sequence[str]:
    return [word.casefold() for word in _split(name)]


def _split(name: str) -> Sequence[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", name))


def _joined(words: Sequence[str]) -> str:
    return "".join(words)


def _is_unspaced(word: str) -> bool:
    return _IS_UNSPACED.match(word) is not None
