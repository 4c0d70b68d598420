"""Requests for input to stateless clients: a result has the requests, the next call the replies.

https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.domain.elicitation import InputRequired, Kind, Question, Reply
from gateway.mcp.jsonrpc import INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError

_NEEDED: Final[Mapping[Kind, Mapping[str, object]]] = {
    "elicitation": {"elicitation": {"form": {}}},
    "sampling": {"sampling": {}},
    "roots": {"roots": {}},
}


class InputRequiredElicitor:
    """The `Elicitor` of one request of a stateless client.

    Args:
        takes: The kinds of requests that the client has declared to take.
        earlier: Replies of earlier calls, which were valid then.
        replies: Replies that came with this request, unchecked.
    """

    def __init__(
        self, takes: frozenset[Kind], before: Mapping[str, Reply], given: Mapping[str, object]
    ) -> None:
        self._takes = takes
        self._replies: dict[str, object] = {**before, **given}
        self._answered: dict[str, Reply] = {}

    def supports(self, kind: Kind) -> bool:
        return kind in self._takes

    async def ask(self, questions: Mapping[str, Question]) -> Mapping[str, Reply]:
        kinds: set[Kind] = {question.kind for question in questions.values()}
        if not kinds <= self._takes:
            raise _incapable(kinds - self._takes)
        open_: dict[str, Question] = {}
        for key, question in questions.items():
            reply = self._replies.get(key)
            if reply is not None and self._is_answer(key, question, reply):
                self._answered[key] = cast("Reply", reply)
            else:
                open_[key] = question
        if open_:
            raise InputRequired(open_, self._answered)
        return {key: self._answered[key] for key in questions}

    def _is_answer(self, key: str, question: Question, reply: object) -> bool:
        if not question.has_form(reply):
            raise ProtocolError(
                INVALID_PARAMS,
                f"`params.inputResponses.{key}` is no result of {question.method}.",
                status=400,
            )
        # A reply that does not fit the form is requested again, as a missing one is.
        return question.is_answered_by(cast("Reply", reply))


def replies_of(params: Mapping[str, Any]) -> Mapping[str, object]:
    """The replies that a request brings.

    Raises:
        ProtocolError: `inputResponses` is no object.
    """
    given = params.get("inputResponses", {})
    if not isinstance(given, dict):
        raise ProtocolError(
            INVALID_PARAMS, "`params.inputResponses` must be an object.", status=400
        )
    return cast("dict[str, object]", given)


def input_required(questions: Mapping[str, Question], state: str) -> dict[str, Any]:
    """The result of a call that needs input."""
    asked = {
        key: {"method": question.method, "params": question.params}
        for key, question in questions.items()
    }
    return {"resultType": "input_required", "inputRequests": asked, "requestState": state}


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
