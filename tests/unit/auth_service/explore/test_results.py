"""A page counts once, its answers are free for the rest of the day, and nothing makes it wait."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from auth_service.domain.explore.calls import ToolCall, ToolCallError, ToolResult
from auth_service.domain.explore.ports import StoredResult
from auth_service.domain.explore.results import ToolResults
from auth_service.domain.site.login_service import Visitor

MAIN = ToolCall("sponsor.stats", {"sponsor": "nordvpn"})
FURTHER = ToolCall("sponsor.youtubers", {"sponsor": "nordvpn", "limit": 50})
INCLUDED = {"youtubers": FURTHER}


@dataclass
class Gateway:
    """Answers each call with its tool's name, or fails, or hangs; `refusals` fail one call each."""

    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failures: dict[str, ToolCallError] = field(default_factory=dict[str, ToolCallError])
    refusals: dict[str, list[ToolCallError]] = field(default_factory=dict[str, list[ToolCallError]])
    hanging: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    state: str = ""

    async def call(self, token: str, call: ToolCall) -> ToolResult:
        self.calls.append((call.tool, token))
        if call.tool in self.hanging:
            await self.hanging[call.tool].wait()
        await asyncio.sleep(0)
        if self.refusals.get(call.tool):
            raise self.refusals[call.tool].pop()
        if call.tool in self.failures:
            raise self.failures[call.tool]
        return ToolResult(f'"{call.tool}{self.state}"', 7)

    async def tools(self, token: str) -> Sequence[Mapping[str, Any]]:
        raise NotImplementedError(token)


@dataclass
class Store:
    texts: dict[str, StoredResult] = field(default_factory=dict[str, StoredResult])
    seconds: list[int] = field(default_factory=list[int])

    async def get(self, keys: Sequence[str]) -> Sequence[StoredResult | None]:
        return [self.texts.get(key) for key in keys]

    async def put(self, key: str, result: StoredResult, seconds: int) -> None:
        self.texts[key] = result
        self.seconds.append(seconds)


@dataclass
class World:
    gateway: Gateway = field(default_factory=Gateway)
    store: Store = field(default_factory=Store)
    now: datetime = datetime(2026, 3, 4, 22, 0, tzinfo=UTC)
    deadline: float = 30.0

    def __post_init__(self) -> None:
        self.service = ToolResults(
            self.gateway, self.store, self._token, lambda: self.now, self.deadline
        )

    def _token(self, account_id: str, member_id: str | None, *, included: bool) -> str:
        return f"{account_id} {member_id} {'included' if included else 'counted'}"


def visitor(account_id: str = "acc_1", member_id: str | None = None) -> Visitor:
    subject = SimpleNamespace(account_id=account_id)
    return cast("Visitor", SimpleNamespace(subject=subject, member_id=member_id))


async def test_the_first_call_counts_and_those_that_go_with_it_are_included() -> None:
    world = World()
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert world.gateway.calls == [
        ("sponsor.stats", "acc_1 None counted"),
        ("sponsor.youtubers", "acc_1 None included"),
    ]
    assert (page.main.content, page.main.remaining, page.counted) == ("sponsor.stats", 7, True)
    assert page.of("youtubers") == ToolResult('"sponsor.youtubers"', 7)


async def test_the_same_page_is_free_until_the_day_ends() -> None:
    world = World()
    await world.service.page(visitor(), MAIN, INCLUDED)
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (len(world.gateway.calls), page.counted) == (2, False)
    assert set(world.store.seconds) == {2 * 3600}
    world.now += timedelta(hours=2)
    assert (await world.service.page(visitor(), MAIN, INCLUDED)).counted


async def test_what_was_paid_for_is_free_and_says_what_has_changed_since() -> None:
    world = World()
    await world.service.page(visitor(), MAIN, INCLUDED)
    world.now += timedelta(minutes=1)
    world.gateway.state = " after a correction"
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (page.main.content, page.counted) == ("sponsor.stats after a correction", False)
    assert page.of("youtubers") == ToolResult('"sponsor.youtubers after a correction"', 7)
    assert [token for _, token in world.gateway.calls[2:]] == ["acc_1 None included"] * 2


async def test_all_of_a_page_is_read_again_where_a_part_of_it_is_older() -> None:
    world = World()
    await world.service.page(visitor(), FURTHER)  # the table's own page, before
    world.now += timedelta(seconds=25)
    await world.service.page(visitor(), MAIN)
    world.now += timedelta(seconds=10)
    world.gateway.state = " after a correction"
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (page.main.content, page.counted) == ("sponsor.stats after a correction", False)
    assert page.of("youtubers") == ToolResult('"sponsor.youtubers after a correction"', 7)


@pytest.mark.parametrize("code", ["unavailable", "not_found"])
async def test_what_was_paid_for_is_shown_as_it_was_where_the_gateway_refuses(code: str) -> None:
    world = World()
    await world.service.page(visitor(), MAIN, INCLUDED)
    world.now += timedelta(minutes=1)
    for tool in ("sponsor.stats", "sponsor.youtubers"):
        world.gateway.failures[tool] = ToolCallError("Not now.", code)
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (page.main.content, page.counted, page.missing) == ("sponsor.stats", False, {})
    assert page.of("youtubers") == ToolResult('"sponsor.youtubers"')


