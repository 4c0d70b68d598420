"""Pushes from the auth service: what the gateway believes of an account or key no longer holds."""

import asyncio
from typing import Any, Final, Protocol

import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.domain.credentials import StandingChange
from gateway.storage.valkey import STANDING_CHANNEL
from servicekit import logs

log = logs.get(__name__)

_WAIT_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 0.5


class Believer(Protocol):
    """Keeps what may stop being true."""

    def forget(self, change: StandingChange) -> None: ...

    def forget_all(self) -> None: ...


class _Push(msgspec.Struct):
    account_id: str
    credential_id: str | None = None


class StandingChannel:
    """Listens, and tells the believer. While it cannot, the believer's own time limits hold."""

    def __init__(self, valkey: Redis, believer: Believer) -> None:
        self._valkey = valkey
        self._believer = believer
        self.listening = asyncio.Event()

    async def run(self) -> None:
        """Listens until cancelled; subscribes again when the connection is lost."""
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("standing_channel_lost", error=str(error))
            self.listening.clear()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen(self) -> None:
        valkey: Any = self._valkey
        async with valkey.pubsub() as channel:
            await channel.subscribe(STANDING_CHANNEL)
            while True:
                message = await channel.get_message(timeout=_WAIT_SECONDS)
                if message is not None:
                    self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            # Pushes before this moment may have been missed.
            self._believer.forget_all()
            self.listening.set()
        elif message["type"] == "message":
            self._tell(message["data"])

    def _tell(self, data: bytes) -> None:
        try:
            push = msgspec.json.decode(data, type=_Push)
        except msgspec.DecodeError as error:
            log.warning("standing_push_unreadable", error=str(error))
            self._believer.forget_all()
            return
        self._believer.forget(StandingChange(push.account_id, push.credential_id))
