"""The `ReplyChannel` in Valkey: one list a gateway, and for each address the gateway that waits there.

A reply is sent only to an address that a gateway waits at, so that callers cannot fill Valkey, and is
delivered once. Lists outlive lost connections, which messages of Valkey's Pub/Sub would not.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.storage.valkey import failures_as_unavailable, replies_key, waiting_key
from servicekit.observability import logs

_SUBJECT: Final = "The channel of replies to requests for input"

log = logs.get(__name__)

_ADDRESS_BYTES: Final = 64
_POP_SECONDS: Final = 5
_RETRY_SECONDS: Final = 0.5
_UNREAD_SECONDS: Final = 60
"""The time after which replies that a gateway does not fetch expire."""


class ValkeyReplyChannel:
    """Wait for replies, and send them.

    Args:
        valkey: An open connection pool for commands that do not block.
        blocking_client: One whose connections may be silent for longer than five seconds.
        waits_seconds: Longest time that anybody waits at an address.
    """

    def __init__(self, valkey: Redis, blocking_client: Redis, waits_seconds: float) -> None:
        self._valkey: Any = valkey
        self._blocking_client: Any = blocking_client
        self._waits_ms = round(waits_seconds * 1000)
        self._own = replies_key(secrets.token_hex(8))
        self._futures: dict[str, asyncio.Future[bytes]] = {}

    async def run(self) -> None:
        """Fetch replies until cancelled."""
        while True:
            try:
                found = await self._blocking_client.blpop([self._own], timeout=_POP_SECONDS)
            except (RedisError, OSError) as error:
                log.warning("reply_channel_lost", error=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if found is not None:
                self._hand_over(found[1])

    @asynccontextmanager
    async def waiting(self, address: str) -> AsyncGenerator[Awaitable[bytes]]:
        future = asyncio.get_running_loop().create_future()
        self._futures[address] = future
        try:
            with failures_as_unavailable(_SUBJECT):
                await self._valkey.set(waiting_key(address), self._own, px=self._waits_ms)
            yield future
        finally:
            del self._futures[address]
            # A reply that comes later has no gateway to go to; one that is under way is dropped.
            with suppress(RedisError, OSError):
                await self._valkey.delete(waiting_key(address))

    async def post(self, address: str, reply_bytes: bytes) -> bool:
        with failures_as_unavailable(_SUBJECT):
            gateway = await self._valkey.getdel(waiting_key(address))
            if gateway is None:
                return False
            async with self._valkey.pipeline(transaction=True) as together:
                together.rpush(gateway, address.encode() + reply_bytes)
                together.expire(gateway, _UNREAD_SECONDS)
                await together.execute()
        return True

    def _hand_over(self, found: bytes) -> None:
        future = self._futures.get(found[:_ADDRESS_BYTES].decode())
        if future is not None and not future.done():
            future.set_result(found[_ADDRESS_BYTES:])
