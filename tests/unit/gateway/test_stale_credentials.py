"""Callers who are known while the auth service is away, by an injected clock."""

import asyncio

import pytest

from gateway.authentication.credentials import ApiKeys, CachePolicy, Credentials
from gateway.authentication.principal import EntitlementsChange, Principal
from servicekit.errors import Unauthenticated, Unavailable
from tests.fakes.gateway_ports import KEY, NOW, FakeAccess, principal

TTL, STALE, SHARE = 30.0, 900.0, 0.25
AWAY = Unavailable("The auth service is away.")


class Fixture:
    """A key that was resolved once, over an auth service that may be away."""

    def __init__(self, **times: float) -> None:
        self.access = FakeAccess()
        self.access.give(KEY, principal(burst_requests=300, burst_refill_per_second=30.0))
        self.seconds = 0.0
        self.lookups: list[str] = []
        policy = CachePolicy(TTL, 5, 10, STALE, SHARE, retry_seconds=1, **times)
        self.credentials = Credentials(
            policy,
            monotonic=lambda: self.seconds,
            on_hit=lambda: self.lookups.append("hit"),
            on_miss=lambda: self.lookups.append("miss"),
            on_stale=lambda: self.lookups.append("stale"),
        )
        self.credentials.forget_all()  # pushes arrive
        self.keys = ApiKeys(self.access, self.credentials, now=lambda: NOW)

    async def verify(self, at: float | None = None) -> Principal:
        self.seconds = self.seconds if at is None else at
        try:
            return await self.keys.verify(KEY)
        finally:
            await asyncio.sleep(0)  # what was begun beside the call ends

    async def is_served(self, at: float | None = None) -> bool:
        try:
            return bool(await self.verify(at))
        except Unavailable:
            return False


async def test_a_known_caller_goes_on_until_the_stale_time_is_over() -> None:
    it = Fixture()
    await it.verify()
    it.access.error = AWAY
    assert await it.is_served(TTL + 1)
    assert await it.is_served(60)
    assert await it.is_served(STALE - 0.1)
    assert not await it.is_served(STALE)
    it.access.error = None
    assert await it.is_served()


async def test_a_credential_holds_for_a_short_time_while_pushes_do_not_arrive() -> None:
    it = Fixture(silent_ttl_seconds=5)
    await it.verify()
    it.credentials.lose_pushes()
    await it.verify(4.9)
    await it.verify(5)
    await it.verify(9.9)
    await it.verify(10)
    assert it.lookups == ["miss", "hit", "miss", "hit", "miss"]
    it.credentials.forget_all()
    await it.verify()
    await it.verify(10 + TTL - 0.1)
    assert it.lookups[5:] == ["miss", "hit"]


async def test_an_unknown_caller_waits() -> None:
    it = Fixture()
    it.access.error = AWAY
    assert not await it.is_served(0)


async def test_a_stale_caller_has_a_share_of_the_burst_limits_and_all_of_them_afterwards() -> None:
    it = Fixture()
    whole = (await it.verify()).entitlements
    it.access.error = AWAY
    stale = await it.verify(TTL)
    assert (stale.entitlements.burst_requests, stale.entitlements.burst_refill_per_second) == (
        75,
        7.5,
    )
    assert stale.entitlements.monthly_requests == whole.monthly_requests
    assert stale is await it.verify()
    it.access.error = None
    await it.verify(TTL + 2)
    assert (await it.verify()).entitlements == whole


@pytest.mark.parametrize(
    "change", [EntitlementsChange("account-1"), EntitlementsChange("account-1", "key-1")]
)
async def test_a_push_ends_a_stale_credential_at_once(change: EntitlementsChange) -> None:
    it = Fixture()
    await it.verify()
    it.access.error = AWAY
    assert await it.is_served(60)
    it.credentials.forget(EntitlementsChange("account-2"))
    assert await it.is_served()
    it.credentials.forget(change)
    assert not await it.is_served()


async def test_nothing_stale_is_served_while_pushes_do_not_arrive() -> None:
    it = Fixture()
    await it.verify()
    it.access.error = AWAY
    it.credentials.lose_pushes()
    assert await it.is_served(TTL - 1)
    assert not await it.is_served(TTL)


async def test_nothing_resolved_before_a_gap_of_pushes_is_served_after_it() -> None:
    it = Fixture()
    await it.verify()
    it.access.error = AWAY
    it.credentials.lose_pushes()
    it.credentials.forget_all()
    assert not await it.is_served(1)


async def test_a_response_that_refuses_ends_a_stale_credential_for_good() -> None:
    it = Fixture()
    await it.verify()
    it.access.error = AWAY
    assert await it.is_served(60)
    it.access.error = None
    it.access.holders.clear()
    assert await it.is_served(62)  # resolved again beside this call
    with pytest.raises(Unauthenticated):
        await it.verify()
    it.access.error = AWAY
    assert not await it.is_served(70)


class OvertakenAccess(FakeAccess):
    """An auth service whose next response is overtaken by a push."""

    credentials: Credentials | None = None

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        if self.credentials is not None:
            self.credentials.forget(EntitlementsChange("account-2"))
        return await super().resolve_key(key_sha256)


async def test_a_refusal_that_a_push_overtook_still_ends_what_was_known() -> None:
    it = Fixture()
    access = OvertakenAccess()
    access.give(KEY, principal())
    it.keys = ApiKeys(access, it.credentials, now=lambda: NOW)
    await it.verify()
    access.holders.clear()
    access.credentials = it.credentials
    with pytest.raises(Unauthenticated):
        await it.verify(TTL)
    access.error = AWAY
    assert not await it.is_served(TTL + 1)


async def test_a_refusal_is_never_served_stale() -> None:
    it = Fixture()
    it.access.holders.clear()
    with pytest.raises(Unauthenticated):
        await it.verify()
    it.access.error = AWAY
    assert not await it.is_served(6)


class HungAccess(FakeAccess):
    """An auth service that does not respond while `hangs` is set, until the test lets it fail."""

    def __init__(self) -> None:
        super().__init__()
        self.hangs = False
        self.times_out = asyncio.Event()

    async def resolve_key(self, key_sha256: bytes) -> Principal:
        if self.hangs:
            self.resolved += 1
            await self.times_out.wait()
            raise AWAY
        return await super().resolve_key(key_sha256)


async def test_once_the_auth_service_is_known_to_hang_nobody_waits_for_it() -> None:
    it = Fixture()
    access = HungAccess()
    access.give(KEY, principal())
    it.keys = ApiKeys(access, it.credentials, now=lambda: NOW)
    await it.verify()
    access.hangs = True
    first = asyncio.create_task(it.verify(TTL))
    await asyncio.sleep(0)
    access.times_out.set()
    await first
    access.times_out.clear()
    for at in (TTL + 1, TTL + 1.5, TTL + 3, TTL + 9):
        async with asyncio.timeout(1):
            assert await it.is_served(at)
    assert access.resolved == 3, "one attempt is under way beside the calls"
    access.times_out.set()
    await it.verify()
    access.hangs = False
    await it.verify(TTL + 20)
    await it.verify()
    assert it.lookups[-2:] == ["stale", "hit"]


async def test_stale_credentials_know_whether_known_callers_go_on() -> None:
    it = Fixture()
    assert not it.credentials.serves_stale
    await it.verify()
    assert it.credentials.serves_stale
    it.credentials.lose_pushes()
    assert not it.credentials.serves_stale
    it.credentials.forget_all()
    assert not it.credentials.serves_stale
    await it.verify()
    it.seconds = STALE
    assert not it.credentials.serves_stale
