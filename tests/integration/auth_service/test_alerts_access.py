"""Who may have alerts, and that nobody reaches another's."""

from __future__ import annotations

import asyncio
import re
import secrets
from email import message_from_bytes, policy
from html import unescape
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from protos.alerts.v1 import alerts_pb2 as pb
from servicekit.errors import (
    InvalidInput,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    ServiceError,
)
from servicekit.grpc import client as grpc_client
from tests.clients.person import Person, link_in
from tests.clients.person import newest_mail as person_mail
from tests.integration.auth_service.alerts import BRAND, PAGE, Alerts, add_channel, add_watch
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_alerts import alerts, watching

__all__ = ["alerts"]


async def account_id(service: Service, email: str) -> str:
    def read() -> str:
        with psycopg.connect(service.settings.database_url) as connection:
            row = connection.execute("SELECT id FROM accounts WHERE email = %s", [email]).fetchone()
        assert row is not None
        return row[0]

    return await asyncio.to_thread(read)


async def create(alerts: Alerts, account: str, **fields: Any) -> pb.Watch:
    wanted = {"about": "sponsor", "subject": BRAND, "channel": "email", **fields}
    request = pb.CreateWatchRequest(account_id=account, **wanted)
    return await grpc_client.call(alerts.stub.CreateWatch, request, timeout=10)


async def listed(alerts: Alerts, account: str) -> pb.WatchList:
    request = pb.ListWatchesRequest(account_id=account)
    return await grpc_client.call(alerts.stub.ListWatches, request, timeout=10)


def mails_to(folder: Path, address: str) -> list[Path]:
    return sorted(folder.glob(f"* {address}.eml"))


async def newest_mail(folder: Path, to: str) -> Any:
    """Wait for a mail, and return it with its headers."""
    async with asyncio.timeout(20):
        while True:
            found = mails_to(folder, to)
            if found:
                return message_from_bytes(found[-1].read_bytes(), policy=policy.default)
            await asyncio.sleep(0.05)


async def test_the_free_plan_sees_what_alerts_would_be_and_gets_none(alerts: Alerts) -> None:
    person = await alerts.service.person("free")
    shown = (await person.visit(PAGE)).text
    assert "has no alerts" in shown
    assert "/plans" in shown
    assert f'action="{PAGE}/watches"' not in shown
    account = await account_id(alerts.service, person.email)
    with pytest.raises(PermissionDenied, match="Creator") as refused:
        await create(alerts, account)
    assert refused.value.reason == "ALERTS_PLAN_REQUIRED"


async def test_a_watch_again_is_the_same_watch_with_its_new_kinds(alerts: Alerts) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    first = await create(alerts, account)
    again = await create(alerts, account, subject="azuravpn.com", kinds=["relation.lapsed"])
    assert again.watch_id == first.watch_id
    (watch,) = (await listed(alerts, account)).watches
    assert list(watch.kinds) == ["relation.lapsed"]
    assert watch.subject_name == "Azura VPN"


async def test_watches_are_as_many_as_the_plan_has(alerts: Alerts) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    limit = (await listed(alerts, account)).max_watches
    await asyncio.to_thread(_fill, alerts, account, await create(alerts, account), limit)
    with pytest.raises(ResourceExhausted, match=str(limit)):
        await create(alerts, account, about="youtuber", subject="ada")
    await create(alerts, account)  # the one that is there


def _fill(alerts: Alerts, account: str, first: pb.Watch, limit: int) -> None:
    with psycopg.connect(alerts.service.settings.database_url) as connection:
        for number in range(limit - 1):
            connection.execute(
                "INSERT INTO alert_watches SELECT %s, account_id, about, %s, '', kinds, channel_id, created_at "
                "FROM alert_watches WHERE id = %s",
                [f"watch_{account}{number}", f"sp_{1000 + number}", first.watch_id],
            )


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"about": "planet"}, InvalidInput),
        ({"subject": ""}, InvalidInput),
        ({"kinds": ["import.finished"]}, InvalidInput),
        ({"subject": "no such brand at all"}, NotFound),
        ({"about": "category", "subject": "none"}, NotFound),
        ({"about": "import", "subject": "imp_none"}, NotFound),
        ({"channel": "chan_none"}, NotFound),
        ({"channel": "chan\0"}, InvalidInput),
        ({"subject": "a\0"}, InvalidInput),
    ],
)
async def test_what_means_nothing_is_refused(
    alerts: Alerts, fields: dict[str, Any], error: type[ServiceError]
) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    with pytest.raises(error) as refused:
        await create(alerts, account, **fields)
    assert refused.value.details["field"] in {"subject", *fields}


