"""Connections to Valkey whose commands are written by hiredis."""

from typing import Any

import hiredis as typed_hiredis
from redis.asyncio.connection import Connection, SSLConnection
from redis.exceptions import DataError

hiredis: Any = typed_hiredis  # its types take commands of one word alone


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
