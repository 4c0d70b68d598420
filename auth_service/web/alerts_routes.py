"""The page of alerts: channels, watches, and the log of deliveries."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from auth_service.domain.alerts.channels import NewChannel
from auth_service.domain.alerts.messages import sentence, webhook_body
from auth_service.domain.alerts.model import (
    CHANNEL_KINDS,
    DIGESTS,
    EMAIL,
    FEED,
    MAX_CHANNELS,
    POSTED,
    SUBJECTS,
    WEBHOOK,
    AlertNotFound,
    Channel,
    Watch,
)
from auth_service.domain.alerts.ports import LoggedDelivery
from auth_service.domain.alerts.watches import NewWatch
from auth_service.domain.explore.labels import in_page_words
from auth_service.domain.plans import ALERTS
from auth_service.web import alert_words as words
from auth_service.web import new_secrets
from auth_service.web.page_request import Audience, PageRequest, get, http_status, post
from auth_service.web.site import Site
from servicekit.errors import InvalidInput, ResourceExhausted, ServiceError

PATH = "/account/alerts"
_MAX_PAGE = 1_000
_NOTICES: Final = {
    "watched": "You watch {name} now.",
    "watched-already": "You watch {name} by this destination already; the chosen events are among those of its watch.",
    "watch-deleted": "The watch is deleted.",
    "added": "The destination is added.",
    "unconfirmed": "The destination is added. A mail asks its reader to confirm; until then nothing else is sent there.",
    "secret": "The destination has a new secret.",
    "enabled": "The destination is turned on. A reader who has unsubscribed is asked by mail first.",
    "test": "A test is on its way; it is at the top of the deliveries.",
    "deleted": "The destination is deleted, with its watches.",
    "redelivered": "It is delivered again.",
}
"""What a form has done, by the name in the address that it leads to; `{name}` is that of a watch."""


def routes(site: Site) -> list[Route]:
    """Return the routes of the page and of its forms."""
    forms = {
        "channels": _create_channel,
        "channels/rotate": _rotate,
        "channels/enable": _enable,
        "channels/test": _send_test,
        "channels/delete": _delete_channel,
        "watches": _create_watch,
        "watches/delete": _delete_watch,
        "deliveries/redeliver": _redeliver,
    }
    return [
        get(site, PATH, _show, Audience.VISITOR),
        *(post(site, f"{PATH}/{name}", form, Audience.VISITOR) for name, form in forms.items()),
    ]


async def _create_channel(page: PageRequest) -> Response:
    wanted = NewChannel(
        page.value("kind"),
        page.value("name"),
        page.value("target"),
        page.value("digest") or DIGESTS[0],
    )
    alerts, account_id = page.site.alerts, _account_id(page)
    try:
        await alerts.check_plan(account_id)
        channel = await alerts.channels.create(account_id, wanted)
    except ServiceError as error:
        return await _render(page, error, channel_form=wanted)
    return _with_secret(page, channel, "added" if channel.is_open else "unconfirmed")


async def _rotate(page: PageRequest) -> Response:
    channel = await page.site.alerts.channels.rotate(_account_id(page), page.value("channel_id"))
    return _with_secret(page, channel, "secret")


async def _enable(page: PageRequest) -> Response:
    try:
        await page.site.alerts.channels.enable(_account_id(page), page.value("channel_id"))
    except ResourceExhausted as error:
        return await _render(page, error)
    return _done(page, "enabled")


async def _send_test(page: PageRequest) -> Response:
    alerts, account_id = page.site.alerts, _account_id(page)
    try:
        await alerts.check_plan(account_id)
        await alerts.channels.send_test(account_id, page.value("channel_id"))
    except (InvalidInput, ResourceExhausted) as error:
        return await _render(page, error)
    return _done(page, "test")


async def _delete_channel(page: PageRequest) -> Response:
    await page.site.alerts.channels.delete(_account_id(page), page.value("channel_id"))
    return _done(page, "deleted")


async def _create_watch(page: PageRequest) -> Response:
    wanted = NewWatch(
        page.value("about"),
        page.value("subject").strip(),
        page.values("kinds"),
        page.value("channel"),
    )
    try:
        words.check_kinds(wanted)
        created = await page.site.alerts.watches.create(_account_id(page), wanted)
    except ServiceError as error:
        return await _render(page, error, watch_form=wanted)
    notice = "watched" if created.is_new else "watched-already"
    return _done(page, notice, watch=created.watch.watch_id)


async def _delete_watch(page: PageRequest) -> Response:
    try:
        await page.site.alerts.watches.delete(_account_id(page), page.value("watch_id"))
    except AlertNotFound as error:
        return await _render(page, error)
    return _done(page, "watch-deleted")


async def _redeliver(page: PageRequest) -> Response:
    await page.site.alerts.channels.redeliver(_account_id(page), page.value("delivery_id"))
    return _done(page, "redelivered")


def _with_secret(page: PageRequest, channel: Channel, notice: str) -> Response:
    """Lead to the page, which shows a webhook's new secret, this once."""
    if channel.kind == WEBHOOK:
        new_secrets.announce(page, "channel", channel.channel_id)
    return _done(page, notice)


