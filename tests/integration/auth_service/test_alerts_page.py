"""What the page of alerts says after its forms, and what it says of each delivery."""

from __future__ import annotations

import json

from tests.integration.auth_service.alerts import PAGE, Alerts, add_channel, add_watch
from tests.integration.auth_service.test_alerts import alerts

__all__ = ["alerts"]


async def test_a_watch_is_announced_by_its_name_and_one_that_is_there_as_such(
    alerts: Alerts,
) -> None:
    person = await alerts.service.person()
    await add_watch(person)
    assert person.page
    assert "You watch Azura VPN now." in person.page.text
    await add_watch(person)
    assert "You watch Azura VPN by this destination already" in person.page.text
    assert "1 of 20." in person.page.text
    shown = await person.submit(f"{PAGE}/watches/delete")
    assert "The watch is deleted." in shown.text


async def test_a_notice_names_no_watch_that_the_account_has_not(alerts: Alerts) -> None:
    person = await alerts.service.person()
    shown = await person.visit(f"{PAGE}?notice=watched&watch=watch_1")
    assert "now." not in shown.text


async def test_every_form_of_a_destination_says_what_it_has_done(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await person.visit(PAGE)
    for form, fields, notice in (
        (
            f"{PAGE}/channels",
            {"kind": "webhook", "target": alerts.receiver.url},
            "The destination is added.",
        ),
        (f"{PAGE}/channels/rotate", {}, "The destination has a new secret."),
        (f"{PAGE}/channels/test", {}, "A test is on its way"),
        (f"{PAGE}/channels/delete", {}, "The destination is deleted"),
    ):
        shown = await person.submit(form, **fields)
        assert notice in shown.text


async def test_a_feed_takes_no_address(alerts: Alerts) -> None:
    person = await alerts.service.person()
    await person.visit(PAGE)
    target = "https://www.youtube.com/@mkbhd"
    refused = await person.submit(f"{PAGE}/channels", kind="feed", name="Mine", target=target)
    assert refused.status_code == 400
    assert "A feed has an address of its own: leave “URL or email” empty." in refused.text
    assert f'value="{target}"' in refused.text


async def test_deliveries_of_an_event_that_several_watches_fit_name_their_watches(
    alerts: Alerts,
) -> None:
    person = await alerts.service.person()
    await add_channel(person, "webhook", target=alerts.receiver.url)
    await add_watch(person)
    await add_watch(person, "ada", "youtuber")
    await alerts.sponsored()
    await alerts.receiver.number(2)
    shown = await person.visit(PAGE)
    for subject in ("Azura VPN", "Ada"):
        assert f"by the watch on {subject}, to My webhook (" in shown.text


async def test_the_export_has_watches_destinations_and_lists_without_secrets(
    alerts: Alerts,
) -> None:
    person = await alerts.service.person()
    secret = await add_channel(person, "webhook", target=alerts.receiver.url)
    await add_watch(person)
    await person.visit("/account/lists")
    await person.submit("/account/lists", name="Rivals", type="sponsor", names="azura-vpn")
    exported = (await person.visit("/account/export")).text
    document = json.loads(exported)
    assert [watch["subject_name"] for watch in document["watches"]] == ["Azura VPN"]
    (channel,) = document["alert_channels"]
    assert (channel["kind"], channel["target"]) == ("webhook", alerts.receiver.url)
    (saved,) = document["lists"]
    assert [entry["sponsor"]["name"] for entry in saved["entries"]] == ["Azura VPN"]
    assert secret
    assert secret not in exported
