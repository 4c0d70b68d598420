"""Results that are written once, plain and compressed."""

import gzip
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.cached_results import CachedResult
from gateway.mcp.transport.http import Request, accepts_gzip

json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=30,
)
ids = st.integers(-(2**63), 2**63 - 1) | st.text(max_size=200)


@given(value=json_values, message_id=ids)
def test_the_compressed_response_says_the_same_as_the_plain_one(
    value: Any, message_id: int | str
) -> None:
    fixed = CachedResult({"value": value})
    plain = fixed.plain(message_id)
    assert json.loads(plain) == {"jsonrpc": "2.0", "id": message_id, "result": {"value": value}}
    packed = fixed.gzip(message_id)
    assert gzip.decompress(packed) == plain


def test_it_is_one_member_as_most_clients_read_no_second_one() -> None:
    reading = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    fixed = CachedResult({"tools": ["x" * 100_000]})
    assert reading.decompress(fixed.gzip("a")) == fixed.plain("a")
    assert reading.eof
    assert reading.unused_data == b""


@pytest.mark.parametrize(
    ("codings", "taken"),
    [
        ("gzip", True),
        ("br;q=1.0, GZIP;q=0.5", True),
        ("x-gzip", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, br", False),
        ("deflate, br", False),
        ("*", False),
        ("", False),
        (None, False),
    ],
)
def test_only_clients_that_name_gzip_get_it(codings: str | None, taken: bool) -> None:  # noqa: FBT001
    fields = {} if codings is None else {b"accept-encoding": codings.encode()}
    assert accepts_gzip(Request("POST", b"", fields, frozenset())) is taken
