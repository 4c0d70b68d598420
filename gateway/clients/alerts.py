"""The auth service's watches and alerts as the `Alerts` port."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import grpc.aio
from google.protobuf.message_factory import GetMessageClass

from gateway.domain.ports import AlertMethod
from gateway.fair_bulkhead import FairBulkhead
from protos.alerts.v1 import alerts_pb2, alerts_pb2_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode

R = TypeVar("R")

_SERVICE: Final = alerts_pb2.DESCRIPTOR.services_by_name["Alerts"]
_REPEATABLE: Final = ("CreateWatch", "ListWatches", "ListAlerts", "ListAlertIds")
IDEMPOTENT: Final = tuple((_SERVICE.full_name, name) for name in _REPEATABLE)
_MAX_CALLS: Final = 32


class GrpcAlerts:
    """Call the auth service: a method is the RPC of that name, an argument a field of its request."""

    def __init__(self, channel: grpc.aio.Channel, *, timeout: float) -> None:
        self._stub = alerts_pb2_grpc.AlertsStub(channel)
        self._timeout = timeout
        self._slots = FairBulkhead("alerts", _MAX_CALLS)

    async def call(
        self, name: AlertMethod, arguments: Mapping[str, object], result_type: type[R]
    ) -> R:
        request_class: Any = GetMessageClass(_SERVICE.methods_by_name[name].input_type)
        method: Any = getattr(self._stub, name)
        with self._slots.slot(str(arguments["account_id"])):
            reply = await call(method, request_class(**arguments), timeout=self._timeout)
        return decode(reply, result_type)
