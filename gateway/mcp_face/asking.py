"""Asking the caller's program back, in the way of its era.

A modern caller gets the questions as a result and calls again with the replies (`rounds`); a legacy
one gets them as requests on the stream of its own request (`session_asker`). Bare scripts, and
clients that have not declared it, are never asked.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.domain.ports import Asker, Mailbox
from gateway.domain.principal import Principal
from gateway.domain.questions import NOBODY, InputRequired
from gateway.mcp_face.caller import Caller
from gateway.mcp_face.http import Request
from gateway.mcp_face.jsonrpc import Message
from gateway.mcp_face.progress import Notify
from gateway.mcp_face.request_state import RequestStates, Subject
from gateway.mcp_face.rounds import RoundsAsker, input_required, replies_of
from gateway.mcp_face.session_asker import AskingPolicy, SessionAsker, address_of, letter_of

_TARGETS: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""The methods that may ask, and the parameter that says what is meant."""


class Asking:
    """Makes the `Asker` of each request, and takes what comes back."""

    def __init__(self, states: RequestStates, mailbox: Mailbox, policy: AskingPolicy) -> None:
        self._states = states
        self._mailbox = mailbox
        self._policy = policy
        self._open = Counter[str]()

    def asker(
        self, message: Message, caller: Caller, principal: Principal, notify: Notify | None
    ) -> Asker:
        """Who can be asked while `message` is answered.

        Raises:
            ProtocolError: The replies or the state that it brings are not what they have to be.
        """
        if message.method not in _TARGETS:
            return NOBODY
        if caller.is_modern:
            params = message.params
            if "inputResponses" not in params and "requestState" not in params:
                return RoundsAsker(caller.takes, {}, {})
            before = self._states.read(params.get("requestState"), _subject(message, principal))
            return RoundsAsker(caller.takes, before, replies_of(params))
        if notify is None or caller.session_id is None:
            return NOBODY
        return SessionAsker(
            caller,
            principal.entitlements.account_id,
            notify,
            self._mailbox,
            self._policy,
            self._open,
        )

    def required(
        self, needed: InputRequired, message: Message, principal: Principal
    ) -> dict[str, Any]:
        """The result that asks a modern caller to call again."""
        state = self._states.sign(_subject(message, principal), needed.answered)
        return input_required(needed.questions, state)

    async def take(self, value: object, request: Request, principal: Principal) -> None:
        """Takes a legacy client's reply to wherever it is waited for; what nobody waits for is lost.

        Raises:
            Unavailable: The mailbox does not answer.
        """
        fields = cast("dict[str, Any]", value)
        session_id = request.header(b"mcp-session-id")
        message_id = fields.get("id")
        if session_id is not None and isinstance(message_id, str):
            address = address_of(principal.entitlements.account_id, session_id, message_id)
            await self._mailbox.post(address, letter_of(fields))


def _subject(message: Message, principal: Principal) -> Subject:
    params = message.params
    return Subject(
        principal.entitlements.account_id,
        message.method,
        str(params.get(_TARGETS[message.method])),
        params.get("arguments"),
    )
