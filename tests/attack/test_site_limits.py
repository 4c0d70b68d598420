"""Limits on the work, storage and timing that a single caller can cause or observe."""

from __future__ import annotations

import secrets
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Final

import httpx2
import pytest

from auth_service.domain import api_keys
from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service, auth_settings, service

__all__ = ["auth_settings", "service"]

ALIKE: Final = 3.0
"""The largest allowed ratio of the times of two responses that must be indistinguishable."""


def elsewhere() -> str:
    """Return an address of a network that no other test uses."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


@pytest.fixture
def somewhere() -> str:
    return elsewhere()


async def test_an_inbox_gets_few_mails_an_hour_whoever_requests_them(service: Service) -> None:
    email = await service.account()
    statuses: list[int] = []
    for form in ("/signup",) * 3 + ("/forgot",) * 23:
        async with Person(service.url, elsewhere()) as person:
            await person.visit(form)
            response = await person.submit(form, email=email, password=PASSWORD)
            statuses.append(response.status_code)
    assert statuses == [200] * 26
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, email)) == 20 + 1, "links, and word of the account"
    async with Person(service.url, elsewhere()) as owner:
        await owner.visit(link_in(await newest_mail(service.mails, email)))
        done = await owner.submit("/reset", password="a passphrase of the owner")
        assert done.url.path == "/login", "the links of before go on working"


async def test_a_network_causes_few_mails_to_an_address(service: Service, somewhere: str) -> None:
    email = await service.account()
    statuses: list[int] = []
    for form in ("/forgot",) * 4 + ("/signup",) * 2 + ("/forgot",):
        async with Person(service.url, somewhere) as person:
            await person.visit(form)
            response = await person.submit(form, email=email, password=PASSWORD)
            statuses.append(response.status_code)
    assert statuses == [200] * 5 + [429] * 2


async def test_one_address_makes_few_accounts_an_hour(service: Service, somewhere: str) -> None:
    statuses: list[int] = []
    async with Person(service.url, somewhere) as person:
        await person.visit("/signup")
        csrf = dict(person.form("/signup").fields)["csrf"]
        for _ in range(22):
            fields = {"csrf": csrf, "email": f"{secrets.token_hex(5)}@example.com", "password": "x"}
            statuses.append((await person.client.post("/signup", data=fields)).status_code)
    assert statuses == [400] * 20 + [429] * 2


async def test_decisions_on_device_codes_are_limited_like_queries(service: Service) -> None:
    person = await service.person()
    await person.visit("/device")
    csrf = dict(person.form("/device").fields)["csrf"]
    fields = {"csrf": csrf, "user_code": "BBBB-BBBB", "decision": "approve"}
    responses = [await person.client.post("/device/decision", data=fields) for _ in range(12)]
    assert [response.status_code for response in responses] == [400] * 10 + [429] * 2


async def test_an_account_has_only_so_many_open_consent_pages(service: Service) -> None:
    person, client = await service.person(), await service.client()
    for at in range(202):
        response = await person.client.get(client.authorize_url())
        assert response.status_code == (200 if at < 200 else 429), at


async def test_a_list_of_accounts_is_paginated(service: Service) -> None:
    for _ in range(101):
        made = pb.CreateAccountRequest(email=f"{secrets.token_hex(6)}@example.com", plan="free")
        await service.operate(service.operations.CreateAccount, made)
    request = pb.ListAccountsRequest(limit=100_000)
    page = await service.operate(service.operations.ListAccounts, request)
    assert len(page.accounts) == 100


GZIP: Final = b"\x1f\x8b" + b"\0" * 99


async def test_a_form_or_document_is_read_up_to_a_size(service: Service) -> None:
    async with httpx2.AsyncClient(base_url=service.url) as http:
        big = {"code": "x" * 20_000}
        packed = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        many = {f"k{at}": "1" for at in range(100)}
        for response, problem in (
            (await http.post("/oauth/token", data=big), "more than"),
            (await http.post("/oauth/token", data=many), "too many fields"),
            (await http.post("/oauth/register", json={"client_name": "x" * 20_000}), "more than"),
            (await http.post("/oauth/register", content=GZIP, headers=packed), "not UTF-8"),
            (await http.post("/login", data=big), "more than"),
        ):
            assert response.status_code == 400
            assert problem in response.text


async def median(work: Callable[[], Awaitable[object]], times: int) -> float:
    took: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        await work()
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def alike(first: float, second: float) -> bool:
    return 1 / ALIKE < first / second < ALIKE


async def test_the_time_of_a_key_reveals_nothing_of_how_near_it_is(service: Service) -> None:
    made = await service.key(await service.account())
    digest = api_keys.digest(made.secret)
    near = digest[:-1] + bytes([digest[-1] ^ 1])

    def resolve(key: bytes) -> Callable[[], Awaitable[object]]:
        async def resolving() -> None:
            with pytest.raises(Unauthenticated):
                await service.call(service.access.ResolveKey, pb.ResolveKeyRequest(key_sha256=key))

        return resolving

    assert alike(await median(resolve(near), 31), await median(resolve(bytes(32)), 31))


async def test_guesses_at_a_password_are_slowed_at_reauthentication(
    service: Service,
) -> None:
    person = await service.person()
    statuses: list[int] = []
    for _ in range(13):
        await person.visit("/account/settings")
        response = await person.submit(
            "/account/settings/password", current="a wrong guess", password=PASSWORD
        )
        statuses.append(response.status_code)
    assert statuses[0] in (400, 401, 403)
    assert statuses[-1] == 429
