"""Requests for input to clients with a session, on the stream of the client's own request.

The client's reply is a POST of its own, which may reach any gateway; the reply channel brings it here.
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

import asyncio
import hashlib
import secrets
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec

from gateway.domain.elicitation import InputRequest, Kind, Reply
from gateway.domain.errors import ElicitationUnavailable
from gateway.domain.ports import ReplyChannel
from gateway.mcp import versions
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.progress import Notify
from servicekit.errors import ResourceExhausted

_MAX_TRIES: Final = 3
"""Times that a form is shown to a user whose reply does not fit it."""


@dataclass(frozen=True, slots=True)
class ElicitationPolicy:
    """Limits of requests for input to clients with a session.

    Attributes:
        seconds: The time to wait for a reply.
        per_account: Requests that an account may have open at one gateway.
    """

    seconds: float
    per_account: int


class SessionElicitor:
    """The `Elicitor` of one request of a session, whose stream `notify` writes to."""

    def __init__(
        self,
        caller: ClientInfo,
        account_id: str,
        notify: Notify,
        reply_channel: ReplyChannel,
        policy: ElicitationPolicy,
        open_: Counter[str],
    ) -> None:
        self._caller = caller
        self._account_id = account_id
        self._notify = notify
        self._reply_channel = reply_channel
        self._policy = policy
        self._open = open_

    def supports(self, kind: Kind) -> bool:
        return kind in self._caller.input_kinds

    async def elicit(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Reply]:
        for input_request in requests.values():
            if not self.supports(input_request.kind):
                raise ElicitationUnavailable(input_request.kind)
        return {
            key: await self._valid_reply(input_request) for key, input_request in requests.items()
        }

    async def _valid_reply(self, input_request: InputRequest) -> Reply:
        with self._elicitation_slot():
            for _ in range(_MAX_TRIES):
                reply = await self._reply(input_request)
                if input_request.is_satisfied_by(reply):
                    return reply
        raise ElicitationUnavailable(
            input_request.kind, "The answers to the question did not fit its form."
        )

    async def _reply(self, input_request: InputRequest) -> Reply:
        message_id = f"elicit-{secrets.token_hex(16)}"
        session_id = cast("str", self._caller.session_id)
        address = address_of(self._account_id, session_id, message_id)
        params = _as_known_to(self._caller.revision, input_request)
        request = {
            "jsonrpc": "2.0",
            "id": message_id,
            "method": input_request.method,
            "params": params,
        }
        async with self._reply_channel.waiting(address) as reply_bytes:
            self._notify(msgspec.json.encode(request))
            try:
                async with asyncio.timeout(self._policy.seconds):
                    response: dict[str, Any] = msgspec.json.decode(await reply_bytes)
            except TimeoutError:
                raise ElicitationUnavailable(
                    input_request.kind,
                    f"Nobody answered the question within {self._policy.seconds:.0f} s. "
                    "Call again to be asked again.",
                ) from None
        result = response.get("result")
        if not input_request.has_form(result):
            raise ElicitationUnavailable(
                input_request.kind, "The client did not answer the question that it was asked."
            )
        return cast("Reply", result)

    @contextmanager
    def _elicitation_slot(self) -> Generator[None]:
        if self._open[self._account_id] >= self._policy.per_account:
            raise ResourceExhausted(
                f"This account has {self._policy.per_account} questions open. Answer one of them."
            )
        self._open[self._account_id] += 1
        try:
            yield
        finally:
            self._open[self._account_id] -= 1
            if not self._open[self._account_id]:
                del self._open[self._account_id]


def address_of(account_id: str, session_id: str, message_id: str) -> str:
    """Return the address of a reply: only the same account and session can send to it."""
    parts = msgspec.json.encode([account_id, session_id, message_id])
    return hashlib.sha256(parts).hexdigest()


def encode_reply(response: Mapping[str, Any]) -> bytes:
    """Return the part of a client's response that the reply channel carries."""
    return msgspec.json.encode({"result": response.get("result")})


def _as_known_to(revision: str, input_request: InputRequest) -> Mapping[str, Any]:
    """Return the parameters with only what the revision has."""
    if input_request.kind != "elicitation" or revision >= versions.WITH_TITLED_CHOICES:
        return input_request.params
    schema = input_request.params["requestedSchema"]
    fields = {name: _plainly(field) for name, field in schema["properties"].items()}
    return {
        "message": input_request.params["message"],
        "requestedSchema": {**schema, "properties": fields},
    }


def _plainly(field: Mapping[str, Any]) -> Mapping[str, Any]:
    if "oneOf" not in field:
        return field
    rest = {name: value for name, value in field.items() if name != "oneOf"}
    return {
        **rest,
        "enum": [item["const"] for item in field["oneOf"]],
        "enumNames": [item["title"] for item in field["oneOf"]],
    }
