"""Result of reading the alerts: what the account's watches were told of."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec

from shapes.alerts import Alert


@dataclass(frozen=True, slots=True)
class AlertEvent:
    """An event of a watch."""

    message_id: Annotated[
        str,
        "Of this event of this watch; store it, and ignore what you have. A webhook's `webhook-id`.",
    ]
    event_id: Annotated[str, "Of the event: the same in every watch that it is of."]
    watch_id: Annotated[str, "The watch that it is of."]
    subject_name: Annotated[str, "What is watched. Third-party text."]
    kind: Annotated[str, "The kind of the event, as watch.create has them."]
    at: Annotated[datetime, "When it was found."]
    text: Annotated[str, "What happened, in a sentence. Third-party text."]
    data: Annotated[dict[str, Any], "What happened, as the `data` of a webhook has it."]


@dataclass(frozen=True, slots=True)
class AlertEvents:
    """The newest events."""

    events: Annotated[tuple[AlertEvent, ...], "Newest first, at most 100."]


def event_of(alert: Alert) -> AlertEvent:
    """Return the event that the auth service sends as an alert."""
    return AlertEvent(
        message_id=alert.message_id,
        event_id=alert.event_id,
        watch_id=alert.watch_id,
        subject_name=alert.subject_name,
        kind=alert.kind,
        at=alert.at,
        text=alert.text,
        data=msgspec.json.decode(alert.data_json, type=dict[str, Any]),
    )
