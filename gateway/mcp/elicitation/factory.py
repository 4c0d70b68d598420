"""Asking the caller's program back, in the way of its era.

A modern caller gets the questions as a result and calls again with the replies (`rounds`); a legacy
one gets them as requests on the stream of its own request (`session_asker`). Bare scripts, and
clients that have not declared it, are never asked.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import NO_ELICITATION, InputRequired
from gateway.domain.ports import Elicitor, ReplyChannel
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.elicitation.input_required import InputRequiredElicitor, input_required, replies_of
from gateway.mcp.elicitation.request_state import RequestStates, Subject
from gateway.mcp.elicitation.session import (
    ElicitationPolicy,
    SessionElicitor,
    address_of,
    encode_reply,
)
from gateway.mcp.jsonrpc import Message
from gateway.mcp.progress import Notify
from gateway.mcp.transport.http import Request

_TARGETS: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""The methods that may ask, and the parameter that says what is meant."""


class ElicitorFactory:
    """Makes the `Elicitor` of each request, and takes what comes back."""

    def __init__(
        self, states: RequestStates, reply_channel: ReplyChannel, policy: ElicitationPolicy
    ) -> None:
        self._states = states
        self._mailbox = reply_channel
        self._policy = policy
        self._open = Counter[str]()

    def elicitor(
        self, message: Message, caller: ClientInfo, principal: Principal, notify: Notify | None
    ) -> Elicitor:
        """Who can be asked while `message` is answered.

        Raises:
            ProtocolError: The replies or the state that it brings are not what they have to be.
        """
        if message.method not in _TARGETS:
            return NO_ELICITATION
        if caller.is_stateless:
            params = message.params
            if "inputResponses" not in params and "requestState" not in params:
                return InputRequiredElicitor(caller.takes, {}, {})
            before = self._states.read(params.get("requestState"), _subject(message, principal))
            return InputRequiredElicitor(caller.takes, before, replies_of(params))
        if notify is None or caller.session_id is None:
            return NO_ELICITATION
        return SessionElicitor(
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
            await self._mailbox.post(address, encode_reply(fields))


def _subject(message: Message, principal: Principal) -> Subject:
    params = message.params
    return Subject(
        principal.entitlements.account_id,
        message.method,
        str(params.get(_TARGETS[message.method])),
        params.get("arguments"),
    )
