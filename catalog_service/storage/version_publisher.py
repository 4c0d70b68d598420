"""Publishes the catalogue's version to the gateways, which drop cached results of an older one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import RedisError

from servicekit.errors import Unavailable
from servicekit.observability import logs
from servicekit.valkey import open_client
from servicekit.valkey_keys import layout_of

_AGAIN_SECONDS: Final = 0.5

log = logs.get(__name__)


class ValkeyVersions:
    """Announces the version that the database holds; tries again while one of the two is away.

    It is announced to each shard of accounts: gateways read it in the same step that counts a request.
    """

    def __init__(self, url: str, read_version: Callable[[], Awaitable[str]]) -> None:
        self._read_version = read_version
        self._client: Any = open_client(url, socket_timeout=2, socket_connect_timeout=2)
        self._keys = [shard.catalog_version for shard in layout_of(url).shards]
        self._trying: asyncio.Task[None] | None = None

    @property
    def valkey(self) -> redis.Redis:
        """The connection, for what else this process reports."""
        return self._client

    async def announce(self) -> None:
        """Announce the version now, or as soon as Valkey is back."""
        if not await self._announced() and (self._trying is None or self._trying.done()):
            self._trying = asyncio.create_task(self._retry())

    async def close(self) -> None:
        """Stop trying and close the connection."""
        if self._trying is not None:
            self._trying.cancel()
        await self._client.aclose()

    async def _retry(self) -> None:
        while not await self._announced():  # noqa: ASYNC110 - Valkey tells nobody that it is back
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _set(self, version: str) -> None:
        found = await asyncio.gather(
            *(self._client.set(key, version) for key in self._keys), return_exceptions=True
        )
        for response in found:
            if isinstance(response, BaseException):
                raise response

    async def _announced(self) -> bool:
        try:
            version, announced = await self._read_version(), ""
            # Another process may have announced a later one between the two steps.
            while version != announced:
                await self._set(version)
                version, announced = await self._read_version(), version
        except (RedisError, OSError, Unavailable) as error:
            log.warning("change_not_announced", error=str(error))
            return False
        return True
