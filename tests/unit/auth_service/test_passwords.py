"""Passwords: what is refused, what matches, and what it costs."""

import statistics
import time

import pytest
from argon2 import PasswordHasher

from auth_service.domain.passwords import Passwords
from servicekit.errors import InvalidInput


async def test_an_unknown_account_costs_as_much_as_a_wrong_password() -> None:
    passwords = Passwords()
    stored = await passwords.hash("a good long passphrase")

    async def seconds(known: str | None) -> float:
        took: list[float] = []
        for _ in range(9):
            started = time.perf_counter()
            assert not await passwords.matches("not the password", known)
            took.append(time.perf_counter() - started)
        return statistics.median(took)

    assert 0.4 < await seconds(None) / await seconds(stored) < 2.5


async def test_an_accent_may_be_typed_in_either_form() -> None:
    passwords = Passwords()
    composed, apart = "caf\u00e9 au lait \u00e0 huit", "cafe\u0301 au lait a\u0300 huit"
    for first, second in ((composed, apart), (apart, composed)):
        stored = await passwords.hash(first)
        assert await passwords.matches(second, stored)
    as_typed = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1).hash(apart)
    assert await passwords.matches(apart, as_typed), "one that was hashed before"


async def test_a_password_is_judged_by_more_than_how_it_begins() -> None:
    passwords = Passwords()
    assert await passwords.hash("a" * 32 + "kJ8#fl2Lw0qZ")
    with pytest.raises(InvalidInput):
        await passwords.hash("a" * 256)


async def test_a_password_whose_letters_come_apart_is_as_long_as_it_then_is() -> None:
    passwords = Passwords()
    with pytest.raises(InvalidInput, match="8 to 256"):
        await passwords.hash("\u0958" * 129)  # two letters each in its normal form
    stored = await passwords.hash("\u0958\u0959\u095a q9 Zx! 7w")
    assert await passwords.matches("\u0958\u0959\u095a q9 Zx! 7w", stored)


@pytest.mark.parametrize(
    "password", ["example.com", "strangerone1", "stranger.one", "Sponsorgraph1"]
)
async def test_a_password_made_of_the_address_or_the_service_is_refused(password: str) -> None:
    with pytest.raises(InvalidInput, match="attackers try first"):
        await Passwords().hash(password, "stranger.one@example.com")


@pytest.mark.parametrize("password", ["пароль123", "ЙЦУКЕНГШ", "йцукен123456", "приветмир"])
async def test_a_common_word_of_a_russian_keyboard_is_refused(password: str) -> None:
    with pytest.raises(InvalidInput, match="attackers try first"):
        await Passwords().hash(password, "stranger.one@example.com")


async def test_a_sentence_in_another_alphabet_is_no_common_word() -> None:
    assert await Passwords().hash("собака на луне семь раз", "stranger.one@example.com")


@pytest.mark.parametrize("password", ["SunnyDay88", "MaRmAlAdE"])
async def test_capitals_of_a_latin_password_count(password: str) -> None:
    assert await Passwords().hash(password, "stranger.one@example.com")
