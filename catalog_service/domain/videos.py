"""Queries about single videos and about promo codes. All raise `BadArgument` and `Unavailable`."""

import re
from dataclasses import dataclass
from typing import Final

from catalog_service.domain import arguments, public_ids, references
from catalog_service.domain.coverage import CoverageQueries, Scope, of_listed
from catalog_service.domain.errors import BadArgument, VideoNotFound
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.paging import Paging
from catalog_service.domain.ports import VideoStore, YoutuberStore
from shapes.catalog.videos import CodePage, SearchCodesRequest, VideoDetails, VideoRequest

_MAX_CODE_LENGTH: Final = 60
_FROM_BEGINNING: Final = "Codes are found by their beginning"
_SHORTEST_CODE: Final = 2
_OTHERS: Final = (
    ("sp", "a brand", "sponsor.recentVideos"),
    ("yt", "a creator", "youtuber.recentVideos"),
)
_NO_CODE: Final = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class VideoQueries:
    store: VideoStore
    youtubers: YoutuberStore
    paging: Paging
    coverage: CoverageQueries
    lists: ListFilters

    async def get(self, request: VideoRequest) -> VideoDetails:
        """Return a video with its sponsorships; raise `VideoNotFound`."""
        reference = references.read_video("video", request.video)
        found = await self.store.video(reference)
        if found is None:
            raise VideoNotFound(_not_found(request.video.strip()), details={"field": "video"})
        coverage = await self.youtubers.coverage(public_ids.number(found.youtuber.id))
        return VideoDetails(
            found.video,
            found.youtuber,
            found.sponsorships,
            coverage,
            found.paid_promotion_disclosed,
            found.duration_seconds,
            found.language,
            found.likes,
            found.comments,
            found.snapshots,
        )

    async def codes(self, request: SearchCodesRequest) -> CodePage:
        """Return promo codes that are `code` or begin with it, whatever the case of the letters."""
        code = arguments.text("code", request.code, longest=_MAX_CODE_LENGTH)
        if _NO_CODE.search(code):
            raise BadArgument("code", "`code` must be one promo code without blanks, as in NORD20.")
        page = self.paging.ranked(request)
        conditions = await self.lists.of(request, "sponsor", "youtuber")
        found = await self.store.codes(code, conditions, page)
        covered = await self.coverage.of_scope(of_listed(Scope(), conditions), 0, None)
        by_list = request.in_list is not None or request.not_in_list is not None
        hint = None if by_list else _advice(code)
        note = covered.note(request, found.entries, hint, of="promo code", lists=conditions)
        cursor = self.paging.after_ranked(request, page, found)
        return CodePage(found.entries, cursor, covered.shown, note)


def _advice(code: str) -> str:
    """Return what to do about a promo code that no code begins with."""
    if len(code) > _SHORTEST_CODE:
        return f"{_FROM_BEGINNING}: give fewer of its first letters."
    return f"{_FROM_BEGINNING}, not by what they contain or end in: give the first letters."


def _not_found(text: str) -> str:
    """Return that there is no such video, and what to call with an id that is of something else."""
    parts = public_ids.sponsorship_parts(text)
    if parts is not None:
        return f"{text!r} is the id of a sponsorship, and no video: give the id of its video, {parts[0]}."
    for prefix, noun, tool in _OTHERS:
        if public_ids.spoken_number(text, prefix) is not None:
            return f"{text!r} is the id of {noun}, and no video: `{tool}` lists the videos."
    if text.startswith("@"):
        return f"{text[:80]!r} is the handle of a channel, and no video: `youtuber.recentVideos` lists the videos."
    return (
        f"The catalogue knows no video {text[:80]!r}. Give the YouTube id, the URL, or the id that an answer has for it: "
        "`youtuber.recentVideos` and `video.search` list those that are known."
    )
