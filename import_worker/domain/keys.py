"""Stable identities of imported records, the same from every source."""

import hashlib
import unicodedata
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from slugify import slugify

SLUG_LENGTH: Final = 80
"""Characters that a slug has at most."""

_DIGEST_LENGTH = 20


def youtuber_key(channel_id: str | None, name: str) -> str:
    """Return the channel id, else "name:" and the name in NFKC casefolded, blanks collapsed."""
    if channel_id:
        return channel_id
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "name:" + " ".join(folded.split())


def video_key(
    video_id: str | None, youtuber: str, published_at: datetime, title: str | None
) -> str:
    """Return the video id, else "x:" and 20 hex digits over channel key, instant and title."""
    if video_id:
        return video_id
    instant = published_at.astimezone(UTC).isoformat()
    facts = "\x00".join((youtuber, instant, title or ""))
    return (
        "x:" + hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
    )


@lru_cache(maxsize=16_384)
def slug_of(name: str) -> str:
    """Return the name in lower-case ASCII with hyphens; one without letters or digits gives its digest."""
    return slugify(name, max_length=SLUG_LENGTH) or "x-" + _digest(name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
