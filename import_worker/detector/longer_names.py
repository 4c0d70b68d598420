"""Companies whose name begins as a brand of the directory: "Acme Bakery" where Acme makes software."""

from typing import Final

from import_worker.detector.directory import Brand
from import_worker.detector.phrases.company_words import TRADES

_TRADE_OF: Final = {word: trade for trade, words in TRADES.items() for word in words.split()}

_ANY_TRADE: Final = frozenset({"other", "retail"})
"""Categories of brands that may sell whatever the word says."""


def is_of_another(brand: Brand, behind: str) -> bool:
    """Return whether the words behind a known name, up to the end of the longer one, make it another company's.

    A word at their end for a trade that is not the brand's does: other words are as often those of a product.
    """
    words = behind.split()
    if not words or not all(_is_title(word) for word in words):
        return False
    trade = _TRADE_OF.get(words[-1].lower())
    return trade is not None and trade != brand.category and brand.category not in _ANY_TRADE


def _is_title(word: str) -> bool:
    """Return whether a word has a capital at its beginning alone; capitals throughout are a heading's or a model's."""
    return len(word) > 1 and word.isalpha() and word == word.capitalize()
