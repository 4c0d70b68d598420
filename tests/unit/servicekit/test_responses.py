"""Responses of other servers are read within bounds."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import pytest

from servicekit.http.responses import (
    MAX_RETRY_AFTER_SECONDS,
    Body,
    read_limited,
    retry_after_seconds,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("0", 0.0),
        (" 17 ", 17.0),
        ("9" * 400, MAX_RETRY_AFTER_SECONDS),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 12:00:30 -0000", 30.0),
        ("Sun, 01 Mar 2020 12:00:00 GMT", 0.0),
        ("Sun, 01 Mar 9999 12:00:00 GMT", MAX_RETRY_AFTER_SECONDS),
        (f"Sun, 01 Mar {'9' * 100} 12:00:00 GMT", None),
        (f"Sun, 01 Mar 2026 12:00:00 +{'9' * 100}", None),
        ("Fri, 31 Dec 9999 23:59:59 -2359", MAX_RETRY_AFTER_SECONDS),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_stated_wait_is_a_bounded_number_of_seconds_or_none(
    stated: str, seconds: float | None
) -> None:
    assert retry_after_seconds(stated, NOW) == seconds


@pytest.mark.parametrize(
    ("max_bytes", "body", "chunks_read"),
    [
        (3, Body(b"abc", is_whole=False), 2),
        (5, Body(b"abcde", is_whole=False), 3),
        (6, Body(b"abcdef", is_whole=True), 3),
    ],
)
async def test_a_body_is_cut_at_its_limit_and_no_further_chunk_is_read(
    max_bytes: int, body: Body, chunks_read: int
) -> None:
    read: list[bytes] = []

    async def chunks() -> AsyncGenerator[bytes]:
        for chunk in (b"ab", b"cd", b"ef"):
            read.append(chunk)
            yield chunk

    assert await read_limited(chunks(), max_bytes) == body
    assert len(read) == chunks_read
