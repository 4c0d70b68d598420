"""Connections to Valkey (or Redis), its keys, and its failures in the service's own terms."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import hiredis as typed_hiredis
from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import DataError, RedisError

from servicekit.errors import Unavailable
from servicekit.valkey_keys import SINGLE

hiredis: Any = typed_hiredis  # its types take commands of one word alone

_SHARD: Final = SINGLE.shards[0]
USAGE_STREAM: Final = _SHARD.usage_stream
GENERATION: Final = _SHARD.generation
"""The generation of the counters in use; see `gateway.quota.counters`."""

WRITE_PROBE: Final = _SHARD.write_probe

REQUEST_COUNTER: Final = "The request counter"
"""The subject of failures of `gateway.quota`."""


def waiting_key(address: str) -> str:
    """Return the key of the gateway that waits for a client's reply at an address."""
    return f"sponsorgraph:waiting:{address}"


def proof_key(use_id: bytes) -> str:
    """Say that a DPoP proof was used."""
    return f"sponsorgraph:proof:{use_id.hex()}"


def idempotency_key_of(name: str) -> str:
    """Return the key of the first result under an idempotency key."""
    return f"sponsorgraph:idempotency:{name}"


def replies_key(gateway: str) -> str:
    """Return the replies of clients that a gateway has to fetch."""
    return f"sponsorgraph:replies:{gateway}"


class Packing:
    """Commands written by hiredis: redis-py's asyncio connections do it in Python.

    An admission has twenty arguments; writing them cost more than all else that the gateway does for it.
    """

    def pack_command(self, *args: Any) -> list[bytes]:
        """Return the command in Valkey's protocol; its name may have several words."""
        name, *values = args
        words = name.encode().split() if isinstance(name, str) else name.split()
        try:
            return [hiredis.pack_command((*words, *values))]
        except TypeError as error:
            raise DataError(str(error)) from error


class PackedConnection(Packing, Connection):
    """A plain connection."""


class PackedSSLConnection(Packing, SSLConnection):
    """A connection by TLS."""


@contextmanager
def failures_as_unavailable(subject: str) -> Generator[None]:
    """Turn the driver's errors into `Unavailable`, whose message says that the subject does not answer."""
    try:
        yield
    except (RedisError, OSError) as error:
        raise Unavailable(
            f"{subject} does not answer now. Try again in a few seconds.", retry_after=2.0
        ) from error
