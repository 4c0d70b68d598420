"""The way through the pages of a channel's uploads, which has to come to an end.

A source names each next page itself: it may lead back to one that was read, or go on for ever.
"""

from typing import Final

from import_worker.domain.sources import UploadPage, UploadsEndless

MAX_EMPTY_PAGES: Final = 100
"""Pages in a row without an upload that was not on an earlier one; hidden videos make some."""

MAX_UPLOADS: Final = 500_000
"""Uploads of a channel. YouTube lists 20,000 at most."""


class PagePath:
    """What was passed since the first page, or since this worker took over."""

    def __init__(self) -> None:
        self._pages: set[str] = set()
        self._uploads: set[str] = set()
        self._empty_pages = 0

    def follow(self, here: str | None, page: UploadPage, walked: int) -> None:
        """Notes the page `here`, after `walked` uploads on those before it.

        Raises:
            UploadsEndless: It leads back, or there is no end to expect.
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
        if self._empty_pages > MAX_EMPTY_PAGES or walked > MAX_UPLOADS:
            raise UploadsEndless("YouTube's list of the channel's videos has no end.")
