"""The servicer of imports: decodes, calls, encodes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from import_worker.domain.imports import Bounds
from import_worker.domain.requests import Imports, Wanted
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit import timestamps
from servicekit.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from import_worker.domain.views import ImportView

_LOOK_SECONDS: Final = 0.5


class ImportsServicer(pb_grpc.ImportsServicer):
    """Implements `sponsorgraph.imports.v1.Imports`. Watching looks every half second."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    async def StartImport(self, request: pb.StartImportRequest, context: Any) -> pb.Import:  # noqa: N802
        del context
        since = _since(request.since) if request.HasField("since") else None
        most = request.max_videos if request.HasField("max_videos") else None
        wanted = Wanted(
            account_id=_account(request.account_id),
            channel=request.channel,
            bounds=Bounds(since, most),
            idempotency_key=_text("idempotency_key", request.idempotency_key) or None,
            max_concurrent=request.max_concurrent,
        )
        return _import(await self._imports.start(wanted))

    async def GetImport(self, request: pb.ImportRequest, context: Any) -> pb.Import:  # noqa: N802
        del context
        return _import(await self._imports.get(_account(request.account_id), _named(request)))

    async def ListImports(  # noqa: N802
        self, request: pb.ListImportsRequest, context: Any
    ) -> pb.ImportPage:
        del context
        cursor = _text("cursor", request.cursor) if request.HasField("cursor") else None
        views, following = await self._imports.listed(
            _account(request.account_id), cursor, request.limit
        )
        return pb.ImportPage(imports=[_import(view) for view in views], next_cursor=following)

    async def CancelImport(self, request: pb.ImportRequest, context: Any) -> pb.Import:  # noqa: N802
        del context
        return _import(await self._imports.cancel(_account(request.account_id), _named(request)))

    async def WatchImport(  # noqa: N802
        self, request: pb.ImportRequest, context: Any
    ) -> AsyncIterator[pb.Import]:
        del context

        async def pause() -> None:
            await asyncio.sleep(_LOOK_SECONDS)

        account_id = _account(request.account_id)
        async for view in self._imports.watch(account_id, _named(request), pause):
            yield _import(view)


def _account(account_id: str) -> str:
    if not account_id:
        raise InvalidInput("account_id is missing.", details={"field": "account_id"})
    return _text("account_id", account_id)


def _named(request: pb.ImportRequest) -> str:
    return _text("import_id", request.import_id)


def _text(field: str, value: str) -> str:
    """`value`, unless it has U+0000 in it, which Postgres cannot hold."""
    if "\0" in value:
        raise InvalidInput(f"{field} has a zero byte in it.", details={"field": field})
    return value


def _since(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{text[:40]!r} is no date such as 2026-01-31, nor an instant such as "
            "2026-01-31T12:00:00Z.",
            details={"field": "since"},
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _import(view: ImportView) -> pb.Import:
    one, point = view.one, view.one.checkpoint
    return pb.Import(
        import_id=one.import_id,
        channel_id=one.channel_id,
        channel_title=one.title,
        state=one.state,
        message=one.message,
        source=one.source,
        videos_seen=point.videos_seen,
        videos_total=point.videos_total,
        sponsorships=point.sponsorships,
        brands=[
            pb.FoundBrand(slug=brand.slug, name=brand.name, videos=brand.videos)
            for brand in view.brands
        ],
        created_at=timestamps.to_text(one.created_at),
        started_at=timestamps.to_optional_text(one.started_at),
        finished_at=timestamps.to_optional_text(one.finished_at),
        retry_at=timestamps.to_optional_text(one.retry_at),
        joined=view.joined,
    )
