"""The servicer of bulk imports: decodes, calls, encodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from import_worker.domain.bulk_requests import BulkImports, ChannelPage, WantedList
from import_worker.domain.imports import Bounds
from import_worker.rpc.fields import account, since, text
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput
from servicekit.grpc.codec import encode
from shapes.imports import BulkImportChannel, BulkImportList, BulkImportStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from import_worker.domain.bulk_imports import BulkChannel, BulkView

_POLL_SECONDS: Final = 1.0
_CURSOR_DIGITS: Final = 4


class BulkImportsServicer(pb_grpc.BulkImportsServicer):
    """Implements `sponsorgraph.imports.v1.BulkImports`. Watching polls every second."""

    def __init__(self, bulk_imports: BulkImports) -> None:
        self._bulk_imports = bulk_imports

    async def StartBulkImport(  # noqa: N802
        self, request: pb.StartBulkImportRequest, context: Any
    ) -> pb.BulkImportStatus:
        del context
        published_since = since(request.since) if request.HasField("since") else None
        max_videos = request.max_videos if request.HasField("max_videos") else None
        wanted = WantedList(
            account_id=account(request.account_id),
            channels=[text("channels", channel) for channel in request.channels],
            bounds=Bounds(published_since, max_videos),
            idempotency_key=text("idempotency_key", request.idempotency_key) or None,
            max_concurrent=request.max_concurrent,
            max_followed=request.max_followed,
        )
        return _message(await self._bulk_imports.start(wanted))

    async def GetBulkImport(  # noqa: N802
        self, request: pb.GetBulkImportRequest, context: Any
    ) -> pb.BulkImportStatus:
        del context
        page = ChannelPage(
            limit=request.limit,
            after=_position(request.cursor) if request.HasField("cursor") else 0,
            state=text("state", request.state) if request.HasField("state") else None,
        )
        view = await self._bulk_imports.get(account(request.account_id), _named(request), page)
        return _message(view)

    async def ListBulkImports(  # noqa: N802
        self, request: pb.ListBulkImportsRequest, context: Any
    ) -> pb.BulkImportList:
        del context
        views = await self._bulk_imports.listed(account(request.account_id), request.limit)
        found = BulkImportList(tuple(_status(view) for view in views))
        return encode(found, pb.BulkImportList)

    async def CancelBulkImport(  # noqa: N802
        self, request: pb.BulkImportRequest, context: Any
    ) -> pb.BulkImportStatus:
        del context
        account_id = account(request.account_id)
        return _message(await self._bulk_imports.cancel(account_id, _named(request)))

    async def WatchBulkImport(  # noqa: N802
        self, request: pb.BulkImportRequest, context: Any
    ) -> AsyncIterator[pb.BulkImportStatus]:
        del context

        async def pause() -> None:
            await asyncio.sleep(_POLL_SECONDS)

        account_id = account(request.account_id)
        async for view in self._bulk_imports.watch(account_id, _named(request), pause):
            yield _message(view)


def _named(request: pb.BulkImportRequest | pb.GetBulkImportRequest) -> str:
    return text("bulk_import_id", request.bulk_import_id)


def _position(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit()) or len(cursor) > _CURSOR_DIGITS:
        raise InvalidInput(
            "cursor is not one that this list returned: leave it out for the first page.",
            details={"field": "cursor"},
        )
    return int(cursor)


def _message(view: BulkView) -> pb.BulkImportStatus:
    return encode(_status(view), pb.BulkImportStatus)


def _status(view: BulkView) -> BulkImportStatus:
    bulk, totals = view.bulk, view.totals
    return BulkImportStatus(
        bulk_import_id=bulk.bulk_import_id,
        state=bulk.state,
        message=view.message,
        channels_total=totals.channels,
        channels_done=totals.done,
        channels_failed=totals.failed,
        channels_cancelled=totals.cancelled,
        channels_under_way=totals.under_way,
        videos_seen=totals.videos_seen,
        sponsorships=totals.sponsorships,
        created_at=bulk.created_at,
        finished_at=bulk.finished_at,
        retry_at=bulk.retry_at,
        channels=tuple(_channel(channel) for channel in view.channels),
        next_cursor=None if view.following is None else str(view.following),
    )


def _channel(channel: BulkChannel) -> BulkImportChannel:
    return BulkImportChannel(
        position=channel.position,
        channel=channel.reference,
        channel_id=channel.channel_id,
        channel_title=channel.title,
        state=channel.state,
        import_id=channel.import_id,
        videos_seen=channel.videos_seen,
        sponsorships=channel.sponsorships,
        message=channel.message,
    )
