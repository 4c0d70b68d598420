"""Revocations that the auth service publishes: a cached credential or account has changed."""

import asyncio
import time
from typing import Any, Final, Protocol

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.authentication.principal import EntitlementsChange
from gateway.storage.valkey import REVOCATION_CHANNEL
from servicekit.observability import logs

log = logs.get(__name__)

_PING_SECONDS: Final = 2.0
_SILENCE_SECONDS: Final = 6.0
"""A server that has answered no ping for so long is away, though its connection is still open."""

_RETRY_SECONDS: Final = 0.5


class RevocationHandler(Protocol):
    """A cache that revocations invalidate."""

    def forget(self, change: EntitlementsChange) -> None: ...

    def forget_all(self) -> None: ...

    def lose_pushes(self) -> None: ...


class _Push(msgspec.Struct):
    account_id: str
    credential_id: str | None = None


class RevocationListener:
    """Subscribe to revocations and pass them to the handlers. While disconnected, the handlers' time limits hold.

    A connection that is silent is pinged: one that has died unseen would miss pushes for hours.
    """

    def __init__(self, valkey: Redis, *handlers: RevocationHandler) -> None:
        self._valkey = valkey
        self._handlers = handlers
        self.listening = asyncio.Event()

    async def run(self) -> None:
        """Listen until cancelled; subscribe again when the connection is lost."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("revocation_channel_lost", error=str(error))
            self.listening.clear()
            for handler in self._handlers:
                handler.lose_pushes()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen(self) -> None:
        valkey: Any = self._valkey
        async with valkey.pubsub() as channel:
            await channel.subscribe(REVOCATION_CHANNEL)
            received_at = time.monotonic()
            while True:
                message = await channel.get_message(timeout=_PING_SECONDS)
                if message is not None:
                    received_at = time.monotonic()
                    self._receive(message)
                elif time.monotonic() - received_at >= _SILENCE_SECONDS:
                    raise TimeoutError("no answer to pings")
                else:
                    await channel.ping()

    def _receive(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            # Pushes before this moment may have been missed.
            self._forget_all()
            self.listening.set()
        elif message["type"] == "message":
            self._dispatch(message["data"])

    def _dispatch(self, data: bytes) -> None:
        try:
            push = msgspec.json.decode(data, type=_Push)
        except msgspec.DecodeError as error:
            log.warning("revocation_unreadable", error=str(error))
            self._forget_all()
            return
        for handler in self._handlers:
            handler.forget(EntitlementsChange(push.account_id, push.credential_id))

    def _forget_all(self) -> None:
        for handler in self._handlers:
            handler.forget_all()
