"""The forms of replies to input requests, and the values that satisfy them."""

from typing import Any

import pytest

from gateway.domain.elicitation import NO_ELICITATION, InputRequest, choice, form, roots, sampling
from gateway.domain.errors import ElicitationUnavailable

FORM = form(
    "Which?",
    {
        "channel": choice("Channel", [("UC1", "One"), ("UC2", "Two")]),
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    },
)
CONTENT = {"channel": "UC1", "count": 3, "share": 0.5, "sure": True, "kinds": ["a"]}


def accepted(**changes: Any) -> dict[str, Any]:
    content = {name: value for name, value in (CONTENT | changes).items() if value is not None}
    return {"action": "accept", "content": content}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_no_is_a_reply_too(action: str) -> None:
    assert FORM.has_form({"action": action})
    assert FORM.is_satisfied_by({"action": action})


@pytest.mark.parametrize(
    ("input_request", "reply"),
    [
        (FORM, accepted()),
        (sampling("x", max_tokens=1), {"role": "assistant", "content": {"type": "text"}}),
        (roots(), {"roots": []}),
    ],
)
def test_each_kind_of_input_request_has_its_form_of_reply(
    input_request: InputRequest, reply: Any
) -> None:
    assert input_request.has_form(reply)
    assert input_request.is_satisfied_by(reply)
    others: list[Any] = [None, 5, "text", [], {}, {"action": "maybe"}, {"action": "accept"}]
    assert not any(input_request.has_form(other) for other in others)


@pytest.mark.parametrize(
    "change",
    [
        {"channel": "UC3"},
        {"channel": None},
        {"channel": 1},
        {"count": True},
        {"count": 0.5},
        {"share": "0.5"},
        {"sure": 1},
        {"kinds": ["c"]},
        {"kinds": "a"},
    ],
)
def test_a_value_that_does_not_fit_the_form_is_no_reply(change: dict[str, Any]) -> None:
    reply = accepted(**change)
    assert FORM.has_form(reply)
    assert not FORM.is_satisfied_by(reply)


def test_fields_that_were_not_requested_do_not_matter() -> None:
    assert FORM.is_satisfied_by(accepted(other="x"))


async def test_nobody_is_elicited_where_nobody_can_reply() -> None:
    assert not NO_ELICITATION.supports("elicitation")
    with pytest.raises(ElicitationUnavailable, match="has not declared the capability elicitation"):
        await NO_ELICITATION.elicit({"form": FORM})