async def test_an_id_with_a_zero_byte_is_refused(alerts: Alerts) -> None:
    account = await account_id(alerts.service, await alerts.service.account())
    request = pb.DeleteWatchRequest(account_id=account, watch_id="watch_\0")
    with pytest.raises(InvalidInput) as refused:
        await grpc_client.call(alerts.stub.DeleteWatch, request, timeout=10)
    assert refused.value.details["field"] == "watch_id"


async def test_anothers_watch_and_channel_are_as_unknown_as_none(alerts: Alerts) -> None:
    owner = await account_id(alerts.service, await alerts.service.account())
    stranger = await account_id(alerts.service, await alerts.service.account())
    watch = await create(alerts, owner)
    errors: list[str] = []
    for watch_id in (watch.watch_id, f"{watch.watch_id[:-4]}none"):
        request = pb.DeleteWatchRequest(account_id=stranger, watch_id=watch_id)
        with pytest.raises(NotFound) as refused:
            await grpc_client.call(alerts.stub.DeleteWatch, request, timeout=10)
        errors.append(str(refused.value))
    for channel_id in (watch.channel_id, "chan_none"):
        with pytest.raises(NotFound) as refused:
            await create(alerts, stranger, channel=channel_id)
        errors.append(str(refused.value))
    assert errors[0] == errors[1]
    assert errors[2] == errors[3]
    assert not (await listed(alerts, stranger)).channels
    assert len((await listed(alerts, owner)).watches) == 1


async def test_anothers_delivery_is_not_delivered_again(alerts: Alerts) -> None:
    owner, _ = await watching(alerts)
    await alerts.sponsored()
    (request,) = await alerts.receiver.number(1)
    stranger = await alerts.service.person()
    await stranger.visit("/account/settings")
    csrf = dict(stranger.form("/account/settings/password").fields)["csrf"]
    outcomes: list[tuple[int, str]] = []
    for delivery_id in (request.headers["webhook-id"], "msg_none"):
        body = {"csrf": csrf, "delivery_id": delivery_id}
        response = await stranger.client.post(f"{PAGE}/deliveries/redeliver", data=body)
        outcomes.append((response.status_code, response.text.replace(delivery_id, "ID")))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 404
    assert request.headers["webhook-id"] not in (await stranger.visit(PAGE)).text
    assert request.headers["webhook-id"] in (await owner.visit(PAGE)).text


async def test_events_of_a_deleted_watch_are_not_delivered(alerts: Alerts) -> None:
    person, _ = await watching(alerts)
    await person.visit(PAGE)
    await person.submit(f"{PAGE}/watches/delete")
    await alerts.sponsored()
    await add_watch(person, "brightmeal")
    await alerts.sponsored("brightmeal")
    (request,) = await alerts.receiver.number(1)
    assert request.json["data"]["sponsor"]["slug"] == "brightmeal"


async def test_an_account_on_free_again_gets_nothing_until_it_returns(alerts: Alerts) -> None:
    person, _ = await watching(alerts)
    await alerts.service.set_plan(person.email, "free")
    await alerts.sponsored()
    # Another account's alert comes after it, so the first one has been passed over.
    other = await alerts.service.person()
    await add_channel(other, "webhook", target=alerts.receiver.url)
    await add_watch(other, "brightmeal")
    await alerts.sponsored("brightmeal")
    (request,) = await alerts.receiver.number(1)
    assert request.json["data"]["sponsor"]["slug"] == "brightmeal"
    await alerts.service.set_plan(person.email, "creator")
    await alerts.sponsored()
    assert len(await alerts.receiver.number(2)) == 2


@pytest.mark.parametrize(
    "target",
    [
        "http://example.com/hook", "ftp://127.0.0.1/x", "https://10.0.0.1/x", "https://[::1]/x",
        "https://169.254.169.254/latest", "https://user:pw@93.184.216.34/x", "not a url",
        "https://93.184.216.34:8443/x", "https:///x", "https://2130706434.example.invalid/x",
    ],
)  # fmt: skip
async def test_a_url_that_leads_elsewhere_than_to_the_internet_is_refused(
    alerts: Alerts, target: str
) -> None:
    person = await alerts.service.person()
    await person.visit(PAGE)
    shown = await person.submit(f"{PAGE}/channels", kind="webhook", target=target)
    assert shown.status_code == 400
    assert "chan_" not in (await person.visit(PAGE)).text


