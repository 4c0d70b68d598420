"""The import worker's gRPC client, as the site's `BulkImportWorker`."""

from collections.abc import Sequence
from typing import Any

import grpc.aio

from auth_service.clients.deadlines import PART_SECONDS
from auth_service.domain.plans import Plan
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from shapes.imports import BulkImportList, BulkImportStatus


class GrpcBulkImportWorker:
    """Call the import worker over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.BulkImportsStub(channel)

    async def start(
        self,
        account_id: str,
        channels: Sequence[str],
        since: str | None,
        max_videos: int | None,
        plan: Plan,
    ) -> BulkImportStatus:
        request = pb.StartBulkImportRequest(
            account_id=account_id,
            channels=channels,
            since=since,
            max_videos=max_videos,
            max_concurrent=plan.concurrent_imports,
            max_followed=plan.followed_channels,
        )
        return await self._status(self._stub.StartBulkImport, request)

    async def get(
        self,
        account_id: str,
        bulk_import_id: str,
        limit: int,
        cursor: str | None,
        state: str | None,
    ) -> BulkImportStatus:
        request = pb.GetBulkImportRequest(
            account_id=account_id,
            bulk_import_id=bulk_import_id,
            limit=limit,
            cursor=cursor,
            state=state,
        )
        return await self._status(self._stub.GetBulkImport, request)

    async def list(self, account_id: str, limit: int) -> Sequence[BulkImportStatus]:
        request = pb.ListBulkImportsRequest(account_id=account_id, limit=limit)
        reply = await call(self._stub.ListBulkImports, request, timeout=PART_SECONDS)
        return decode(reply, BulkImportList).bulk_imports

    async def cancel(self, account_id: str, bulk_import_id: str) -> BulkImportStatus:
        request = pb.BulkImportRequest(account_id=account_id, bulk_import_id=bulk_import_id)
        return await self._status(self._stub.CancelBulkImport, request)

    async def _status(self, method: Any, request: Any) -> BulkImportStatus:
        return decode(await call(method, request, timeout=PART_SECONDS), BulkImportStatus)
