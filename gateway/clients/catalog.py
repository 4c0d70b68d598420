"""The catalog service as the `Catalog` port."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, Final, TypeVar

import grpc.aio
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from gateway.domain.ports import CatalogQuestion
from protos.catalog.v1 import catalog_pb2, catalog_pb2_grpc
from servicekit.grpc_client import call
from servicekit.wire import decode

A = TypeVar("A")

_SERVICE: Final = catalog_pb2.DESCRIPTOR.services_by_name["Catalog"]
IDEMPOTENT: Final = tuple(
    (_SERVICE.full_name, method.name) for method in _SERVICE.methods if method.name != "Ingest"
)
"""What may be asked again when the connection broke: all but the streaming of facts."""


class GrpcCatalog:
    """Asks the catalog: a question is the RPC of that name, an argument a field of its request."""

    def __init__(self, channel: grpc.aio.Channel, *, timeout: float) -> None:
        self._stub = catalog_pb2_grpc.CatalogStub(channel)
        self._timeout = timeout

    async def ask(
        self, question: CatalogQuestion, arguments: Mapping[str, object], answer: type[A]
    ) -> A:
        return await self._call(question, arguments, answer)

    async def report(self, account_id: str, arguments: Mapping[str, object], answer: type[A]) -> A:
        return await self._call(
            "ReportSponsorship", {**arguments, "account_id": account_id}, answer
        )

    async def _call(self, rpc: str, arguments: Mapping[str, object], answer: type[A]) -> A:
        request = _request_class(rpc)(**{name: _wire(value) for name, value in arguments.items()})
        method: Any = getattr(self._stub, rpc)
        reply: Message = await call(method, request, timeout=self._timeout)
        return decode(reply, answer)


@cache
def _request_class(rpc: str) -> type[Message]:
    return GetMessageClass(_SERVICE.methods_by_name[rpc].input_type)


def _wire(value: object) -> Any:
    return value.isoformat() if isinstance(value, date) else value
