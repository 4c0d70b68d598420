"""The import worker's gRPC client for operators."""

from typing import Any, Final

import grpc.aio

from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from servicekit.grpc.operators import TOKEN_METADATA
from shapes.imports import ImportOverview

_SECONDS: Final = 3.0


class GrpcImportOperations:
    """Implement `ImportsAdministration` over one gRPC channel, with the operators' token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub: Any = pb_grpc.ImportOperationsStub(channel)
        self._metadata = ((TOKEN_METADATA, token),)

    async def overview(self, limit: int) -> ImportOverview:
        request = pb.ImportOverviewRequest(limit=limit)
        return decode(await self._call(self._stub.GetOverview, request), ImportOverview)

    async def cancel(self, import_id: str) -> None:
        request = pb.OperatedImportRequest(import_id=import_id)
        await self._call(self._stub.CancelAnyImport, request)

    async def retry(self, import_id: str) -> None:
        request = pb.OperatedImportRequest(import_id=import_id)
        await self._call(self._stub.RetryAnyImport, request)

    async def _call(self, method: Any, request: Any) -> Any:
        def sent(request: Any, timeout: float, metadata: Any) -> Any:
            return method(request, timeout=timeout, metadata=(*metadata, *self._metadata))

        return await call(sent, request, timeout=_SECONDS)
