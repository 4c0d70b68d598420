"""`requestState`: the state of a call that needs input, which the client sends back with the next call.

It goes through the caller's hands, so it is signed, and holds for the same call of the same account
for a while only: nothing has to be remembered here, and any gateway with the secret goes on.
https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.domain.elicitation import Reply
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from servicekit.signing import Signer

HOLDS_SECONDS: Final = 900.0
"""The time that a user has to reply."""

_INVALID_STATE: Final = (
    "`params.requestState` does not hold: it was changed, has expired, or belongs to another call. "
    "Call again without it."
)


@dataclass(frozen=True, slots=True)
class Subject:
    """The call that a state belongs to: whose, which method, of what, with which arguments."""

    account_id: str
    method: str
    target: str
    arguments: object


class _State(msgspec.Struct, frozen=True, array_like=True):
    expires: float
    replies: dict[str, dict[str, object]]


class RequestStates:
    """Signs and reads states by HMAC-SHA-256 under `secret`; `clock` gives seconds since 1970."""

    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        key = hashlib.sha256(b"mcp request state" + secret.encode()).digest()
        self._signer = Signer(key)
        self._clock = clock

    def sign(self, subject: Subject, replies: Mapping[str, Reply]) -> str:
        """Return the signed state of a call with the replies so far."""
        encoded = {key: dict(reply) for key, reply in replies.items()}
        payload = msgspec.json.encode(_State(self._clock() + HOLDS_SECONDS, encoded))
        return self._signer.sign(payload, _bound(subject))

    def read(self, state: object, subject: Subject) -> Mapping[str, Reply]:
        """Return the replies in a state; none if the state is None.

        Raises:
            ProtocolError: It is no state of this call that holds now.
        """
        if state is None:
            return {}
        payload = self._verified(state, subject) if isinstance(state, str) else None
        if payload is None or payload.expires < self._clock():
            raise ProtocolError(INVALID_PARAMS, _INVALID_STATE, status=400)
        return payload.replies

    def _verified(self, state: str, subject: Subject) -> _State | None:
        payload = self._signer.verified(state, _bound(subject))
        return None if payload is None else msgspec.json.decode(payload, type=_State)


def _bound(subject: Subject) -> bytes:
    """Return the digest of what a state is bound to: the call itself repeats it, so it is not sent."""
    bound = [subject.account_id, subject.method, subject.target, subject.arguments]
    return hashlib.sha256(msgspec.json.encode(bound, order="sorted")).digest()
