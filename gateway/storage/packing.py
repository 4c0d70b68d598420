"""Commands to Valkey written by hiredis: redis-py's asyncio connections do it in Python.

An admission has twenty arguments; writing them cost more than all else that the gateway does for it.
"""

from collections.abc import Mapping
from typing import Any, Final

import hiredis as typed_hiredis
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection
from redis.exceptions import DataError

hiredis: Any = typed_hiredis  # its types take commands of one word alone


class _Packing:
    def pack_command(self, *args: Any) -> list[bytes]:
        """The command in Valkey's protocol; its name may have several words."""
        name, *values = args
        words = name.encode().split() if isinstance(name, str) else name.split()
        try:
            return [hiredis.pack_command((*words, *values))]
        except TypeError as error:
            raise DataError(str(error)) from error


class PackedConnection(_Packing, Connection):
    """A plain connection."""


class PackedSSLConnection(_Packing, SSLConnection):
    """A connection by TLS."""


PACKED: Final[Mapping[type[AbstractConnection], type[AbstractConnection]]] = {
    Connection: PackedConnection,
    SSLConnection: PackedSSLConnection,
}
"""The replacements of redis-py's own connections."""
