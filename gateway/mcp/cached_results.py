"""Results that are the same for many callers: written once, compressed once.

A list of tools has a hundred kilobytes and every client requests it as it connects. The response has
its id last: what comes before it is compressed in advance, so that a response costs a few bytes' work.
"""

import struct
import zlib
from typing import Any, Final

import msgspec

from gateway.mcp.jsonrpc import Id

_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
"""Of a gzip member (RFC 1952): deflate, no name, no time, compressed hard, unknown system."""


class CachedResult:
    """A result as responses to requests of any id."""

    def __init__(self, result: Any) -> None:
        self._begin = b'{"jsonrpc":"2.0","result":' + msgspec.json.encode(result) + b',"id":'
        deflating = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
        # A full flush ends at a whole byte, and nothing after it refers to what was before.
        self._deflated = (
            _HEAD + deflating.compress(self._begin) + deflating.flush(zlib.Z_FULL_FLUSH)
        )
        self._checksum = zlib.crc32(self._begin)

    def plain(self, message_id: Id) -> bytes:
        return self._begin + _end(message_id)

    def gzip(self, message_id: Id) -> bytes:
        """Return the same as one gzip member, whose last block is stored as it is (RFC 1951, 3.2.4)."""
        end = _end(message_id)
        stored = struct.pack("<BHH", 1, len(end), len(end) ^ 0xFFFF) + end
        size = len(self._begin) + len(end)
        return self._deflated + stored + struct.pack("<II", zlib.crc32(end, self._checksum), size)


def _end(message_id: Id) -> bytes:
    return msgspec.json.encode(message_id) + b"}"
