"""Names that say by themselves that they are a company's: "Acme Rental", "Hotel Acme", "Acme GmbH"."""

from typing import Final

from import_worker.detector.phrases.company_words import (
    COMPANY_FIRST,
    COMPANY_LAST,
    LEGAL_FORMS,
    TRADES,
    UNSPACED_COMPANY,
)

_LAST: Final = COMPANY_LAST | LEGAL_FORMS | {w for words in TRADES.values() for w in words.split()}
_FIRST: Final = COMPANY_FIRST | LEGAL_FORMS


def is_company_name(name: str) -> bool:
    """Return whether a name of several words begins or ends as companies' names do, and no person's."""
    words = [word.strip(".,()") for word in name.lower().split()]
    if any(part in name for part in UNSPACED_COMPANY):
        return True
    return len(words) > 1 and (words[0] in _FIRST or words[-1] in _LAST)
