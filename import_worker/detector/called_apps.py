"""The name in a call to download an app or to book a service, in scripts without capitals."""

from import_worker.detector.brand_names import is_generic
from import_worker.detector.phrases.called_apps import CALLED_APP, NO_APP


def called_app(folded: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the name that a call in a stretch of a text has beside its verb; None where all is Latin."""
    if folded[start:end].isascii():
        return None
    match = CALLED_APP.search(folded, start, end)
    if match is None or match.lastgroup is None:
        return None
    name = match[match.lastgroup]
    if is_generic(name) or NO_APP.search(name):
        return None
    return match.span(match.lastgroup)
