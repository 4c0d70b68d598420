"""The service Alerts: watches, for gateways."""

from typing import Any

from auth_service.domain.alerts.model import Channel, Watch
from auth_service.domain.alerts.watches import NewWatch, Watches
from protos.alerts.v1 import alerts_pb2 as pb
from protos.alerts.v1 import alerts_pb2_grpc as pb_grpc
from servicekit import timestamps
from servicekit.errors import InvalidInput


class AlertsServicer(pb_grpc.AlertsServicer):
    """Decode, call, encode."""

    def __init__(self, watches: Watches) -> None:
        self._watches = watches

    async def CreateWatch(self, request: pb.CreateWatchRequest, context: Any) -> pb.Watch:  # noqa: ARG002, N802
        subject = _storable("subject", request.subject)
        channel = _storable("channel", request.channel)
        wanted = NewWatch(request.about, subject, tuple(request.kinds), channel)
        return _watch(await self._watches.create(request.account_id, wanted))

    async def ListWatches(self, request: pb.ListWatchesRequest, context: Any) -> pb.WatchList:  # noqa: ARG002, N802
        alerts = await self._watches.list_all(request.account_id)
        return pb.WatchList(
            watches=[_watch(watch) for watch in alerts.watches],
            channels=[_channel(channel) for channel in alerts.channels],
            max_watches=alerts.max_watches,
        )

    async def DeleteWatch(self, request: pb.DeleteWatchRequest, context: Any) -> pb.DeletedWatch:  # noqa: ARG002, N802
        watch_id = _storable("watch_id", request.watch_id)
        await self._watches.delete(request.account_id, watch_id)
        return pb.DeletedWatch(watch_id=request.watch_id)


def _storable(field: str, value: str) -> str:
    """Return a text that Postgres can store and compare.

    Raises:
        InvalidInput: It contains U+0000.
    """
    if "\0" in value:
        raise InvalidInput(f"`{field}` has a zero byte in it.", details={"field": field})
    return value


def _watch(watch: Watch) -> pb.Watch:
    return pb.Watch(
        watch_id=watch.watch_id,
        about=watch.about,
        subject_id=watch.subject_id,
        subject_name=watch.subject_name,
        kinds=watch.kinds,
        channel_id=watch.channel_id,
        created_at=timestamps.to_text(watch.created_at),
    )


def _channel(channel: Channel) -> pb.AlertChannel:
    return pb.AlertChannel(
        channel_id=channel.channel_id, kind=channel.kind, name=channel.name, state=channel.state
    )
