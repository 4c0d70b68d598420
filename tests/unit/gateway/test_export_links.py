"""Links to exports: who may read what by them, and for how long."""

import base64

import pytest

from gateway.authentication.principal import EntitlementsChange
from gateway.exports.links import LIFETIME_SECONDS, EndedLinks, ExportLinks, ExportRequest, LinkGone
from tests.fakes.gateway_ports import principal

SECRET = "a secret of all gateways"
REQUEST = ExportRequest("sponsor.top", {"category": "vpn", "in_list": "Rivals"}, "csv", 500)


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def links(clock: Clock, secret: str = SECRET) -> ExportLinks:
    ended = EndedLinks(clock)
    ended.forget_all()
    return ExportLinks(secret, "https://mcp.example", ended, clock)


def token_of(made: ExportLinks) -> str:
    url = made.url(REQUEST, principal(account_id="acc-7"))
    assert url.startswith("https://mcp.example/mcp/exports/")
    return url.rpartition("/")[2]


def test_a_link_holds_its_request_and_caller_for_an_hour() -> None:
    clock = Clock()
    made = links(clock)
    token = token_of(made)
    clock.now += LIFETIME_SECONDS
    found = made.read(token)
    assert found.request == REQUEST
    assert found.principal.entitlements.account_id == "acc-7"
    clock.now += 1
    with pytest.raises(LinkGone):
        made.read(token)


def test_nothing_in_a_link_can_be_read() -> None:
    token = token_of(links(Clock()))
    parts = [base64.urlsafe_b64decode(part + "==") for part in token.split(".")]
    for word in (b"acc-7", b"sponsor.top", b"Rivals", b"vpn"):
        assert not any(word in part for part in parts)


@pytest.mark.parametrize("index", [0, 30, -1])
def test_a_changed_link_is_gone(index: int) -> None:
    made = links(Clock())
    token = token_of(made)
    other = "A" if token[index] != "A" else "B"
    changed = token[:index] + other + (token[index:][1:] if index != -1 else "")
    for text in (changed, "", "x", "a.b.c.d.e", token + "A", "é"):
        with pytest.raises(LinkGone):
            made.read(text)


def test_a_link_of_another_secret_is_gone() -> None:
    clock = Clock()
    with pytest.raises(LinkGone):
        links(clock, "another secret").read(token_of(links(clock)))


def test_a_change_of_the_account_ends_its_links_and_no_others() -> None:
    clock = Clock()
    made = links(clock)
    token = token_of(made)
    clock.now += 5
    made.ended.forget(EntitlementsChange("acc-8"))
    made.read(token)
    made.ended.forget(EntitlementsChange("acc-7", "key-1"))
    with pytest.raises(LinkGone):
        made.read(token)
    clock.now += 1
    made.read(token_of(made))


def test_links_hold_only_where_no_push_since_can_be_missing() -> None:
    clock = Clock()
    made = links(clock)
    token = token_of(made)
    made.ended.lose_pushes()
    with pytest.raises(LinkGone):
        made.read(token)
    clock.now += 5
    made.ended.forget_all()
    with pytest.raises(LinkGone):
        made.read(token)
    made.read(token_of(made))
