"""The service Alerts: watches and what they were told of, for gateways."""

import json
from typing import Any

from auth_service.domain.alerts.history import AlertHistory
from auth_service.domain.alerts.messages import sentence
from auth_service.domain.alerts.model import Channel, Delivery, Watch
from auth_service.domain.alerts.watches import NewWatch, Watches
from protos.alerts.v1 import alerts_pb2 as pb
from protos.alerts.v1 import alerts_pb2_grpc as pb_grpc
from servicekit import timestamps
from servicekit.errors import InvalidInput


class AlertsServicer(pb_grpc.AlertsServicer):
    """Decode, call, encode."""

    def __init__(self, watches: Watches, history: AlertHistory) -> None:
        self._watches = watches
        self._history = history

    async def CreateWatch(self, request: pb.CreateWatchRequest, context: Any) -> pb.Watch:  # noqa: ARG002, N802
        subject = _storable("subject", request.subject)
        channel = _storable("channel", request.channel)
        wanted = NewWatch(request.about, subject, tuple(request.kinds), channel)
        created = await self._watches.create(request.account_id, wanted)
        return _watch(created.watch, created.channel)

    async def ListWatches(self, request: pb.ListWatchesRequest, context: Any) -> pb.WatchList:  # noqa: ARG002, N802
        alerts = await self._watches.list_all(request.account_id)
        channels = {channel.channel_id: channel for channel in alerts.channels}
        return pb.WatchList(
            watches=[
                _watch(watch, channels[watch.channel_id])
                for watch in alerts.watches
                if watch.channel_id
                in channels  # which may just have been deleted, and its watches with it
            ],
            channels=[_channel(channel) for channel in alerts.channels],
            max_watches=alerts.max_watches,
        )

    async def DeleteWatch(self, request: pb.DeleteWatchRequest, context: Any) -> pb.DeletedWatch:  # noqa: ARG002, N802
        watch_id = _storable("watch_id", request.watch_id)
        await self._watches.delete(request.account_id, watch_id)
        return pb.DeletedWatch(watch_id=request.watch_id)

    async def ListAlerts(self, request: pb.ListAlertsRequest, context: Any) -> pb.AlertList:  # noqa: ARG002, N802
        watch_id = _storable("watch_id", request.watch_id) or None
        alerts = await self._history.newest(request.account_id, watch_id, request.limit)
        return pb.AlertList(alerts=map(_alert, alerts))

    async def ListAlertIds(self, request: pb.ListAlertIdsRequest, context: Any) -> pb.AlertIdList:  # noqa: ARG002, N802
        ids = await self._history.newest_ids(request.account_id, request.limit)
        return pb.AlertIdList(
            ids=[pb.AlertId(message_id=item.message_id, watch_id=item.watch_id) for item in ids]
        )


def _storable(field: str, value: str) -> str:
    """Return a text that Postgres can store and compare.

    Raises:
        InvalidInput: It contains U+0000.
    """
    if "\0" in value:
        raise InvalidInput(f"`{field}` has a zero byte in it.", details={"field": field})
    return value


def _watch(watch: Watch, channel: Channel) -> pb.Watch:
    return pb.Watch(
        watch_id=watch.watch_id,
        about=watch.about,
        subject_id=watch.subject_id,
        subject_name=watch.subject_name,
        kinds=watch.kinds,
        channel_id=watch.channel_id,
        created_at=timestamps.to_text(watch.created_at),
        channel_state=channel.state,
    )


def _channel(channel: Channel) -> pb.AlertChannel:
    return pb.AlertChannel(
        channel_id=channel.channel_id, kind=channel.kind, name=channel.name, state=channel.state
    )


def _alert(delivery: Delivery) -> pb.Alert:
    return pb.Alert(
        message_id=delivery.delivery_id,
        event_id=delivery.event_id,
        watch_id=delivery.watch_id,
        subject_name=delivery.subject_name,
        kind=delivery.kind,
        at=timestamps.to_text(delivery.event_at),
        text=sentence(delivery),
        data_json=json.dumps(delivery.data, ensure_ascii=False),
    )
