"""The import worker as the `Imports` port."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import date
from typing import Any, Final, TypeVar

import grpc
import grpc.aio
from google.protobuf.message_factory import GetMessageClass

from gateway.domain.ports import ImportMethod
from gateway.fair_bulkhead import FairBulkhead
from protos.imports.v1 import imports_pb2, imports_pb2_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from servicekit.grpc.errors import from_rpc_error
from shapes.imports import BulkImportStatus, ImportStatus

R = TypeVar("R")

_SERVICES: Final = imports_pb2.DESCRIPTOR.services_by_name
_METHODS: Final = {
    method.name: method
    for service in ("Imports", "BulkImports", "Follows")
    for method in _SERVICES[service].methods
}
IDEMPOTENT: Final = tuple(
    (_METHODS[name].containing_service.full_name, name)
    for name in (
        "GetImport",
        "ListImports",
        "CancelImport",
        "GetBulkImport",
        "CancelBulkImport",
        "ListFollows",
    )
)
_MAX_CALLS: Final = 64


class GrpcImports:
    """Call the import worker: a method is the RPC of that name, an argument a field of its request."""

    def __init__(
        self, channel: grpc.aio.Channel, *, timeout: float, max_calls: int = _MAX_CALLS
    ) -> None:
        self._stub = imports_pb2_grpc.ImportsStub(channel)
        self._bulk_stub = imports_pb2_grpc.BulkImportsStub(channel)
        self._stubs = {
            "Imports": self._stub,
            "BulkImports": self._bulk_stub,
            "Follows": imports_pb2_grpc.FollowsStub(channel),
        }
        self._timeout = timeout
        self._slots = FairBulkhead("imports", max_calls)

    async def call(
        self, name: ImportMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        request_class: Any = GetMessageClass(_METHODS[name].input_type)
        fields = {
            field: value.isoformat() if isinstance(value, date) else value
            for field, value in arguments.items()
        }
        method: Any = getattr(self._stubs[_METHODS[name].containing_service.name], name)
        with self._slots.slot(str(arguments["account_id"])):
            reply = await call(method, request_class(**fields), timeout=self._timeout)
        return decode(reply, result_type)

    async def watch(self, account_id: str, import_id: str) -> AsyncGenerator[ImportStatus]:
        request = imports_pb2.ImportRequest(account_id=account_id, import_id=import_id)
        async with aclosing(_changes(self._stub.WatchImport(request), ImportStatus)) as changes:
            async for change in changes:
                yield change

    async def watch_bulk(
        self, account_id: str, bulk_import_id: str
    ) -> AsyncGenerator[BulkImportStatus]:
        request = imports_pb2.BulkImportRequest(
            account_id=account_id, bulk_import_id=bulk_import_id
        )
        stream = self._bulk_stub.WatchBulkImport(request)
        async with aclosing(_changes(stream, BulkImportStatus)) as changes:
            async for change in changes:
                yield change


async def _changes(stream: Any, result_type: type[R]) -> AsyncGenerator[R]:
    """Yield the messages of a stream, which is cancelled when nobody reads on."""
    try:
        async for change in stream:
            yield decode(change, result_type)
    except grpc.RpcError as error:
        raise from_rpc_error(error) from error
    finally:
        stream.cancel()
