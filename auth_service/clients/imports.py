"""The import worker's gRPC client, as the site's `ImportWorker`."""

from typing import Any

import grpc.aio

from auth_service.clients.deadlines import PART_SECONDS, START_SECONDS
from auth_service.domain.plans import Plan
from auth_service.domain.site.imports import ChannelImport, ImportForm, ImportPage
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode


class GrpcImportWorker:
    """Call the import worker over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.ImportsStub(channel)

    async def start(self, account_id: str, import_form: ImportForm, plan: Plan) -> ChannelImport:
        request = pb.StartImportRequest(
            account_id=account_id,
            channel=import_form.channel,
            since=import_form.since or None,
            max_videos=int(import_form.max_videos) if import_form.max_videos else None,
            max_concurrent=plan.concurrent_imports,
            max_followed=plan.followed_channels,
        )
        reply = await call(self._stub.StartImport, request, timeout=START_SECONDS)
        return decode(reply, ChannelImport)

    async def list(self, account_id: str, limit: int, cursor: str | None = None) -> ImportPage:
        request = pb.ListImportsRequest(account_id=account_id, limit=limit, cursor=cursor)
        return decode(await call(self._stub.ListImports, request, timeout=PART_SECONDS), ImportPage)

    async def cancel(self, account_id: str, import_id: str) -> ChannelImport:
        request = pb.ImportRequest(account_id=account_id, import_id=import_id)
        reply = await call(self._stub.CancelImport, request, timeout=PART_SECONDS)
        return decode(reply, ChannelImport)
