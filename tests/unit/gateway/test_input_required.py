"""Input requests to stateless callers: once all have a reply the call goes on."""

from typing import Any

import pytest

from gateway.domain.elicitation import InputRequired, Kind, form, roots, sampling
from gateway.mcp.elicitation.input_required import InputRequiredElicitor, input_required, replies_of
from gateway.mcp.jsonrpc import ProtocolError

ALL: frozenset[Kind] = frozenset(("elicitation", "sampling", "roots"))
ROOTS: frozenset[Kind] = frozenset(("roots",))
NAME = form("Who?", {"name": {"type": "string"}})
ANN = {"action": "accept", "content": {"name": "Ann"}}


async def test_a_call_without_replies_ends_with_its_input_requests() -> None:
    with pytest.raises(InputRequired) as needed:
        await InputRequiredElicitor(ALL, {}, {}).elicit({"name": NAME, "roots": roots()})
    result = input_required(needed.value.requests, "signed")
    assert result == {
        "resultType": "input_required",
        "inputRequests": {
            "name": {"method": "elicitation/create", "params": NAME.params},
            "roots": {"method": "roots/list", "params": {}},
        },
        "requestState": "signed",
    }


async def test_only_missing_replies_are_requested_again_and_the_rest_is_stored() -> None:
    with pytest.raises(InputRequired) as needed:
        await InputRequiredElicitor(ALL, {}, {"name": ANN}).elicit({"name": NAME, "roots": roots()})
    assert list(needed.value.requests) == ["roots"]
    assert needed.value.replies == {"name": ANN}


async def test_replies_of_earlier_rounds_count() -> None:
    elicitor = InputRequiredElicitor(ALL, {"name": ANN}, {"roots": {"roots": []}})
    assert await elicitor.elicit({"name": NAME}) == {"name": ANN}
    assert await elicitor.elicit({"roots": roots()}) == {"roots": {"roots": []}}
    with pytest.raises(InputRequired) as needed:
        await elicitor.elicit({"more": NAME})
    assert needed.value.replies == {"name": ANN, "roots": {"roots": []}}


async def test_a_reply_that_does_not_fit_its_form_is_requested_again() -> None:
    unfit = {"action": "accept", "content": {"name": 5}}
    with pytest.raises(InputRequired):
        await InputRequiredElicitor(ALL, {}, {"name": unfit}).elicit({"name": NAME})


async def test_replies_that_nobody_requested_are_ignored() -> None:
    elicitor = InputRequiredElicitor(ALL, {}, {"name": ANN, "other": 5})
    assert await elicitor.elicit({"name": NAME}) == {"name": ANN}


@pytest.mark.parametrize("reply", [5, "x", [], {}, {"action": "yes"}])
async def test_a_reply_of_another_form_is_an_error(reply: Any) -> None:
    with pytest.raises(ProtocolError, match="is no result of elicitation/create") as error:
        await InputRequiredElicitor(ALL, {}, {"name": reply}).elicit({"name": NAME})
    assert (error.value.code, error.value.status) == (-32602, 400)


@pytest.mark.parametrize("responses", [None, [], "x", 5])
def test_replies_that_are_no_object_are_an_error(responses: Any) -> None:
    with pytest.raises(ProtocolError, match="must be an object"):
        replies_of({"inputResponses": responses})


async def test_a_client_without_the_capability_learns_which_it_lacks() -> None:
    elicitor = InputRequiredElicitor(ROOTS, {}, {})
    assert elicitor.supports("roots")
    with pytest.raises(ProtocolError) as error:
        await elicitor.elicit({"a": NAME, "b": sampling("x", max_tokens=1), "c": roots()})
    assert (error.value.code, error.value.status) == (-32021, 400)
    assert error.value.data == {
        "requiredCapabilities": {"elicitation": {"form": {}}, "sampling": {}}
    }
