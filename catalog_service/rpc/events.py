"""The service Events: what the auth service reads to deliver alerts."""

from typing import Any

import grpc.aio

from catalog_service.domain.events.queries import EventQueries
from protos.catalog.v1 import events_pb2 as pb
from protos.catalog.v1 import events_pb2_grpc
from servicekit.grpc.codec import decode, encode
from shapes.catalog.events import EventsRequest


class EventsServicer(events_pb2_grpc.EventsServicer):
    """Implements `sponsorgraph.catalog.v1.Events`."""

    def __init__(self, events: EventQueries) -> None:
        self._events = events

    async def ListEvents(  # noqa: N802 - the RPC's name
        self, request: pb.EventsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.EventPage:
        del context
        return encode(await self._events.list_after(decode(request, EventsRequest)), pb.EventPage)
