"""The cache of resolved keys, by an injected clock."""

import asyncio
from datetime import timedelta

import pytest

from gateway.authentication.credentials import ApiKeys, CachePolicy, Credentials
from gateway.authentication.principal import EntitlementsChange, Principal
from servicekit.errors import Unauthenticated, Unavailable
from tests.fakes.gateway_ports import KEY, NOW, FakeAccess, principal

OTHER = "mcp_" + "o" * 36


class Fixture:
    """Keys over a fake auth service, at a time that the test sets."""

    def __init__(self, size: int = 10) -> None:
        self.access = FakeAccess()
        self.access.give(KEY, principal())
        self.seconds = 0.0
        self.credentials = Credentials(
            CachePolicy(ttl_seconds=30, refusal_ttl_seconds=5, size=size),
            monotonic=lambda: self.seconds,
        )
        self.keys = ApiKeys(self.access, self.credentials, now=lambda: NOW)


async def test_a_key_is_believed_until_its_time_is_up() -> None:
    fixture = Fixture()
    for at, resolved in ((0, 1), (29.9, 1), (30, 2)):
        fixture.seconds = at
        assert (await fixture.keys.verify(KEY)).credential_id == "key-1"
        assert fixture.access.resolved == resolved


async def test_a_refusal_is_believed_for_a_shorter_time() -> None:
    fixture = Fixture()
    for at, resolved in ((0, 1), (4.9, 1), (5, 2)):
        fixture.seconds = at
        with pytest.raises(Unauthenticated):
            await fixture.keys.verify(OTHER)
        assert fixture.access.resolved == resolved


async def test_an_outage_is_not_believed() -> None:
    fixture = Fixture()
    fixture.access.error = Unavailable("away")
    with pytest.raises(Unavailable):
        await fixture.keys.verify(KEY)
    fixture.access.error = None
    assert await fixture.keys.verify(KEY)


async def test_the_longest_unused_key_goes_first() -> None:
    fixture = Fixture(size=2)
    third = "mcp_" + "t" * 36
    for key in (OTHER, third):
        fixture.access.give(key, principal())
    for key in (KEY, OTHER, KEY, third, KEY):
        await fixture.keys.verify(key)
    assert fixture.access.resolved == 3
    await fixture.keys.verify(OTHER)
    assert fixture.access.resolved == 4


@pytest.mark.parametrize(
    ("change", "resolved"),
    [
        (EntitlementsChange("account-1"), 2),
        (EntitlementsChange("account-1", credential_id="key-1"), 2),
        (EntitlementsChange("account-1", credential_id="key-2"), 1),
        (EntitlementsChange("account-2"), 1),
        (EntitlementsChange("account-2", credential_id="key-1"), 1),
    ],
)
async def test_a_change_drops_what_it_concerns(change: EntitlementsChange, resolved: int) -> None:
    fixture = Fixture()
    await fixture.keys.verify(KEY)
    fixture.credentials.forget(change)
    await fixture.keys.verify(KEY)
    assert fixture.access.resolved == resolved


async def test_any_change_drops_refusals_as_they_do_not_say_whose_they_are() -> None:
    fixture = Fixture()
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            await fixture.keys.verify(OTHER)
        fixture.credentials.forget(EntitlementsChange("account-9"))
    assert fixture.access.resolved == 2


class SlowAccess(FakeAccess):
    """Responds when the test says so, with the state at the time of the call."""

    def __init__(self) -> None:
        super().__init__()
        self.is_called, self.may_respond = asyncio.Event(), asyncio.Event()

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        held = await super().resolve_key(key_sha256)
        self.is_called.set()
        await self.may_respond.wait()
        return held


async def test_a_response_that_a_change_overtook_is_used_once_and_not_cached() -> None:
    access = SlowAccess()
    access.give(KEY, principal())
    credentials = Credentials(CachePolicy(30, 5, 10))
    keys = ApiKeys(access, credentials)
    call = asyncio.create_task(keys.verify(KEY))
    await access.is_called.wait()
    credentials.forget(EntitlementsChange("account-1"))
    access.may_respond.set()
    await call
    await keys.verify(KEY)
    assert access.resolved == 2


async def test_a_key_does_not_outlive_its_expiry_in_the_cache() -> None:
    fixture = Fixture()
    fixture.access.give(KEY, principal(expires_at=NOW + timedelta(seconds=1)))
    assert await fixture.keys.verify(KEY)
    fixture.access.give(OTHER, principal(expires_at=NOW))
    with pytest.raises(Unauthenticated, match="expired"):
        await fixture.keys.verify(OTHER)


@pytest.mark.parametrize("token", ["mcp_", "mcp_x", "mcp_" + "k" * 200, "mcp_" + "k k" * 12])
async def test_a_token_that_cannot_be_a_key_is_refused_without_a_call(token: str) -> None:
    fixture = Fixture()
    with pytest.raises(Unauthenticated, match="complete API key"):
        await fixture.keys.verify(token)
    assert fixture.access.resolved == 0
