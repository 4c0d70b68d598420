"""Companies whose name begins as a brand of the directory: "Acme Bakery" where Acme makes software."""

from typing import Final

from import_worker.detector.directory import Brand
from import_worker.detector.folding import name_key
from import_worker.detector.phrases.company_words import OWN_ADDITIONS, TRADES
from import_worker.detector.phrases.label_words import NO_NAMES, SOLD
from import_worker.detector.phrases.name_words import AMBIGUOUS, ENDING, INSIDE

_TRADE_OF: Final = {word: trade for trade, words in TRADES.items() for word in words.split()}

_NAMES_OF_THEIR_OWN: Final = frozenset({"games", "automotive"})
"""Categories of brands whose products have names of their own behind the brand's."""

_FEW: Final = 2
"""Words behind a brand's name that may be of a name; more are rather a sentence in capitals."""

_OF_BRAND: Final = OWN_ADDITIONS | ENDING | INSIDE | NO_NAMES | SOLD


def is_of_another(brand: Brand, name: str, behind: str) -> bool:
    """Return whether the words behind a known name, up to the end of the longer one, make it another company's.

    A word for a trade that is not the brand's does. Any other word does behind a name that is a word itself,
    unless it is one that brands put behind their own.
    """
    words = behind.split()
    if not words or not all(_is_title(word) for word in words):
        return False
    trade = _TRADE_OF.get(words[-1].lower())
    if trade:
        return trade != brand.category
    if name_key(name) not in AMBIGUOUS or brand.category in _NAMES_OF_THEIR_OWN:
        return False
    return len(words) <= _FEW and not any(word.lower() in _OF_BRAND for word in words)


def _is_title(word: str) -> bool:
    """Return whether a word has a capital at its beginning alone; capitals throughout are a heading's or a model's."""
    return len(word) > 1 and word.isalpha() and word == word.capitalize()
