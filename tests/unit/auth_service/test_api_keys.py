"""The form of API keys."""

import re

from hypothesis import given
from hypothesis import strategies as st

from auth_service.domain import api_keys


def _is_well_formed(secret: str) -> bool:
    """Do as a scanner of secrets does: by the documented form alone."""
    body, check = secret[4:34], secret[34:]
    return bool(re.fullmatch("mcp_[0-9A-Za-z]{36}", secret)) and api_keys.checksum(body) == check


def test_every_new_key_is_well_formed_and_another() -> None:
    made = {api_keys.generate() for _ in range(200)}
    assert len(made) == 200
    assert all(_is_well_formed(key) for key in made)
    assert all(len(key) == 40 for key in made)


def test_the_checksum_is_crc32_in_base62() -> None:
    # The published check value of CRC-32 is 0xCBF43926 for these nine digits.
    assert api_keys.checksum("123456789") == "3jZRME"
    assert api_keys.checksum("") == "000000"


@given(st.integers(4, 39), st.sampled_from("0123456789abcdefXYZ"))
def test_a_typing_error_is_seen(position: int, character: str) -> None:
    key = api_keys.generate()
    wrong = key[:position] + character + key[position + 1 :]
    assert _is_well_formed(wrong) == (wrong == key)


@given(st.text())
def test_no_text_is_mistaken_for_a_key_by_chance(text: str) -> None:
    assert not _is_well_formed(text)


def test_a_masked_key_shows_ends_only() -> None:
    key = api_keys.generate()
    shown = api_keys.masked(key)
    assert shown == f"{key[:8]}…{key[-4:]}"
    assert key not in shown
