"""Calls that are repeated under an idempotency key: they get the first result and are charged once."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from gateway.domain.errors import InvalidArguments
from gateway.domain.ports import IdempotencyStore
from servicekit.errors import ServiceError, Unavailable

RESULT_SECONDS: Final = 86_400.0
_CLAIM_SECONDS: Final = 30.0
"""For so long a call counts as under way after its gateway was killed."""

_UNDER_WAY: Final = b"-"
_FINISHED: Final = b"+"

OnLost = Callable[[ServiceError], None]
"""Called when a result could not be stored."""


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """A call under a key of its account.

    Attributes:
        name: Digest of account, tool and key.
        fingerprint: The same for the same arguments alone; empty where they need not be compared.
    """

    name: str
    fingerprint: bytes


def keyed_call(account_id: str, tool: str, key: str, arguments: str) -> KeyedCall:
    """Return the call of `tool` under `key`, with its arguments in a line."""
    name = hashlib.sha256(f"{account_id}\0{tool}\0{key}".encode()).hexdigest()
    fingerprint = hashlib.sha256(arguments.encode()).digest() if arguments else b""
    return KeyedCall(name, fingerprint)


class FirstCall:
    """The first call under its key, while it is under way."""

    def __init__(self, store: IdempotencyStore, call: KeyedCall, on_lost: OnLost) -> None:
        self._store = store
        self._on_lost = on_lost
        self._call = call
        self.owner = _UNDER_WAY + secrets.token_hex(16).encode()
        self._has_result = False

    async def store_result(self, result: bytes) -> None:
        """Store the result for later calls."""
        self._has_result = True
        value = _FINISHED + self._call.fingerprint + result
        try:
            await self._store.put(self._call.name, value, RESULT_SECONDS)
        except ServiceError as error:  # the call was made, and has its result
            self._on_lost(error)

    async def renew(self) -> None:
        """Renew the claim of the key while the call is under way."""
        while True:
            await asyncio.sleep(_CLAIM_SECONDS / 3)
            with suppress(ServiceError):
                await self._store.extend_claim(self._call.name, self.owner, _CLAIM_SECONDS)

    async def end(self) -> None:
        """Free the key of a call that got no result."""
        if not self._has_result:
            with suppress(ServiceError):
                await self._store.remove(self._call.name, self.owner)


class IdempotentCalls:
    """Distinguish the first call under a key from its repetitions, for all gateways."""

    def __init__(self, store: IdempotencyStore, on_lost: OnLost) -> None:
        self._store = store
        self._on_lost = on_lost

    @asynccontextmanager
    async def of(self, call: KeyedCall) -> AsyncGenerator[FirstCall | bytes]:
        """Yield the result of the first call, or this call as the first one while the block runs.

        Raises:
            InvalidArguments: The first call had other arguments.
            Unavailable: The first call is under way, or that is not known.
        """
        first = FirstCall(self._store, call, self._on_lost)
        stored = await self._store.claim(call.name, first.owner, _CLAIM_SECONDS)
        if stored is not None:
            yield _stored_result(stored, call)
            return
        renewing = asyncio.create_task(first.renew())
        try:
            yield first
        finally:
            renewing.cancel()
            await first.end()


def _stored_result(stored: bytes, call: KeyedCall) -> bytes:
    if stored.startswith(_UNDER_WAY):
        raise Unavailable(
            "The first call with this `idempotency_key` is under way. Call again in a moment.",
            retry_after=1.0,
        )
    held = len(_FINISHED) + len(call.fingerprint)
    if stored[len(_FINISHED) : held] != call.fingerprint:
        raise InvalidArguments(
            "`idempotency_key` was that of a call with other arguments within the last 24 hours. "
            "Take another key for another call.",
            details={"field": "idempotency_key"},
        )
    return stored[held:]
