"""The form in which a delivery reaches its receiver."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from standardwebhooks.webhooks import Webhook

from auth_service.domain.alerts.model import (
    DISCORD,
    IMPORT_FINISHED,
    QUOTA_REACHED,
    RELATION_LAPSED,
    REPORT_DECIDED,
    SLACK,
    SPONSORSHIP_FIRST,
    TEST,
    Channel,
    Delivery,
)
from auth_service.domain.site.mails import Mail
from servicekit import timestamps

_MAX_DISCORD: Final = 1_900
_JSON: Final = "application/json"
_OUTCOMES: Final = {
    "applied": "accepted and applied",
    "accepted": "accepted; the data had it already",
}
_ESCAPED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MARKDOWN: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\*_`~|>[]()#"})


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request to a receiver."""

    headers: dict[str, str]
    body: bytes


def request_to(channel: Channel, delivery: Delivery, now: datetime) -> Request:
    """Return the request of a delivery, signed if the channel has secrets."""
    headers = {"Content-Type": _JSON, "User-Agent": "Sponsorgraph-Alerts/1"}
    if channel.kind == SLACK:
        return Request(headers, _json({"text": sentence(delivery).translate(_ESCAPED)}))
    if channel.kind == DISCORD:
        content = sentence(delivery).translate(_MARKDOWN)[:_MAX_DISCORD]
        return Request(headers, _json({"content": content, "allowed_mentions": {"parse": []}}))
    body = _json(webhook_body(delivery))
    return Request({**headers, **_signed(channel, delivery, body, now)}, body)


def webhook_body(delivery: Delivery) -> dict[str, Any]:
    """Return the payload of a webhook, in the form of Standard Webhooks."""
    return {
        "type": delivery.kind,
        "timestamp": timestamps.to_text(delivery.event_at),
        "event_id": delivery.event_id,
        "watch_id": delivery.watch_id or None,
        "data": delivery.data,
    }


def _signed(channel: Channel, delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
    moment = now.astimezone(UTC)
    signatures = [
        Webhook(secret).sign(delivery.delivery_id, moment, body.decode())
        for secret in channel.valid_secrets(now)
    ]
    return {
        "webhook-id": delivery.delivery_id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def sentence(delivery: Delivery) -> str:
    """Return what happened in a line, with the link to it if there is one."""
    return f"{headline(delivery)} {link_of(delivery)}".rstrip()


def link_of(delivery: Delivery) -> str:
    """Return the address of the video that it is about; "" if there is none."""
    return str(_part(delivery.data, "video").get("url") or "")


def headline(delivery: Delivery) -> str:
    """Return what happened in a line, without a link."""
    data = delivery.data
    if delivery.kind == IMPORT_FINISHED:
        outcome = _text(data, "message") or f"{_text(data, 'state')}."
        return f"The import of {_text(data, 'channel_title')} has ended. {outcome}"
    if delivery.kind == QUOTA_REACHED:
        return f"{_text(data, 'percent')} % of this month's requests are used.{_requests(data)}"
    if delivery.kind == REPORT_DECIDED:
        title = _text(data, "video_title") or _text(data, "video_id")
        brand = _text(data, "sponsor_name") or _text(data, "brand")
        about = f"{brand} in {title}" if brand else title
        outcome = _OUTCOMES.get(_text(data, "state"), _text(data, "state"))
        number = _text(data, "report_id")
        return f"Your report {number} about {about} is {outcome}. {_text(data, 'note')}".strip()
    if delivery.kind == TEST:
        return f'This is a test of the destination "{_text(data, "channel")}": alerts reach it.'
    brand, creator = _name(data, "sponsor"), _name(data, "youtuber")
    if delivery.kind == RELATION_LAPSED:
        return (
            f"{brand} no longer sponsors {creator}: the last time was {_text(data, 'last_seen')}."
        )
    verb = "sponsors {} for the first time" if delivery.kind == SPONSORSHIP_FIRST else "sponsors {}"
    video = _part(data, "video")
    title = f': "{video["title"]}"' if video.get("title") else ""
    return f"{brand} {verb.format(creator)}{title}, {video.get('published_at')}."


def _requests(data: Mapping[str, object]) -> str:
    """Return the figures of a month's requests; nothing for an event of an older release, which lacks some."""
    used, limit, month = data.get("used"), data.get("limit"), data.get("month")
    if not (isinstance(used, int) and isinstance(limit, int) and isinstance(month, str)):
        return ""
    first = date.fromisoformat(f"{month}-01")
    reset = (first + timedelta(days=31)).replace(day=1)
    return f" You have used {used:,} of {limit:,} requests of {first:%B %Y}; they reset on 1 {reset:%B %Y} (UTC)."


def _part(data: Mapping[str, object], name: str) -> Mapping[str, Any]:
    value: Any = data.get(name)
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _name(data: Mapping[str, object], part: str) -> str:
    return str(_part(data, part).get("name", ""))


def _text(data: Mapping[str, object], name: str) -> str:
    return str(data.get(name) or "")


def mail_of(
    channel: Channel, deliveries: Sequence[Delivery], unsubscribe_url: str, site_url: str
) -> Mail:
    """Return the mail with all of these deliveries."""
    # Several watches may fit one event.
    sentences = dict.fromkeys(map(sentence, deliveries))
    lines = "\n".join(f"- {item}" for item in sentences)
    names = sorted({delivery.subject_name for delivery in deliveries if delivery.subject_name})
    watched = f"You watch: {', '.join(names)}. Change this" if names else "Change your alerts"
    subject = f"{len(sentences)} alerts"
    if len(sentences) == 1:
        subject = _subject(deliveries[0], names)
    is_of_quota = any(delivery.kind == QUOTA_REACHED for delivery in deliveries)
    pages = (
        f"What used them: {site_url}/account\nPlans: {site_url}/plans\n\n" if is_of_quota else ""
    )
    text = (
        f"{lines}\n\n{pages}{watched} at {site_url}/account/alerts.\n"
        f"Turn these mails off (the watches stay, and the page turns them on again): {unsubscribe_url}\n"
    )
    return Mail(channel.target, f"Sponsorgraph: {subject}", text, unsubscribe_url=unsubscribe_url)


def _subject(delivery: Delivery, names: Sequence[str]) -> str:
    if delivery.kind == QUOTA_REACHED:
        return f"{_text(delivery.data, 'percent')} % of the month's requests are used"
    return ", ".join(names) or "a test"


def confirmation_mail(channel: Channel, sender: str, link: str) -> Mail:
    """Return the mail that asks somebody whether they want an account's alerts."""
    return Mail(
        channel.target,
        "Confirm that you want these alerts",
        f"{sender} wants to send you alerts of Sponsorgraph about sponsorships on YouTube.\n\nConfirm "
        f"within two days that you want them:\n{link}\n\nIf you do not, do nothing: you get no further "
        f"mail.\n",
    )


def disabled_mail(to: str, channel: Channel, site_url: str) -> Mail:
    """Return the mail that tells an account that one of its channels gets no alerts any more."""
    return Mail(
        to,
        "Alerts to one of your destinations are off",
        f'Your destination "{channel.name}" did not take alerts for days, or said that it wants no more, and '
        f"is off now. See what it answered, and turn it on again, at {site_url}/account/alerts.\n",
    )
