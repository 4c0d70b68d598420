"""Other people's password guesses do not lock the owner out of an account."""

from __future__ import annotations

import secrets
import time
from typing import Any

import redis.asyncio as redis

from auth_service.domain.rate_limits import network_of
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.integration.auth_service.conftest import Service, auth_settings, service

__all__ = ["auth_settings", "service"]

_opening: Any = redis.Redis


def elsewhere() -> str:
    """Return an address of a network that no other test uses."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


async def owner_of_account(service: Service, address: str) -> Person:
    """A person whose browser has logged in before and out again."""
    person = Person(service.url, address)
    person.email = await service.account()
    assert (await person.log_in(person.email)).url.path == "/account"
    await person.submit("/logout")
    return person


async def guess(service: Service, address: str, email: str, times: int) -> list[int]:
    async with Person(service.url, address) as guesser:
        return [(await guesser.log_in(email, f"guess {at}")).status_code for at in range(times)]


async def guessed_from_everywhere(service: Service, email: str) -> None:
    """Fill the account's limit with guesses from a hundred networks within an hour."""
    async with _opening.from_url(service.settings.valkey_url) as client:
        window = int(time.time() // 3_600)
        await client.set(f"sponsorgraph:throttle:guess-all:{email}:{window}", 100)


async def test_a_known_device_logs_in_whoever_guesses_beside_it(service: Service) -> None:
    address = elsewhere()
    owner = await owner_of_account(service, address)
    assert await guess(service, address, owner.email, 11) == [401] * 10 + [429]
    assert (await owner.log_in(owner.email)).url.path == "/account"


async def test_guesses_at_an_account_are_slowed_from_wherever_they_come(service: Service) -> None:
    owner = await owner_of_account(service, elsewhere())
    await guessed_from_everywhere(service, owner.email)
    assert await guess(service, elsewhere(), owner.email, 1) == [429]
    assert (await owner.log_in(owner.email)).url.path == "/account"


async def test_a_fresh_link_lets_the_owner_in_on_a_device_that_nobody_knows(
    service: Service,
) -> None:
    email = await service.account()
    await guessed_from_everywhere(service, email)
    async with Person(service.url, elsewhere()) as owner:
        assert (await owner.log_in(email)).status_code == 429
        await owner.visit("/forgot")
        await owner.submit("/forgot", email=email)
        await owner.visit(link_in(await newest_mail(service.mails, email)))
        await owner.submit("/reset", password="a new passphrase")
        assert (await owner.log_in(email, "a new passphrase")).url.path == "/account"


async def test_a_device_known_to_one_account_guesses_at_no_other(service: Service) -> None:
    victim = await service.account()
    guesser = await owner_of_account(service, elsewhere())
    await guessed_from_everywhere(service, victim)
    assert (await guesser.log_in(victim, "a guess")).status_code == 429
    assert (await guesser.log_in(guesser.email)).url.path == "/account"


async def test_a_known_device_has_only_so_many_guesses(service: Service) -> None:
    thief = await owner_of_account(service, elsewhere())
    statuses: list[int] = []
    for at in range(11):
        thief.client.headers["X-Forwarded-For"] = elsewhere()
        statuses.append((await thief.log_in(thief.email, f"guess {at}")).status_code)
    assert statuses == [401] * 10 + [429]


async def test_one_network_tries_a_password_at_few_accounts(service: Service) -> None:
    address = elsewhere()
    async with _opening.from_url(service.settings.valkey_url) as client:
        window = int(time.time() // 900)
        await client.set(f"sponsorgraph:throttle:login:{network_of(address)}:{window}", 98)
    async with Person(service.url, address) as guesser:
        accounts = [f"{secrets.token_hex(6)}@example.com" for _ in range(4)]
        statuses = [(await guesser.log_in(email, "a guess")).status_code for email in accounts]
    assert statuses == [401] * 2 + [429] * 2


async def test_a_device_cannot_make_itself_known(service: Service) -> None:
    email = await service.account()
    await guessed_from_everywhere(service, email)
    async with Person(service.url, elsewhere()) as guesser:
        for forged in ("", "nonsense", "gAAAAAB" + "x" * 93):
            guesser.client.cookies.set("device", forged)
            assert (await guesser.log_in(email, PASSWORD)).status_code == 429
