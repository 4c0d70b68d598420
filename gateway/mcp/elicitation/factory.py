"""Requests for input, in the way of the caller's protocol version.

A stateless client gets the requests as a result and calls again with the replies
(`input_required`); a client with a session gets them on the stream of its own request (`session`).
Scripts, and clients that have not declared the capability, get none.
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
"""The methods that may request input, and the parameter that names their subject."""


class ElicitorFactory:
    """Make the `Elicitor` of each request, and accept the replies of clients."""

    def __init__(
        self, states: RequestStates, reply_channel: ReplyChannel, policy: ElicitationPolicy
    ) -> None:
        self._states = states
        self._reply_channel = reply_channel
        self._policy = policy
        self._open = Counter[str]()

    def elicitor(
        self, message: Message, caller: ClientInfo, principal: Principal, notify: Notify | None
    ) -> Elicitor:
        """Return the `Elicitor` of a request.

        Raises:
            ProtocolError: The replies or the state that it brings are not what they have to be.
        """
        if message.method not in _TARGETS:
            return NO_ELICITATION
        if caller.is_stateless:
            params = message.params
            if "inputResponses" not in params and "requestState" not in params:
                return InputRequiredElicitor(caller.input_kinds, {}, {})
            earlier = self._states.read(params.get("requestState"), _subject(message, principal))
            return InputRequiredElicitor(caller.input_kinds, earlier, replies_of(params))
        if notify is None or caller.session_id is None:
            return NO_ELICITATION
        return SessionElicitor(
            caller,
            principal.entitlements.account_id,
            notify,
            self._reply_channel,
            self._policy,
            self._open,
        )

    def required(
        self, needed: InputRequired, message: Message, principal: Principal
    ) -> dict[str, Any]:
        """Return the result that has a stateless client call again with replies."""
        state = self._states.sign(_subject(message, principal), needed.replies)
        return input_required(needed.requests, state)

    async def accept_reply(self, value: object, request: Request, principal: Principal) -> None:
        """Send a session client's reply to the gateway that waits for it; a reply too late is lost.

        Raises:
            Unavailable: The reply channel does not respond.
        """
        fields = cast("dict[str, Any]", value)
        session_id = request.header(b"mcp-session-id")
        message_id = fields.get("id")
        if session_id is not None and isinstance(message_id, str):
            address = address_of(principal.entitlements.account_id, session_id, message_id)
            await self._reply_channel.post(address, encode_reply(fields))


def _subject(message: Message, principal: Principal) -> Subject:
    params = message.params
    return Subject(
        principal.entitlements.account_id,
        message.method,
        str(params.get(_TARGETS[message.method])),
        params.get("arguments"),
    )
