"""The servicer of imports: decodes, calls, encodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from import_worker.domain.imports import Bounds
from import_worker.domain.joining import Wanted
from import_worker.domain.requests import Imports
from import_worker.rpc.fields import account, since, text
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.codec import encode
from shapes.imports import ImportStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from import_worker.domain.views import ImportView

_POLL_SECONDS: Final = 0.5


class ImportsServicer(pb_grpc.ImportsServicer):
    """Implements `sponsorgraph.imports.v1.Imports`. Watching polls every half second."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    async def StartImport(self, request: pb.StartImportRequest, context: Any) -> pb.ImportStatus:  # noqa: N802
        del context
        published_since = since(request.since) if request.HasField("since") else None
        max_videos = request.max_videos if request.HasField("max_videos") else None
        wanted = Wanted(
            account_id=account(request.account_id),
            channel=request.channel,
            bounds=Bounds(published_since, max_videos),
            idempotency_key=text("idempotency_key", request.idempotency_key) or None,
            max_concurrent=request.max_concurrent,
            max_followed=request.max_followed,
        )
        return _status(await self._imports.start(wanted))

    async def GetImport(self, request: pb.ImportRequest, context: Any) -> pb.ImportStatus:  # noqa: N802
        del context
        return _status(await self._imports.get(account(request.account_id), _named(request)))

    async def ListImports(  # noqa: N802
        self, request: pb.ListImportsRequest, context: Any
    ) -> pb.ImportPage:
        del context
        cursor = text("cursor", request.cursor) if request.HasField("cursor") else None
        views, following = await self._imports.listed(
            account(request.account_id), cursor, request.limit
        )
        return pb.ImportPage(imports=[_status(view) for view in views], next_cursor=following)

    async def CancelImport(self, request: pb.ImportRequest, context: Any) -> pb.ImportStatus:  # noqa: N802
        del context
        return _status(await self._imports.cancel(account(request.account_id), _named(request)))

    async def RetryImport(self, request: pb.ImportRequest, context: Any) -> pb.ImportStatus:  # noqa: N802
        del context
        return _status(await self._imports.retry(account(request.account_id), _named(request)))

    async def WatchImport(  # noqa: N802
        self, request: pb.ImportRequest, context: Any
    ) -> AsyncIterator[pb.ImportStatus]:
        del context

        async def pause() -> None:
            await asyncio.sleep(_POLL_SECONDS)

        account_id = account(request.account_id)
        async for view in self._imports.watch(account_id, _named(request), pause):
            yield _status(view)


def _named(request: pb.ImportRequest) -> str:
    return text("import_id", request.import_id)


def _status(view: ImportView) -> pb.ImportStatus:
    found, checkpoint = view.import_, view.import_.checkpoint
    status = ImportStatus(
        import_id=found.import_id,
        channel_id=found.channel_id,
        channel_title=found.title,
        state=found.state,
        message=found.message,
        source=found.source,
        videos_seen=checkpoint.videos_seen,
        videos_total=checkpoint.videos_total,
        sponsorships=checkpoint.sponsorships,
        brands=view.brands,
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
        retry_at=found.retry_at,
        joined=view.joined,
    )
    return encode(status, pb.ImportStatus)
