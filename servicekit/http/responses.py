"""Responses of other servers, read within bounds."""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_RETRY_AFTER_SECONDS: Final = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a response, or its beginning: `is_whole` tells which."""

    content: bytes
    is_whole: bool


async def read_limited(chunks: AsyncIterable[bytes], max_bytes: int) -> Body:
    """Return a body, cut after `max_bytes`; the rest is not read.

    Args:
        chunks: As the server sends them, or unpacked: one packed chunk may become far larger than the limit.
        max_bytes: The largest body that is whole.
    """
    content = bytearray()
    async for chunk in chunks:
        content += chunk
        if len(content) > max_bytes:
            return Body(bytes(content[:max_bytes]), is_whole=False)
    return Body(bytes(content), is_whole=True)


def retry_after_seconds(stated: str, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` states as a number or a date; None if it states neither.

    They are at most `MAX_RETRY_AFTER_SECONDS`.
    """
    stated = stated.strip()
    if stated.isascii() and stated.isdigit():
        return min(float(stated), MAX_RETRY_AFTER_SECONDS)
    try:
        until = parsedate_to_datetime(stated)
    except (ValueError, OverflowError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return min(max(0.0, (until - now).total_seconds()), MAX_RETRY_AFTER_SECONDS)