async def test_what_was_paid_for_waits_a_moment_for_newer_results() -> None:
    world = World()
    await world.service.page(visitor(), MAIN, INCLUDED)
    world.now += timedelta(minutes=1)
    world.gateway.hanging["sponsor.stats"] = hanging = asyncio.Event()
    started = asyncio.get_running_loop().time()
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert asyncio.get_running_loop().time() - started < world.deadline / 2
    assert (page.main.content, page.counted) == ("sponsor.stats", False)
    hanging.set()


async def test_what_one_account_paid_for_is_not_free_for_another() -> None:
    world = World()
    await world.service.page(visitor(), MAIN)
    assert (await world.service.page(visitor("acc_2"), MAIN)).counted


async def test_an_organisation_pays_once_for_all_of_its_members() -> None:
    world = World()
    await world.service.page(visitor("org_1", "acc_1"), MAIN)
    assert not (await world.service.page(visitor("org_1", "acc_2"), MAIN)).counted
    assert world.gateway.calls == [("sponsor.stats", "org_1 acc_1 counted")]


async def test_a_page_that_is_opened_twice_at_once_counts_once() -> None:
    world = World()
    await asyncio.gather(*(world.service.page(visitor(), MAIN) for _ in range(5)))
    assert len(world.gateway.calls) == 1


async def test_a_refused_page_calls_nothing_else() -> None:
    world = World()
    world.gateway.failures["sponsor.stats"] = ToolCallError("None left.", "quota_exceeded")
    with pytest.raises(ToolCallError) as refusal:
        await world.service.page(visitor(), MAIN, INCLUDED)
    assert (refusal.value.status, len(world.gateway.calls)) == (429, 1)
    assert world.store.texts == {}


async def test_an_included_call_that_fails_leaves_its_part_out() -> None:
    world = World()
    world.gateway.failures["sponsor.youtubers"] = ToolCallError("Not now.", "unavailable")
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert page.of("youtubers") == "Not now."


@pytest.mark.parametrize("tool", ["sponsor.stats", "sponsor.youtubers"])
async def test_a_page_waits_where_too_many_calls_come_at_once(tool: str) -> None:
    world = World()
    refusal = ToolCallError("Wait 1 s and call again.", "rate_limited", retry_after=0.01)
    world.gateway.refusals[tool] = [refusal, refusal]
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (page.missing, page.counted) == ({}, True)
    assert [call for call, _ in world.gateway.calls].count(tool) == 3


async def test_a_page_waits_no_longer_than_a_moment_and_within_its_deadline() -> None:
    world = World()
    long = ToolCallError("Wait 60 s and call again.", "rate_limited", retry_after=60)
    world.gateway.failures["sponsor.stats"] = long
    with pytest.raises(ToolCallError) as refused:
        await world.service.page(visitor(), MAIN)
    assert (refused.value.code, len(world.gateway.calls)) == ("rate_limited", 1)
    world = World(deadline=0.05)
    short = ToolCallError("Wait 1 s and call again.", "rate_limited", retry_after=0.2)
    world.gateway.refusals["sponsor.stats"] = [short]
    with pytest.raises(ToolCallError) as late:
        await world.service.page(visitor(), MAIN)
    assert late.value.code == "late"
    page = await world.service.page(visitor(), MAIN, seconds=5)
    assert (page.main.content, len(world.gateway.calls)) == ("sponsor.stats", 2)


async def test_a_part_that_hangs_keeps_no_page_waiting_and_is_free_when_it_comes() -> None:
    world = World(deadline=0.05)
    world.gateway.hanging["sponsor.youtubers"] = asyncio.Event()
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert "no answer within" in str(page.of("youtubers"))
    world.gateway.hanging.pop("sponsor.youtubers").set()
    page = await world.service.page(visitor(), MAIN, INCLUDED)
    assert (page.missing, page.counted, len(world.gateway.calls)) == ({}, False, 2)


async def test_a_page_whose_own_call_hangs_says_so_and_is_not_counted_again() -> None:
    world = World(deadline=0.05)
    world.gateway.hanging["sponsor.stats"] = asyncio.Event()
    with pytest.raises(ToolCallError) as failure:
        await world.service.page(visitor(), MAIN)
    assert (failure.value.code, failure.value.status) == ("late", 503)
    world.gateway.hanging["sponsor.stats"].set()
    page = await world.service.page(visitor(), MAIN)
    assert (page.main.content, len(world.gateway.calls)) == ("sponsor.stats", 1)


@pytest.mark.parametrize(
    "call",
    [
        *(
            ToolCall(tool, {})
            for tool in (
                "account.usage", "channel.importStatus", "sponsorship.reports", "list.get", "watch.list",
            )
        ),
        ToolCall("sponsor.search", {"in_list": "Prospects"}),
        ToolCall("sponsor.top", {"not_in_list": "Prospects", "limit": 5}),
    ],
    ids=lambda call: call.key,
)  # fmt: skip
async def test_what_belongs_to_the_account_is_never_stored(call: ToolCall) -> None:
    world = World()
    await world.service.page(visitor(), call)
    assert world.store.texts == {}
    assert (await world.service.page(visitor(), call)).counted
