"""Revocations that the auth service publishes: a cached credential or account has changed."""

import asyncio
import secrets
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.authentication.principal import EntitlementsChange
from servicekit.concurrency.background import in_background
from servicekit.observability import logs
from servicekit.process.loops import run_forever
from servicekit.valkey_keys import REVOCATION_CHANNEL

log = logs.get(__name__)

_PROBE_SECONDS: Final = 2.0
"""Between two messages of its own."""

_SILENCE_SECONDS: Final = 6.0
"""A channel that has not brought one back for so long brings no pushes either."""

_RETRY_SECONDS: Final = 0.5


class RevocationHandler(Protocol):
    """A cache that revocations invalidate."""

    def forget(self, change: EntitlementsChange) -> None: ...

    def forget_all(self) -> None: ...

    def lose_pushes(self) -> None: ...


class _Push(msgspec.Struct):
    account_id: str
    credential_id: str | None = None
    listener: str | None = None


class RevocationListener:
    """Subscribe to revocations and pass them to the handlers. While disconnected, the handlers' time limits hold.

    Only a message that comes back shows that pushes arrive: a connection may answer pings although it has died
    unseen, has lost its subscription, or is at a node that others do not reach. So the listener publishes messages
    of its own, as the auth service publishes pushes, and subscribes anew when they do not come back.
    """

    def __init__(self, valkey: Redis, *handlers: RevocationHandler) -> None:
        self._valkey: Any = valkey
        self._handlers = handlers
        self._id = secrets.token_hex(8)
        self.listening = asyncio.Event()

    async def run(self) -> None:
        """Listen until cancelled; subscribe again when nothing is heard."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                problem = str(error) or "its own messages do not come back"
                log.warning("revocation_channel_lost", error=problem)
            finally:
                self._lose_pushes()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen(self) -> None:
        """Pass messages on until nothing is heard.

        Raises:
            RedisError: Valkey does not respond.
            TimeoutError: No message of its own came back in time.
        """
        # Also what redis-py waits for by itself ends with the silence.
        async with asyncio.timeout(_SILENCE_SECONDS) as silence, self._valkey.pubsub() as channel:
            await channel.subscribe(REVOCATION_CHANNEL)
            await channel.get_message(timeout=_SILENCE_SECONDS)  # that it is subscribed
            async with in_background(run_forever("revocation probes", self._publish_probes)):
                while not silence.expired():
                    message = await channel.get_message(timeout=_PROBE_SECONDS)
                    is_own = message is not None and self._receive(message)
                    if is_own and not silence.expired():
                        silence.reschedule(asyncio.get_running_loop().time() + _SILENCE_SECONDS)
        raise TimeoutError

    async def _publish_probes(self) -> None:
        # A gateway of a version before them reads a push for an account that does not exist.
        probe = msgspec.json.encode(_Push("", listener=self._id))
        while True:
            with suppress(RedisError, OSError):
                async with asyncio.timeout(_PROBE_SECONDS):
                    await self._valkey.publish(REVOCATION_CHANNEL, probe)
            await asyncio.sleep(_PROBE_SECONDS)

    def _receive(self, message: dict[str, Any]) -> bool:
        """Pass a message on; return whether it is the listener's own."""
        if message["type"] == "subscribe":
            # The connection was another one meanwhile, without a word of redis-py.
            self._lose_pushes()
        if message["type"] != "message":
            return False
        try:
            push = msgspec.json.decode(message["data"], type=_Push)
        except msgspec.DecodeError as error:
            log.warning("revocation_unreadable", error=str(error))
            self._forget_all()
            return False
        if push.listener is None:
            for handler in self._handlers:
                handler.forget(EntitlementsChange(push.account_id, push.credential_id))
        elif push.listener == self._id and not self.listening.is_set():
            # Pushes before this moment may have been missed.
            self._forget_all()
            self.listening.set()
        return push.listener == self._id

    def _forget_all(self) -> None:
        for handler in self._handlers:
            handler.forget_all()

    def _lose_pushes(self) -> None:
        self.listening.clear()
        for handler in self._handlers:
            handler.lose_pushes()
