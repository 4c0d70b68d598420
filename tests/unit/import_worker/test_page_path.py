"""The pages of a channel's uploads are followed up to a limit."""

from __future__ import annotations

import pytest

from import_worker.domain.page_path import MAX_UPLOADS, PagePath
from import_worker.domain.sources import Upload, UploadPage, UploadsEndless

LISTED = 20_000
"""Uploads that YouTube lists of a channel at most."""


def pages_until_refused(each: int, pages: int) -> int:
    """Return the number of followed pages of so many new uploads each."""
    path = PagePath()
    for number in range(pages):
        first = number * each
        uploads = tuple(Upload(f"v{at:010d}", None) for at in range(first, first + each))
        try:
            path.follow(str(number), UploadPage(uploads, str(number + 1), None), first)
        except UploadsEndless:
            return number
    return pages


def test_pages_that_bring_one_upload_each_are_not_followed_for_long() -> None:
    assert pages_until_refused(1, 25_000) < 600


def test_full_pages_are_followed_somewhat_further_than_youtube_lists() -> None:
    read = pages_until_refused(50, 25_000) * 50
    assert LISTED < read <= MAX_UPLOADS + 50 < 1.3 * LISTED


@pytest.mark.parametrize("each", [1, 10, 25, 49, 50])
def test_channels_as_long_as_youtube_lists_are_read_however_many_are_hidden(each: int) -> None:
    assert pages_until_refused(each, LISTED // 50) == LISTED // 50
