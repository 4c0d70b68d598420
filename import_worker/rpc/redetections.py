"""The servicer of runs over stored videos: decodes, calls, encodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.codec import encode
from servicekit.grpc.operators import OperatorCheck
from shapes.imports import Redetection, StoredText, StoredTexts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from import_worker.domain.redetection import RedetectionView
    from import_worker.domain.redetections import Redetections

_POLL_SECONDS: Final = 0.5


class RedetectionsServicer(pb_grpc.RedetectionsServicer):
    """Implements `sponsorgraph.imports.v1.Redetections`. Watching polls every half second.

    Every call needs the operators' token.
    """

    def __init__(self, redetections: Redetections, token: str) -> None:
        self._redetections = redetections
        self._operators = OperatorCheck(token)

    async def StartRedetection(  # noqa: N802
        self, request: pb.StartRedetectionRequest, context: Any
    ) -> pb.Redetection:
        self._operators.authorize(context)
        return _message(
            await self._redetections.start(
                dry_run=request.dry_run, only_outdated=request.only_outdated
            )
        )

    async def GetRedetection(self, request: pb.RedetectionRequest, context: Any) -> pb.Redetection:  # noqa: N802
        self._operators.authorize(context)
        return _message(await self._redetections.get(_run_id(request)))

    async def WatchRedetection(  # noqa: N802
        self, request: pb.RedetectionRequest, context: Any
    ) -> AsyncIterator[pb.Redetection]:
        self._operators.authorize(context)

        async def pause() -> None:
            await asyncio.sleep(_POLL_SECONDS)

        async for view in self._redetections.watch(_run_id(request), pause):
            yield _message(view)

    async def ReadStoredTexts(  # noqa: N802
        self, request: pb.StoredTextsRequest, context: Any
    ) -> pb.StoredTexts:
        self._operators.authorize(context)
        found = await self._redetections.texts(list(request.video_ids))
        texts = tuple(
            StoredText(video.video_id, video.title, video.description, video.category_number)
            for video in found
        )
        return encode(StoredTexts(texts), pb.StoredTexts)

    async def CancelRedetection(  # noqa: N802
        self, request: pb.RedetectionRequest, context: Any
    ) -> pb.Redetection:
        self._operators.authorize(context)
        return _message(await self._redetections.cancel(_run_id(request)))


def _run_id(request: pb.RedetectionRequest) -> str | None:
    return request.run_id.replace("\0", "") if request.HasField("run_id") else None


def _message(view: RedetectionView) -> pb.Redetection:
    run, totals = view.run, view.totals
    redetection = Redetection(
        run_id=run.run_id,
        state=run.state,
        dry_run=run.dry_run,
        only_outdated=run.only_outdated,
        automatic=run.automatic,
        detector_version=run.detector_version,
        channels_total=totals.channels,
        channels_done=totals.channels_done,
        channels_failed=totals.channels_failed,
        videos_total=totals.videos,
        videos_done=totals.videos_done,
        videos_changed=totals.videos_changed,
        videos_incomparable=totals.videos_incomparable,
        added=totals.added,
        removed=totals.removed,
        changed=totals.changed,
        brands=view.brands,
        created_at=run.created_at,
        finished_at=run.finished_at,
    )
    return encode(redetection, pb.Redetection)
