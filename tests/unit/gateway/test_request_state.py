"""A call's state holds for that very call of that very account, unchanged, and for a while."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.elicitation.request_state import HOLDS_SECONDS, RequestStates, Subject
from gateway.mcp.jsonrpc import ProtocolError

SECRET = "a secret of at least 16"
SUBJECT = Subject("account-1", "tools/call", "channel.import", {"channel": "a name", "x": 1})
REPLIES = {"channel": {"action": "accept", "content": {"channel": "UC1"}}}


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def refused(states: RequestStates, state: object, subject: Subject = SUBJECT) -> bool:
    try:
        states.read(state, subject)
    except ProtocolError as error:
        return (error.code, error.status) == (-32602, 400)
    return False


def test_replies_in_the_state_are_read_by_any_gateway_with_the_secret() -> None:
    state = RequestStates(SECRET).sign(SUBJECT, REPLIES)
    assert RequestStates(SECRET).read(state, SUBJECT) == REPLIES


def test_no_state_has_no_replies() -> None:
    assert RequestStates(SECRET).read(None, SUBJECT) == {}


def test_the_order_of_arguments_does_not_matter() -> None:
    states = RequestStates(SECRET)
    turned = replace(SUBJECT, arguments={"x": 1, "channel": "a name"})
    assert states.read(states.sign(SUBJECT, REPLIES), turned) == REPLIES


@pytest.mark.parametrize(
    "change",
    [
        {"account_id": "account-2"},
        {"method": "prompts/get"},
        {"target": "sponsor.get"},
        {"arguments": {"channel": "another name", "x": 1}},
        {"arguments": None},
    ],
)
def test_a_state_of_another_call_is_refused(change: dict[str, Any]) -> None:
    states = RequestStates(SECRET)
    assert refused(states, states.sign(SUBJECT, REPLIES), replace(SUBJECT, **change))


def test_a_state_of_another_secret_is_refused() -> None:
    other = RequestStates("another secret, as long")
    assert refused(RequestStates(SECRET), other.sign(SUBJECT, REPLIES))


def test_a_state_holds_until_it_expires() -> None:
    clock = Clock()
    states = RequestStates(SECRET, clock)
    state = states.sign(SUBJECT, REPLIES)
    clock.now += HOLDS_SECONDS
    assert not refused(states, state)
    clock.now += 1
    assert refused(states, state)


@given(st.integers(min_value=0), st.characters())
def test_a_changed_state_is_refused(position: int, character: str) -> None:
    states = RequestStates(SECRET)
    state = states.sign(SUBJECT, REPLIES)
    at = position % len(state)
    changed = state[:at] + character + state[at + 1 :]
    assert changed == state or refused(states, changed)


@given(st.text() | st.integers() | st.lists(st.text()) | st.binary().map(lambda raw: raw.hex()))
def test_nothing_that_was_not_signed_is_accepted(state: object) -> None:
    assert refused(RequestStates(SECRET), state)
