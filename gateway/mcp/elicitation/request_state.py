"""`requestState`: what a modern call that had to ask takes along until it is made again.

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
"""How long a person may take to answer."""

_WORDS: Final = (
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
    answered: dict[str, dict[str, object]]


class RequestStates:
    """Signs and reads states by HMAC-SHA-256 under `secret`; `clock` gives seconds since 1970."""

    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        key = hashlib.sha256(b"mcp request state" + secret.encode()).digest()
        self._signer = Signer(key)
        self._clock = clock

    def sign(self, subject: Subject, answered: Mapping[str, Reply]) -> str:
        """The state of a call with the answers that it has got so far."""
        kept = {key: dict(reply) for key, reply in answered.items()}
        payload = msgspec.json.encode(_State(self._clock() + HOLDS_SECONDS, kept))
        return self._signer.sign(payload, _bound(subject))

    def read(self, state: object, subject: Subject) -> Mapping[str, Reply]:
        """The answers in a state, none if it is None.

        Raises:
            ProtocolError: It is no state of this call that holds now.
        """
        if state is None:
            return {}
        told = self._verified(state, subject) if isinstance(state, str) else None
        if told is None or told.expires < self._clock():
            raise ProtocolError(INVALID_PARAMS, _WORDS, status=400)
        return told.answered

    def _verified(self, state: str, subject: Subject) -> _State | None:
        payload = self._signer.verified(state, _bound(subject))
        return None if payload is None else msgspec.json.decode(payload, type=_State)


def _bound(subject: Subject) -> bytes:
    """The digest of what a state is bound to: the call itself repeats it, so it is not sent."""
    bound = [subject.account_id, subject.method, subject.target, subject.arguments]
    return hashlib.sha256(msgspec.json.encode(bound, order="sorted")).digest()
