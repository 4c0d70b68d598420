"""Any texts to the detector: it ends soon, and quotes what is there.

A case is title, description and channel name, in UTF-8, with a zero byte between them.
"""

from __future__ import annotations

from typing import Final

from import_worker.detector import LEAST_PROBABILITY, Detection, channel_context, detect
from import_worker.detector.folding import fold
from import_worker.detector.hidden_characters import without_hidden
from import_worker.domain.records import KINDS

WORDS: Final = (
    *("sponsored by ", "thanks to ", " for sponsoring", "use code ", "10% off", "#ad", "(Werbung)"),
    *("https://", "www.", "bit.ly/", "Surfshark", "NordVPN", "sponsors:\n", "提供：", "협찬: "),
    *("Спонсор ", "İ", "ﬀ", "\u202e", "\u0301", "\u200b", "@", "merch", "affiliate", "our sponsor"),
)


def check(case: bytes) -> None:
    """Detects, and holds each finding against the text that it is from."""
    title, _, rest = case.decode("utf-8", "replace").partition("\0")
    description, _, channel = rest.partition("\0")
    context = channel_context(channel, [description] * 5)
    found = detect(title, description, context)
    slugs = [item.slug for item in found]
    assert len(set(slugs)) == len(slugs)
    assert [item.confidence for item in found] == sorted(
        (o.confidence for o in found), reverse=True
    )
    for item in found:
        _holds(item, title if item.source == "title" else description)
        # The other text may have said the same brand, and its link.
        assert item.link is None or item.link in _plain(title) or item.link in _plain(description)
    assert detect(title, description, context) == found


def _plain(text: str) -> str:
    """Return the text as it is read: links stand in it without characters that nobody sees."""
    return fold(without_hidden(text)[0])


def _holds(detection: Detection, source: str) -> None:
    assert 0 <= detection.start < detection.end <= len(source)
    assert source[detection.start : detection.end] == detection.excerpt
    assert detection.excerpt == detection.excerpt.strip()
    assert LEAST_PROBABILITY <= detection.confidence <= 1
    assert detection.kind in KINDS
    assert detection.brand
    assert detection.slug
