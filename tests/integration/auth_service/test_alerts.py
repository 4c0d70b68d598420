"""Alerts: from what the catalogue finds to what reaches a receiver."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from html import unescape
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook

from auth_service import app
from catalog_service import MIGRATIONS as CATALOG_MIGRATIONS
from tests.clients.person import Person
from tests.databases import Databases
from tests.fakes.webhook_receiver import WebhookReceiver
from tests.integration.auth_service.alerts import (
    BRAND,
    PAGE,
    Alerts,
    add_channel,
    add_watch,
    stub_of,
)
from tests.integration.auth_service.conftest import running, settings_of
from tests.integration.catalog_service.conftest import new_settings, running_catalog


@pytest.fixture
async def alerts(
    databases: Databases, fresh_database: Callable[[], str], valkey_url: str, tmp_path: Path
) -> AsyncGenerator[Alerts]:
    settings = settings_of(fresh_database(), valkey_url, tmp_path / "mails")
    async with running_catalog(new_settings(databases.migrated(CATALOG_MIGRATIONS))) as catalog:
        changed = settings.model_copy(
            update={
                "catalog_target": catalog.target,
                "alert_networks": ("127.0.0.0/8",),
                "alert_retry_seconds": (0.05, 0.05, 0.05),
            }
        )
        async with (
            WebhookReceiver().serving() as receiver,
            running(changed, app.now) as service,
            stub_of(service) as stub,
        ):
            opened = Alerts(service, catalog, receiver, stub)
            await opened.known()
            yield opened


async def watching(alerts: Alerts) -> tuple[Person, str]:
    """Return a person whose webhook gets the brand's alerts, and its secret."""
    person = await alerts.service.person()
    secret = await add_channel(person, "webhook", target=alerts.receiver.url)
    await add_watch(person)
    return person, secret


async def test_a_new_sponsorship_reaches_a_webhook_signed(alerts: Alerts) -> None:
    _, secret = await watching(alerts)
    await alerts.sponsored()
    (request,) = await alerts.receiver.number(1)
    payload = Webhook(secret).verify(request.body, request.headers)
    assert payload["type"] == "sponsorship.new"
    assert payload["data"]["sponsor"]["slug"] == BRAND
    assert payload["data"]["video"]["title"] == "v0"
    assert request.headers["webhook-id"].startswith("msg_")


async def test_events_of_a_watch_arrive_in_their_order_though_some_are_refused(
    alerts: Alerts,
) -> None:
    await watching(alerts)
    alerts.receiver.statuses += [500, 204, 503, 302]
    keys = await alerts.sponsored(videos=5)
    requests = await alerts.receiver.number(8)
    delivered = list(dict.fromkeys(request.json["data"]["video"]["title"] for request in requests))
    assert delivered == keys
    ids = [request.headers["webhook-id"] for request in requests]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 5


async def test_another_brand_and_a_repeated_import_send_nothing(alerts: Alerts) -> None:
    await watching(alerts)
    await alerts.sponsored("brightmeal")
    await alerts.sponsored()
    alerts.count -= 1
    await alerts.sponsored()
    await alerts.sponsored()
    titles = [item.json["data"]["video"]["title"] for item in await alerts.receiver.number(2)]
    assert titles == ["v1", "v2"]


async def test_both_secrets_sign_after_a_rotation(alerts: Alerts) -> None:
    person, secret = await watching(alerts)
    await person.visit(PAGE)
    rotated = await person.submit(f"{PAGE}/channels/rotate")
    found = re.search(r"whsec_[A-Za-z0-9+/=]+", unescape(rotated.text))
    assert found
    assert found[0] != secret
    await alerts.sponsored()
    (request,) = await alerts.receiver.number(1)
    for valid in (secret, found[0]):
        Webhook(valid).verify(request.body, request.headers)
    assert secret not in (await person.visit(PAGE)).text


async def test_a_secret_is_shown_once_on_a_page_that_can_be_reloaded(alerts: Alerts) -> None:
    person = await alerts.service.person()
    target = alerts.receiver.url
    await person.visit(PAGE)
    for form, fields in (
        (f"{PAGE}/channels", {"kind": "webhook", "target": target}),
        (f"{PAGE}/channels/rotate", {}),
    ):
        shown = await person.submit(form, **fields)
        assert (shown.request.method, shown.url.path) == ("GET", PAGE)
        assert "whsec_" in shown.text
        again = await person.visit(PAGE)
        assert "whsec_" not in again.text
        assert again.text.count('action="/account/alerts/channels/rotate"') == 1


async def test_a_dead_letter_is_shown_with_the_response_and_delivered_again(alerts: Alerts) -> None:
    person, _ = await watching(alerts)
    alerts.receiver.statuses += [500] * 4
    alerts.receiver.text = "no <b>thanks</b>"
    await alerts.sponsored()
    await alerts.receiver.number(4)
    async with asyncio.timeout(20):
        while "/deliveries/redeliver" not in (await person.visit(PAGE)).text:  # noqa: ASYNC110 - of the service
            await asyncio.sleep(0.05)
    shown = (await person.visit(PAGE)).text
    assert "dead" in shown
    assert "no &lt;b&gt;thanks&lt;/b&gt;" in shown
    await person.submit(f"{PAGE}/deliveries/redeliver")
    requests = await alerts.receiver.number(5)
    assert len({request.headers["webhook-id"] for request in requests}) == 1


async def test_older_deliveries_are_on_further_pages(alerts: Alerts) -> None:
    person, _ = await watching(alerts)
    await alerts.sponsored(videos=21)
    await alerts.receiver.number(21)
    newest = (await person.visit(PAGE)).text
    assert newest.count('class="import-head"') == 20
    older = (await person.visit(f"{PAGE}?page=1")).text
    assert older.count('class="import-head"') == 1
    assert "Older deliveries" in newest
    assert "Older deliveries" not in older
    assert (await person.visit(f"{PAGE}?page=x")).status_code == 200


@pytest.mark.parametrize("category", ["security", "tech"])
async def test_a_watch_on_a_category_or_its_group_gets_what_its_brands_do(
    alerts: Alerts, category: str
) -> None:
    person = await alerts.service.person()
    await add_channel(person, "webhook", target=alerts.receiver.url)
    await add_watch(person, category, "category")
    await alerts.sponsored("brightmeal")
    await alerts.sponsored()
    (request,) = await alerts.receiver.number(1)
    assert request.json["data"]["sponsor"]["slug"] == BRAND


async def test_a_test_reaches_a_channel_as_alerts_do_and_is_logged_as_one(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await add_channel(person, "webhook", target=alerts.receiver.url)
    await person.visit(PAGE)
    await person.submit(f"{PAGE}/channels/test")
    (request,) = await alerts.receiver.number(1)
    assert request.headers["webhook-signature"].startswith("v1,")
    assert (request.json["type"], request.json["watch_id"]) == ("test", None)
    assert request.json["data"] == {"channel": "My webhook"}
    async with asyncio.timeout(20):
        while "delivered<" not in (await person.visit(PAGE)).text:  # noqa: ASYNC110 - of the service
            await asyncio.sleep(0.05)
    shown = await person.visit(PAGE)
    assert "Test of the destination, to My webhook (127.0.0.1:" in shown.text
    for _ in range(9):
        await person.submit(f"{PAGE}/channels/test")
    refused = await person.submit(f"{PAGE}/channels/test")
    assert (refused.status_code, "Too many" in refused.text) == (429, True)
