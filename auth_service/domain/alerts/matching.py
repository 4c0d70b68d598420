"""Which watches an event is for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from auth_service.domain.alerts.model import EMAIL, FEED, Channel, Event, NewDelivery, Watch
from auth_service.domain.alerts.schedule import digest_due


def deliveries_of(
    events: Iterable[Event],
    watches: Sequence[Watch],
    channels: Mapping[str, Channel],
    now: datetime,
) -> list[NewDelivery]:
    """Return what is to be delivered, in the order of the events.

    Args:
        events: In their order.
        watches: Those that may match, of accounts that may have alerts.
        channels: Their channels by id. Those that are not open get nothing.
        now: The time by which digests are due.
    """
    return [
        NewDelivery(watch, event, _due(channels[watch.channel_id], now))
        for event in events
        for watch in watches
        if channels[watch.channel_id].is_open and _matches(watch, event)
    ]


def _matches(watch: Watch, event: Event) -> bool:
    if event.kind not in watch.kinds or event.account_id not in (None, watch.account_id):
        return False
    # Events of an account are found by polling, which also finds those from before the watch.
    if event.account_id is not None and event.at < watch.created_at:
        return False
    return (watch.about, watch.subject_id) in event.subjects


def _due(channel: Channel, now: datetime) -> datetime | None:
    if channel.kind == FEED:
        return None
    return digest_due(channel.digest, now) if channel.kind == EMAIL else now