async def test_slack_and_discord_get_their_own_form(alerts: Alerts) -> None:
    person = await alerts.service.person()
    for kind in ("slack", "discord"):
        await add_channel(person, kind, target=alerts.receiver.url)
        await add_watch(person)
    await alerts.sponsored()
    bodies = [request.json for request in await alerts.receiver.number(2)]
    (slack,) = [body for body in bodies if "text" in body]
    (discord,) = [body for body in bodies if "content" in body]
    assert "Azura VPN sponsors Ada" in slack["text"]
    assert discord["allowed_mentions"] == {"parse": []}
    assert "Azura VPN sponsors Ada" in discord["content"]


async def test_own_address_gets_mails_that_unsubscribe_by_one_click(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await add_watch(person)
    await alerts.sponsored()
    mail = await newest_mail(alerts.service.mails, person.email)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "Azura VPN sponsors Ada" in mail.get_content()
    url = mail["List-Unsubscribe"].strip("<>")
    async with httpx2.AsyncClient() as client:
        forged = await client.post(f"{url[:-3]}abc", data={"List-Unsubscribe": "One-Click"})
        opened = await client.get(f"{url[:-3]}abc")
        unknown = await client.get(f"{alerts.service.url}/alerts/unsubscribe/chan_none/abc")
        for response in (forged, opened, unknown):
            assert response.status_code == 404
            assert "This link is not valid." in response.text
        form = await client.get(url)
        assert "The watches stay" in form.text
        assert 'class="badge good">on<' in (await person.visit(PAGE)).text
        done = await client.post(url, data={"List-Unsubscribe": "One-Click"})
        again = await client.post(url, data={"List-Unsubscribe": "One-Click"})
    assert (done.status_code, again.status_code) == (200, 200)
    shown = await person.visit(PAGE)
    assert 'class="badge bad">off<' in shown.text
    assert "<strong>Azura VPN</strong>" in shown.text
    shown = await person.submit(f"{PAGE}/watches", about="quota", subject="", channel="email")
    assert "Requests of the month" in shown.text
    assert 'class="badge bad">off<' in shown.text  # whoever unsubscribed turns it on themselves
    channel_id = re.findall(r"chan_[\w-]+", shown.text)[0]
    shown = await person.submit(f"{PAGE}/channels/enable", channel_id=channel_id)
    assert 'class="badge good">on<' in shown.text


async def unsubscribe_url(alerts: Alerts, address: str) -> str:
    """Wait for a mail that has it: the confirmation has none."""
    async with asyncio.timeout(20):
        while True:
            mail = await newest_mail(alerts.service.mails, address)
            if "List-Unsubscribe" in mail:
                return mail["List-Unsubscribe"]
            await asyncio.sleep(0.05)


async def test_another_reader_who_unsubscribed_is_not_sent_mails_again(alerts: Alerts) -> None:
    person = await alerts.service.person()
    other = f"{secrets.token_hex(6)}@example.com"
    await add_channel(person, "email", target=other)
    await add_watch(person)
    mail = await newest_mail(alerts.service.mails, other)
    link = next(line for line in mail.get_content().split() if line.startswith("http"))
    async with Person(alerts.service.url) as reader:
        await reader.visit(link)
        await reader.submit("")
    await alerts.sponsored()
    url = (await unsubscribe_url(alerts, other)).strip("<>")
    async with httpx2.AsyncClient() as client:
        assert (await client.post(url)).status_code == 200
    shown = await person.visit(PAGE)
    channel_id = re.findall(r"chan_[\w-]+", shown.text)[0]
    waiting = await person.submit(f"{PAGE}/channels/enable", channel_id=channel_id)
    assert "unconfirmed" in waiting.text
    await alerts.sponsored()
    # After the confirmation and an alert comes the second question, and no alert meanwhile.
    link = link_in(await person_mail(alerts.service.mails, other, 3))
    assert "/confirm/" in link
    async with Person(alerts.service.url) as reader:
        await reader.visit(link)
        await reader.submit("")
    again = await person.visit(PAGE)
    assert "unconfirmed" not in again.text
    assert "watches/delete" in again.text  # the watch stayed


async def test_messages_on_the_page_are_words_without_backquotes(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await person.visit(PAGE)
    shown = await person.submit(f"{PAGE}/watches", about="sponsor", subject="", channel="email")
    assert "“Which one” is empty: give the brand to watch." in shown.text
    await person.visit(PAGE)
    shown = await person.submit(f"{PAGE}/watches", about="quota", subject="x", channel="email")
    assert (
        "A watch on the requests of the month takes no “Which one”: leave it empty." in shown.text
    )
    await person.visit(PAGE)
    assert "My address, at once" in shown.text
    shown = await person.submit(f"{PAGE}/watches", about="quota", subject="", channel="email")
    assert "My address, at once" not in shown.text, "the address is offered once"
    assert shown.text.count("<strong>Requests of the month</strong>") == 1
    gone = await person.submit(f"{PAGE}/watches/delete", watch_id="watch_none")
    assert gone.status_code == 404
    assert "You have no such watch. It may have been deleted already." in gone.text


async def test_events_that_do_not_fit_are_refused_in_the_words_of_the_form(alerts: Alerts) -> None:
    person = await alerts.service.person()
    shown = await person.visit(PAGE)
    assert '<div class="check" data-fits="sponsor youtuber category">' in shown.text
    shown = await person.submit(
        f"{PAGE}/watches", about="sponsor", subject=BRAND, kinds="quota.reached", channel="email"
    )
    assert shown.status_code == 400
    assert "80 and 100 % of requests used does not go with “Brand”. Choose from:" in shown.text
    assert "quota.reached of" not in shown.text


async def test_channels_of_one_name_have_different_labels(alerts: Alerts) -> None:
    person = await alerts.service.person()
    for kind in ("webhook", "webhook", "feed"):
        await add_channel(person, kind, target=alerts.receiver.url if kind == "webhook" else "")
    await add_channel(person, "email", target=person.email, digest="daily")
    shown = unescape((await person.visit(PAGE)).text)
    options = re.findall(r'<option value="(chan_[^"]+)">([^<]+)<', shown)
    assert len({label for _, label in options}) == 4
    webhooks = [label for _, label in options if label.startswith("My webhook (127.0.0.1:")]
    assert len(webhooks) == 2
    assert f"My email ({person.email})" in dict(options).values()


async def test_own_address_at_once_is_no_channel_of_a_digest(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await add_channel(person, "email", target=person.email, digest="weekly")
    account = await account_id(alerts.service, person.email)
    first = await create(alerts, account)
    second = await create(alerts, account, about="youtuber", subject="ada")
    names = {
        channel.channel_id: channel.name for channel in (await listed(alerts, account)).channels
    }
    assert names[first.channel_id] == "My address"
    assert (len(names), second.channel_id) == (2, first.channel_id)


async def test_anothers_address_gets_nothing_before_it_confirmed(alerts: Alerts) -> None:
    person = await alerts.service.person()
    other = f"{secrets.token_hex(6)}@example.com"
    await add_channel(person, "email", target=other)
    await add_watch(person)
    await alerts.sponsored()
    mail = await newest_mail(alerts.service.mails, other)
    assert person.email in mail.get_content()
    link = next(line for line in mail.get_content().split() if line.startswith("http"))
    async with Person(alerts.service.url) as reader:
        await reader.visit(link)
        confirmed = await reader.submit("")
        assert "Confirmed" in confirmed.text
    assert len(mails_to(alerts.service.mails, other)) == 1
    await alerts.sponsored()
    async with asyncio.timeout(20):
        # The first one comes too if the service had not got to it before the address was confirmed.
        while '"v1"' not in (await newest_mail(alerts.service.mails, other)).get_content():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_a_feed_has_a_secret_address_that_a_rotation_ends(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await add_channel(person, "feed")
    await add_watch(person)
    await alerts.sponsored()
    url = (await person.visit(PAGE)).text.partition("/alerts/feeds/")[2].partition('"')[0]
    async with httpx2.AsyncClient(base_url=alerts.service.url) as client:
        async with asyncio.timeout(20):
            while "<entry>" not in (feed := await client.get(f"/alerts/feeds/{url}")).text:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert feed.headers["content-type"] == "application/atom+xml"
        assert "Azura VPN sponsors Ada" in feed.text
        entry = feed.text.partition("<entry>")[2]
        title, link = (
            entry.partition(f"<{name}")[2].partition("/")[0] for name in ("title", "link")
        )
        assert "http" not in title
        assert 'href="http' in link
        await person.visit(PAGE)
        await person.submit(f"{PAGE}/channels/rotate")
        assert (await client.get(f"/alerts/feeds/{url}")).status_code == 404


async def test_a_receiver_that_is_gone_turns_its_channel_off_with_a_mail(alerts: Alerts) -> None:
    person, _ = await watching(alerts)
    alerts.receiver.statuses.append(410)
    await alerts.sponsored()
    mail = await newest_mail(alerts.service.mails, person.email)
    assert "off" in mail["Subject"]
    shown = await person.visit(PAGE)
    assert "Turn on" in shown.text
    await alerts.sponsored()
    await person.submit(f"{PAGE}/channels/enable")
    await alerts.sponsored()
    titles = [request.json["data"]["video"]["title"] for request in await alerts.receiver.number(2)]
    assert titles[0] == "v0"
    assert titles[1] in ("v1", "v2")
