"""Decoding whatever bytes come."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.jsonrpc import ProtocolError, decode, error, message_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def _refusal(act: Callable[[], object]) -> ProtocolError | None:
    try:
        act()
    except ProtocolError as refusal:
        return refusal
    return None


@given(st.binary())
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    refusal = _refusal(lambda: decode(body, 32))
    if refusal is not None:
        assert refusal.status == 400
        assert msgspec.json.decode(error(None, refusal))["error"]["code"] in (-32700, -32600)


@given(JSON)
def test_any_json_is_a_message_a_response_or_refused(value: object) -> None:
    refusal = _refusal(lambda: message_of(value))
    assert refusal is None or refusal.code in (-32600, -32602)


@pytest.mark.parametrize(("levels", "admitted"), [(5, True), (6, False), (7, False)])
def test_nesting_is_counted_from_the_outermost(levels: int, admitted: bool) -> None:  # noqa: FBT001
    body = b"[" * levels + b"]" * levels
    if admitted:
        decode(body, 5)
    else:
        with pytest.raises(ProtocolError, match="5 levels"):
            decode(body, 5)


def test_brackets_in_strings_are_no_nesting() -> None:
    assert decode(b'["[[[[[[[[{{{{{{{"]', 5) == ["[[[[[[[[{{{{{{{"]


def test_an_error_without_an_id_leaves_it_out() -> None:
    message = msgspec.json.decode(error(None, ProtocolError(-32700, "no")))
    assert message == {"jsonrpc": "2.0", "error": {"code": -32700, "message": "no"}}
