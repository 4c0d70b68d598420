"""The catalog service as the `Catalog` port."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, Final, TypeVar

import grpc.aio
import msgspec
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import status_pb2

from gateway.domain.ports import AccountMethod, CatalogQuery
from gateway.domain.result_cache import record_version
from protos.catalog.v1 import (
    batch_pb2,
    batch_pb2_grpc,
    catalog_pb2,
    catalog_pb2_grpc,
)
from servicekit.concurrency.batching import RequestBatcher
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import DeadlineExceeded
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from servicekit.grpc.errors import deadline_exceeded, from_status
from servicekit.grpc.metadata import CATALOG_VERSION
from servicekit.grpc.stream_client import StreamClient

R = TypeVar("R")

_SERVICE: Final = catalog_pb2.DESCRIPTOR.services_by_name["Catalog"]
_BATCH_SERVICE: Final = batch_pb2.DESCRIPTOR.services_by_name["BatchCatalog"].full_name
_EXECUTE: Final = f"/{_BATCH_SERVICE}/Execute"
IDEMPOTENT: Final = (
    *(
        (_SERVICE.full_name, method.name)
        for method in _SERVICE.methods
        if method.name not in {"Ingest", "DeleteList"}
    ),
    (_BATCH_SERVICE, "Execute"),
)
"""The methods to repeat when the connection broke: not the streaming of facts, nor a deletion, which the second time finds nothing."""

_BATCHED: Final = frozenset(
    {"SearchSponsors", "SearchYoutubers", "GetSponsor", "GetYoutuber", "ListCategories"}
)
"""Queries that are short, so that none waits long for others of its batch; with a record they are not."""

_MAX_BATCH: Final = 32
_MAX_CALLS: Final = 256
_SECONDS: Final = {"RunSql": 20.0}
"""Methods with a limit of their own: a statement waits in line for others, and is then limited by the catalog."""


class GrpcCatalog:
    """Query the catalog: a query is the RPC of that name, an argument a field of its request."""

    def __init__(
        self, channel: grpc.aio.Channel, *, timeout: float, max_calls: int = _MAX_CALLS
    ) -> None:
        self._stub = catalog_pb2_grpc.CatalogStub(channel)
        batch_stub: Any = batch_pb2_grpc.BatchCatalogStub(channel)
        self._stream = StreamClient[batch_pb2.BatchRequest, batch_pb2.BatchResponse](
            _EXECUTE, batch_stub.Execute
        )
        self._batcher = RequestBatcher[batch_pb2.BatchedRequest, tuple[bytes, str]](
            self._send_batch, max_size=_MAX_BATCH
        )
        self._timeout = timeout
        self._slots = Bulkhead("catalog", max_calls)

    def close(self) -> None:
        """Close the persistent streams."""
        self._stream.close()

    async def query(
        self, name: CatalogQuery, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        try:
            return await self._call(name, arguments, result_type)
        except DeadlineExceeded as error:
            unfinished = DeadlineExceeded(
                f"The catalogue did not finish this within {self._timeout:g} s. Ask for a shorter period or with fewer "
                "conditions, or try again in a few seconds.",
                retry_after=error.retry_after,
            )
            for note in getattr(error, "__notes__", ()):  # for the log
                unfinished.add_note(note)
            raise unfinished from error

    async def call_for(
        self,
        account_id: str,
        name: AccountMethod,
        arguments: Mapping[str, object],
        result_type: type[R],
    ) -> R:
        with_account = {**arguments, "account_id": account_id}
        return await self._call(name, with_account, result_type, timeout=_SECONDS.get(name))

    async def _call(
        self,
        rpc: str,
        arguments: Mapping[str, object],
        result_type: type[R],
        timeout: float | None = None,  # noqa: ASYNC109 - the RPC's deadline
    ) -> R:
        request = _request_class(rpc)(**{name: _wire(value) for name, value in arguments.items()})
        if rpc in _BATCHED and not arguments.get("record"):
            batched = batch_pb2.BatchedRequest(method=rpc, request=request.SerializeToString())
            response, version = await self._batched(batched)
            if version:
                record_version(version)
            return _decoder(result_type).decode(response)
        method: Any = getattr(self._stub, rpc)
        with self._slots:
            reply = await call(
                method, request, timeout=timeout or self._timeout, trailing=_record_version
            )
            return decode(reply, result_type)

    async def _batched(self, request: batch_pb2.BatchedRequest) -> tuple[bytes, str]:
        """The time that a query waits for its batch counts against its timeout."""
        with self._slots:
            try:
                async with asyncio.timeout(self._timeout):
                    return await self._batcher.submit(request)
            except TimeoutError:
                detail = f"catalog/{request.method}: no response within {self._timeout:g} s"
                raise deadline_exceeded(detail) from None

    async def _send_batch(
        self, requests: Sequence[batch_pb2.BatchedRequest]
    ) -> Sequence[tuple[bytes, str] | Exception]:
        batch = batch_pb2.BatchRequest(requests=requests)
        responses = await self._stream.call(batch, within=self._timeout)
        version = responses.catalog_version
        return [
            (response.json, version)
            if response.WhichOneof("outcome") == "json"
            else _error(response.error)
            for response in responses.responses
        ]


def _record_version(trailing: Iterable[tuple[str, str]]) -> None:
    for name, value in trailing or ():
        if name == CATALOG_VERSION:
            record_version(value)


@cache
def _request_class(rpc: str) -> type[Message]:
    return GetMessageClass(_SERVICE.methods_by_name[rpc].input_type)


@cache
def _decoder(result_type: type[R]) -> msgspec.json.Decoder[R]:
    return msgspec.json.Decoder(result_type)


def _error(status: bytes) -> Exception:
    return from_status(status_pb2.Status.FromString(status))


def _wire(value: object) -> Any:
    return value.isoformat() if isinstance(value, date) else value
