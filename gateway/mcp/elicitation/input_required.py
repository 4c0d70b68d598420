"""Requests for input to stateless clients: a result has the requests, the next call the replies.

https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.domain.elicitation import InputRequest, InputRequired, Kind, Reply
from gateway.mcp.jsonrpc import INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError

_NEEDED: Final[Mapping[Kind, Mapping[str, object]]] = {
    "elicitation": {"elicitation": {"form": {}}},
    "sampling": {"sampling": {}},
    "roots": {"roots": {}},
}


class InputRequiredElicitor:
    """The `Elicitor` of one request of a stateless client.

    Args:
        kinds: The kinds of requests that the client has declared to support.
        earlier: Replies of earlier calls, which were valid then.
        replies: Replies that came with this request, unchecked.
    """

    def __init__(
        self, kinds: frozenset[Kind], earlier: Mapping[str, Reply], replies: Mapping[str, object]
    ) -> None:
        self._kinds = kinds
        self._replies: dict[str, object] = {**earlier, **replies}
        self._valid_replies: dict[str, Reply] = {}

    def supports(self, kind: Kind) -> bool:
        return kind in self._kinds

    async def elicit(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Reply]:
        kinds: set[Kind] = {request.kind for request in requests.values()}
        if not kinds <= self._kinds:
            raise _incapable(kinds - self._kinds)
        missing_requests: dict[str, InputRequest] = {}
        for key, request in requests.items():
            reply = self._replies.get(key)
            if reply is not None and self._is_valid(key, request, reply):
                self._valid_replies[key] = cast("Reply", reply)
            else:
                missing_requests[key] = request
        if missing_requests:
            raise InputRequired(missing_requests, self._valid_replies)
        return {key: self._valid_replies[key] for key in requests}

    def _is_valid(self, key: str, request: InputRequest, reply: object) -> bool:
        if not request.has_form(reply):
            raise ProtocolError(
                INVALID_PARAMS,
                f"`params.inputResponses.{key}` is no result of {request.method}.",
                status=400,
            )
        # A reply that does not fit the form is requested again, as a missing one is.
        return request.is_satisfied_by(cast("Reply", reply))


def replies_of(params: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the replies that a request brings.

    Raises:
        ProtocolError: `inputResponses` is no object.
    """
    replies = params.get("inputResponses", {})
    if not isinstance(replies, dict):
        raise ProtocolError(
            INVALID_PARAMS, "`params.inputResponses` must be an object.", status=400
        )
    return cast("dict[str, object]", replies)


def input_required(requests: Mapping[str, InputRequest], state: str) -> dict[str, Any]:
    """Return the result of a call that needs input."""
    input_requests = {
        key: {"method": request.method, "params": request.params}
        for key, request in requests.items()
    }
    return {"resultType": "input_required", "inputRequests": input_requests, "requestState": state}


def _incapable(missing: set[Kind]) -> ProtocolError:
    needed: dict[str, object] = {}
    for kind in sorted(missing):
        needed |= _NEEDED[kind]
    return ProtocolError(
        MISSING_CAPABILITY,
        f"This call needs a client with {' and '.join(sorted(missing))}, which the request does "
        "not declare.",
        status=400,
        data={"requiredCapabilities": needed},
    )
