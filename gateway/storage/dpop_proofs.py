"""The `ProofStore` in Valkey: a key for each proof, which goes when the proof expires."""

import math
from typing import Any, Final

from redis.asyncio import Redis

from gateway.storage.valkey import failures_as_unavailable, proof_key

_SUBJECT: Final = "The check of DPoP proofs"


class ValkeyProofs:
    """Proofs used at any gateway."""

    def __init__(self, valkey: Redis) -> None:
        self._valkey: Any = valkey

    async def add(self, use_id: bytes, seconds: float) -> bool:
        # A second more, for clocks of gateways that are apart.
        milliseconds = math.ceil((max(seconds, 0) + 1) * 1000)
        with failures_as_unavailable(_SUBJECT):
            added = await self._valkey.set(proof_key(use_id), b"", nx=True, px=milliseconds)
        return added is not None