def _done(page: PageRequest, notice: str, **values: str) -> Response:
    """Lead to the page, which says what was done."""
    return page.redirect(f"{PATH}?{urlencode({'notice': notice, **values})}")


def _notice(page: PageRequest, watches: Sequence[Watch]) -> str | None:
    """Return the notice of the address; one about a watch names only a watch of the account."""
    query = page.request.query_params
    text = _NOTICES.get(query.get("notice", ""))
    if text is None or "{name}" not in text:
        return text
    names = (watch.subject_name for watch in watches if watch.watch_id == query.get("watch"))
    name = next(names, None)
    return name and text.replace("{name}", name)


async def _show(page: PageRequest) -> Response:
    return await _render(page, new_channel_id=new_secrets.take(page, "channel"))


async def _render(
    page: PageRequest,
    error: ServiceError | None = None,
    new_channel_id: str = "",
    **values: Any,
) -> Response:
    account_id, alerts = _account_id(page), page.site.alerts
    plan = page.site.account_service.plan(page.required_visitor)
    found = await alerts.watches.list_all(account_id)
    channels = {channel.channel_id: channel for channel in found.channels}
    labels = words.channel_labels(channels)
    number = _page_number(page)
    logged, has_older = await alerts.logged_deliveries(account_id, number)
    return page.render(
        "alerts.html",
        http_status(error) if error else 200,
        error=words.in_form_words(error.public_message) if error else None,
        notice=None if error else _notice(page, found.watches),
        plan_has_alerts=plan.has(ALERTS) and plan.watches > 0,
        watches=[_watch_row(watch, channels[watch.channel_id], labels) for watch in found.watches],
        channels=[_channel_row(page, channel, labels) for channel in found.channels],
        deliveries=[
            _delivery_row(item, channels[item.delivery.channel_id], labels) for item in logged
        ],
        older_page=number + 1 if has_older else None,
        has_own_address=any(
            channel.mails_at_once(page.required_visitor.subject.email) for channel in found.channels
        ),
        max_watches=found.max_watches,
        max_channels=MAX_CHANNELS,
        subjects=SUBJECTS,
        event_subjects={kind: words.subjects_of(kind) for kind in words.EVENTS},
        event_names=words.EVENTS,
        about_names=words.SUBJECT_NAMES,
        kind_names=words.KINDS,
        digest_names=words.DIGESTS,
        channel_kinds=CHANNEL_KINDS,
        digests=DIGESTS,
        new_channel=channels.get(new_channel_id),
        **values,
    )


def _page_number(page: PageRequest) -> int:
    """Return which page of deliveries is asked for; 0 is the newest."""
    number = page.request.query_params.get("page", "")
    return min(int(number), _MAX_PAGE) if number.isdecimal() and number.isascii() else 0


def _watch_row(watch: Watch, channel: Channel, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "watch_id": watch.watch_id,
        "about": watch.about,
        "name": watch.subject_name,
        "kinds": watch.kinds,
        "channel": labels[channel.channel_id],
        "is_off": not channel.is_open,
        "since": watch.created_at,
    }


def _channel_row(page: PageRequest, channel: Channel, labels: Mapping[str, str]) -> dict[str, Any]:
    secret = channel.secrets[0].value if channel.kind == FEED and channel.secrets else ""
    feed_url = f"{page.site.site_url}/alerts/feeds/{channel.channel_id}/{secret}"
    return {
        "channel_id": channel.channel_id,
        "kind": channel.kind,
        "name": channel.name,
        "label": labels[channel.channel_id],
        "state": channel.state,
        "target": words.shown_target(channel),
        "digest": channel.digest if channel.kind == EMAIL else "",
        "feed_url": feed_url if channel.kind == FEED else "",
        "has_secret": channel.kind in (WEBHOOK, FEED),
        "failing_since": channel.failing_since,
    }


def _delivery_row(
    logged: LoggedDelivery, channel: Channel, labels: Mapping[str, str]
) -> dict[str, Any]:
    delivery = logged.delivery
    return {
        "delivery_id": delivery.delivery_id,
        "what": in_page_words(sentence(delivery)),
        "kind": delivery.kind,
        "watch": delivery.subject_name,
        "state": delivery.state,
        "channel": labels[channel.channel_id],
        "created_at": delivery.created_at,
        "due_at": delivery.due_at,
        "body": webhook_body(delivery) if channel.kind == WEBHOOK else None,
        "attempts": logged.attempts,
        "may_redeliver": channel.kind in POSTED and delivery.state != "pending",
    }


def _account_id(page: PageRequest) -> str:
    return page.required_visitor.subject.account_id
