"""Channels, watches, events and deliveries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from servicekit.errors import NotFound, PermissionDenied, ResourceExhausted

SPONSORSHIP_NEW: Final = "sponsorship.new"
SPONSORSHIP_FIRST: Final = "sponsorship.first"
RELATION_LAPSED: Final = "relation.lapsed"
IMPORT_FINISHED: Final = "import.finished"
QUOTA_REACHED: Final = "quota.reached"
REPORT_DECIDED: Final = "report.decided"
TEST: Final = "test"
"""The kind of a test of a channel, which no watch is about."""

_OF_CATALOGUE: Final = (SPONSORSHIP_NEW, SPONSORSHIP_FIRST, RELATION_LAPSED)

SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "sponsor": _OF_CATALOGUE,
    "youtuber": _OF_CATALOGUE,
    "category": _OF_CATALOGUE,
    "import": (IMPORT_FINISHED,),
    "quota": (QUOTA_REACHED,),
    "report": (REPORT_DECIDED,),
}
"""Subjects of watches, and the kinds of events of each."""

WEBHOOK: Final = "webhook"
SLACK: Final = "slack"
DISCORD: Final = "discord"
EMAIL: Final = "email"
FEED: Final = "feed"
CHANNEL_KINDS: Final = (WEBHOOK, SLACK, DISCORD, EMAIL, FEED)
POSTED: Final = (WEBHOOK, SLACK, DISCORD)
"""The kinds whose deliveries are HTTP requests of ours."""

DIGESTS: Final = ("at_once", "hourly", "daily", "weekly")
MAX_CHANNELS: Final = 20
"""Channels that an account can have."""

SECRET_OVERLAP: Final = timedelta(days=1)
"""The time for which the secret before a rotation signs, too."""

CONFIRM_WITHIN: Final = timedelta(days=2)
"""The time for which the link that confirms an address works."""


class AlertsNotInPlan(PermissionDenied):
    """The account's plan has no alerts."""

    default_reason = "ALERTS_PLAN_REQUIRED"


class TooManyWatches(ResourceExhausted):
    """The account has as many watches or channels as it may have."""

    default_reason = "ALERTS_LIMIT"


class AlertNotFound(NotFound):
    """The account has no such watch, channel or delivery."""

    default_reason = "ALERT_NOT_FOUND"


class WatchNotFound(AlertNotFound):
    def __init__(self) -> None:
        super().__init__(
            "You have no such watch. `watch.list` has the ids of yours.",
            details={"field": "watch_id"},
        )


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret of a webhook or a feed, and when it expires; None for the current one."""

    value: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """Where an account's alerts go.

    Attributes:
        kind: One of `CHANNEL_KINDS`.
        target: The URL or e-mail address; empty for a feed.
        secrets: Secrets of a webhook or a feed, the newest first; none for the others.
        digest: One of `DIGESTS`, of mails.
        confirmed_at: When whoever reads the address agreed; None before.
        failing_since: The first failure after the last success; None without one.
        disabled_at: When it was turned off: after days of failure, or because the receiver or reader said so.
    """

    channel_id: str
    account_id: str
    kind: str
    name: str
    target: str
    secrets: tuple[Secret, ...]
    digest: str
    created_at: datetime
    confirmed_at: datetime | None = None
    failing_since: datetime | None = None
    disabled_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """True if events are delivered to it."""
        return self.disabled_at is None and self.confirmed_at is not None

    def mails_at_once(self, address: str) -> bool:
        """Return whether mails to a confirmed address go out by it at once."""
        is_of_address = self.kind == EMAIL and self.target == address
        return is_of_address and self.digest == DIGESTS[0] and self.confirmed_at is not None

    @property
    def state(self) -> str:
        """on, unconfirmed or off."""
        if self.disabled_at is not None:
            return "off"
        return "on" if self.is_open else "unconfirmed"

    def valid_secrets(self, now: datetime) -> list[str]:
        """Return the valid secrets, the newest first."""
        return [
            secret.value for secret in self.secrets if secret.until is None or now < secret.until
        ]


@dataclass(frozen=True, slots=True)
class Watch:
    """An account's interest in a subject: events of these kinds go to the channel.

    `subject_id` is empty for every import, and for the quota.
    """

    watch_id: str
    account_id: str
    about: str
    subject_id: str
    subject_name: str
    kinds: tuple[str, ...]
    channel_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, with the subjects that it is of: pairs of `Watch.about` and `subject_id`.

    `account_id` is set for events of one account; nobody else's watch matches them.
    """

    event_id: str
    kind: str
    at: datetime
    subjects: frozenset[tuple[str, str]]
    data: Mapping[str, object] = field(hash=False)
    account_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """An event that is due for a watch; None for what needs no sending, as in a feed."""

    watch: Watch
    event: Event
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A stored delivery.

    Attributes:
        delivery_id: The id of its message, the same in each attempt.
        watch_id: Of its watch, as is `subject_name`; both are empty for a test of the channel.
        state: pending, delivered or dead.
        attempts: Number of attempts, including the one that it is claimed for.
    """

    delivery_id: str
    channel_id: str
    watch_id: str
    subject_name: str
    event_id: str
    kind: str
    event_at: datetime
    data: Mapping[str, object]
    state: str
    attempts: int
    created_at: datetime
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class AlertId:
    """The id of a delivery's message, and its watch."""

    message_id: str
    watch_id: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one attempt: the receiver's status and response, or the error without a response."""

    at: datetime
    status: int | None
    response: str
    error: str
    milliseconds: int

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def ends_channel(self) -> bool:
        """True if the receiver says that it wants no more (410 Gone)."""
        return self.status == 410
