"""Session ids carry the fields of `initialize`; only those signed here are read."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.session import Session, Sessions

SESSIONS = Sessions("a secret of at least 16")
SESSION = Session("2025-11-25", "a client", ("roots", "sampling"))


def test_a_minted_id_is_read_by_any_with_the_same_secret() -> None:
    assert Sessions("a secret of at least 16").read(SESSIONS.mint(SESSION)) == SESSION


def test_another_secret_reads_nothing() -> None:
    assert Sessions("another secret, as long").read(SESSIONS.mint(SESSION)) is None


def test_an_id_is_visible_ascii() -> None:
    minted = SESSIONS.mint(Session("2025-11-25", "ü" * 200, ("x",) * 20))
    assert all(0x21 <= ord(character) <= 0x7E for character in minted)


@given(st.integers(min_value=0), st.characters(min_codepoint=33, max_codepoint=126))
def test_a_changed_id_is_refused(position: int, character: str) -> None:
    minted = SESSIONS.mint(SESSION)
    at = position % len(minted)
    changed = minted[:at] + character + minted[at + 1 :]
    assert SESSIONS.read(changed) in (None, SESSION)
    assert changed == minted or SESSIONS.read(changed) is None or at == len(minted) - 1


@given(st.text())
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    assert SESSIONS.read(text) is None
