"""Publish revocations to the gateways over Valkey."""

import json
from typing import Any

import redis.asyncio as redis
from redis.exceptions import RedisError

from servicekit.observability import logs
from servicekit.valkey_keys import REVOCATION_CHANNEL

log = logs.get(__name__)


class ValkeyRevocationPublisher:
    """Implement `RevocationPublisher` with PUBLISH; messages without a subscriber are lost."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    async def announce(
        self, account_id: str, reason: str, *, credential_id: str | None = None
    ) -> None:
        message = {"account_id": account_id, "credential_id": credential_id, "reason": reason}
        try:
            await self._client.publish(REVOCATION_CHANNEL, json.dumps(message))
        except (RedisError, OSError) as error:
            log.warning("revocation_not_published", reason=reason, error=str(error))
