"""Detection of circles and endless lists in the pages of a channel's uploads.

A source names each next page itself: it may lead back to one that was read, or go on for ever.
"""

from typing import Final

from import_worker.domain.sources import UploadPage, UploadsEndless

MAX_EMPTY_PAGES: Final = 100
"""Pages in a row without an upload that was not on an earlier one; hidden videos make some."""

MAX_UPLOADS: Final = 25_000
"""Uploads of a channel. YouTube lists 20,000 at most."""

MAX_SPARSE_PAGES: Final = 500
"""Pages beyond those that bring enough: YouTube's 20,000 are 400, were all but a few of them hidden."""

ENOUGH: Final = 10
"""Uploads that a page has to bring in the mean of those beyond; full ones bring 50."""


class PagePath:
    """The pages and uploads since the first page, or since this worker started."""

    def __init__(self) -> None:
        self._pages: set[str] = set()
        self._uploads: set[str] = set()
        self._empty_pages = 0
        self._read = 0

    def follow(self, here: str | None, page: UploadPage, uploads_read: int) -> None:
        """Record the page `here`, after that many uploads on the pages before it.

        Raises:
            UploadsEndless: The pages lead back to one that was read, or are too many.
        """
        before = len(self._uploads)
        self._uploads.update(upload.video_id for upload in page.uploads)
        self._empty_pages = 0 if len(self._uploads) > before else self._empty_pages + 1
        if here is not None:
            self._pages.add(here)
        if page.following is None:
            return
        if page.following in self._pages:
            raise UploadsEndless(
                "YouTube's list of the channel's videos leads back to its beginning."
            )
        self._read += 1
        is_sparse = self._read > MAX_SPARSE_PAGES + len(self._uploads) / ENOUGH
        if is_sparse or self._empty_pages > MAX_EMPTY_PAGES or uploads_read > MAX_UPLOADS:
            raise UploadsEndless("YouTube's list of the channel's videos has no end.")
