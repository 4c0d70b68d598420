"""The form of messages."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from auth_service.domain.alerts.messages import mail_of, request_to, sentence
from auth_service.domain.alerts.model import Channel, Delivery, Secret
from auth_service.domain.alerts.secrets import SignedLinks, new_webhook_secret
from auth_service.web.alert_links_routes import atom

NOW = datetime.now(UTC)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def channel(kind: str, *secrets: Secret) -> Channel:
    return Channel(
        "chan_1", "acc_1", kind, "Mine", "https://r.example/x", secrets, "at_once", NOW, NOW
    )


def delivery(kind: str = "sponsorship.new", **data: Any) -> Delivery:
    facts: dict[str, Any] = {
        "sponsor": {"name": "Azura & <VPN>"},
        "youtuber": {"name": "Ada"},
        "video": {"title": "*Light*", "published_at": "2026-11-01", "url": "https://y.example/v"},
        **data,
    }
    return Delivery(
        "msg_1", "chan_1", "watch_1", "Azura", "evt_1", kind, NOW, facts, "pending", 1, NOW, NOW
    )


@given(title=ANY_TEXT)
def test_a_webhook_of_any_text_is_signed_by_every_valid_secret_and_no_other(title: str) -> None:
    # The library refuses what was signed more than five minutes ago.
    now = datetime.now(UTC)
    present, former, ended = (new_webhook_secret() for _ in range(3))
    secrets = (
        Secret(present),
        Secret(former, now + timedelta(hours=1)),
        Secret(ended, now - timedelta(seconds=1)),
    )
    request = request_to(channel("webhook", *secrets), delivery(video={"title": title}), now)
    for valid in (present, former):
        payload = Webhook(valid).verify(request.body, request.headers)
        assert payload["data"]["video"]["title"] == title
    for other in (ended, new_webhook_secret()):
        with pytest.raises(WebhookVerificationError):
            Webhook(other).verify(request.body, request.headers)
    changed = request.body.replace(b"Ada", b"Bob")
    with pytest.raises(WebhookVerificationError):
        Webhook(present).verify(changed, request.headers)


def test_slack_and_discord_take_third_party_text_as_text() -> None:
    slack = json.loads(request_to(channel("slack"), delivery(), NOW).body)
    assert "Azura &amp; &lt;VPN&gt;" in slack["text"]
    discord = json.loads(request_to(channel("discord"), delivery(), NOW).body)
    assert "\\*Light\\*" in discord["content"]
    assert discord["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("sponsorship.first", {}, "for the first time"),
        ("relation.lapsed", {"last_seen": "2026-01-02"}, "the last time was 2026-01-02"),
        ("quota.reached", {"percent": 80}, "80 %"),
        ("import.finished", {"channel_title": "Ada", "state": "done"}, "import of Ada has ended. done"),
        ("report.decided", {"video_title": "T", "state": "accepted", "note": None}, "about T is accepted; the data had it already."),
        ("report.decided", {"video_title": "T", "state": "applied", "note": None}, "about T is accepted and applied."),
        ("report.decided", {"report_id": "r_1", "sponsor_name": "A", "video_title": "T", "state": "no"}, "report r_1 about A in T is no."),
        ("sponsorship.new", {"video": None, "sponsor": None}, "sponsors Ada"),
    ],
)  # fmt: skip
def test_each_event_is_a_sentence(kind: str, data: dict[str, Any], words: str) -> None:
    assert words in sentence(delivery(kind, **data))


def test_a_mail_has_all_that_is_due_and_how_to_end_it() -> None:
    mail = mail_of(
        channel("email"),
        [delivery(video={"title": title}) for title in ("First", "Second")],
        "https://s.example/u",
        "https://s.example",
    )
    assert mail.text.count("sponsors Ada") == 2
    assert "2 alerts" in mail.subject
    assert mail.unsubscribe_url == "https://s.example/u"
    assert "\n" not in mail.subject


def test_what_two_watches_fit_stands_in_a_mail_once() -> None:
    due = [delivery(), delivery()]
    mail = mail_of(channel("email"), due, "https://s.example/u", "https://s.example")
    assert mail.text.count("sponsors Ada") == 1
    assert "alerts" not in mail.subject


def test_a_mail_about_requests_has_figures_the_reset_and_where_to_look() -> None:
    data = {"percent": 80, "month": "2026-12", "used": 8_012, "limit": 10_000}
    due = [delivery("quota.reached", **data)]
    text = mail_of(channel("email"), due, "https://s.example/u", "https://s.example").text
    subject = mail_of(channel("email"), due, "https://s.example/u", "https://s.example").subject
    assert subject == "Sponsorgraph: 80 % of the month's requests are used"
    assert "You have used 8,012 of 10,000 requests of December 2026" in text
    assert "reset on 1 January 2027 (UTC)" in text
    assert "https://s.example/account\n" in text
    assert "https://s.example/plans\n" in text


@given(text=ANY_TEXT)
def test_a_feed_of_any_text_is_xml(text: str) -> None:
    feed = atom(channel("feed"), [delivery(video={"title": text})], "https://s.example")
    names = [element.tag.partition("}")[2] for element in ET.fromstring(feed)]  # noqa: S314 - our own
    assert names.count("entry") == 1


def test_a_signed_link_is_good_for_its_channel_and_purpose_alone() -> None:
    links = SignedLinks(b"k" * 32, "https://s.example")
    token = links.url("confirm", "chan_1").rpartition("/")[2]
    assert links.is_genuine("confirm", "chan_1", token)
    assert not links.is_genuine("unsubscribe", "chan_1", token)
    assert not links.is_genuine("confirm", "chan_2", token)
    assert not SignedLinks(b"x" * 32, "").is_genuine("confirm", "chan_1", token)
