"""Promises that hold after every fault, as counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psutil

from devstack.youtube import MadeChannel
from tests.e2e.channel_imports import ENDED, sponsor_of, video_id
from tests.e2e.fleet import until
from tests.faults.load import Account, Call, ToolRequest, caller, send_call
from tests.faults.reached import ReachedStack
from tests.faults.services import Running

SETTLE_SECONDS: Final = 45.0
"""The ledger has every call by then: what a killed gateway had read is taken over after 30 s."""

MORE_FILES: Final = 24
"""Descriptors that a process may keep more than before: pools keep what a rush has opened."""

MORE_MEMORY: Final = 64 * 1024 * 1024
"""Bytes that a process may keep more than before: allocators keep pages for the next rush, and an import's first text
loads the directory of brands and the tables of phrases, some 40 MB."""

_LEDGER: Final = (
    "SELECT tool, sum(cost)::int FROM usage_entries WHERE account_id = %s GROUP BY tool"
)
_REFUNDS_OF_NOTHING: Final = (
    "SELECT count(*) FROM usage_entries AS r WHERE r.account_id = ANY(%s) AND r.cost < 0 AND NOT EXISTS"
    " (SELECT 1 FROM usage_entries AS c WHERE c.entry_id = replace(r.entry_id, ':refund', ''))"
)
_USAGE: Final = ToolRequest("account.usage", {}, 0, frozenset())


@dataclass(frozen=True, slots=True)
class Balance:
    """The sums of calls and counts over all accounts.

    Attributes:
        succeeded: Requests of the month that calls with a result cost.
        unreported: Those of calls whose caller never learned what became of them.
        ledger: Requests in the ledger.
        lost: Requests of calls with a result that are not in the ledger, by account and tool.
        double: Requests in the ledger that are neither answered nor unreported, the same way.
        apart: Accounts whose counter, ledger or told rest differ, in words.
        beyond: Accounts that got more than their limit, in words.
    """

    succeeded: int
    unreported: int
    ledger: int
    lost: int
    double: int
    apart: tuple[str, ...]
    beyond: tuple[str, ...]

    def assert_exact(self) -> None:
        assert (self.lost, self.double, self.apart, self.beyond) == (0, 0, (), ()), self


def _requests(calls: Iterable[Call]) -> Counter[str]:
    """Return the requests of the month that calls cost, by tool."""
    requests: Counter[str] = Counter()
    for call in calls:
        requests[call.request.name] += call.request.cost
    return requests


async def balance(stack: ReachedStack, calls: Sequence[Call]) -> Balance:
    """Waits until the ledger has caught up, and compares it with what callers received."""
    accounts = list(dict.fromkeys(call.account for call in calls))
    await until(lambda: _is_recorded(stack), "the ledger's stream is not empty", SETTLE_SECONDS)
    succeeded, unreported, ledger, lost, double = 0, 0, 0, 0, 0
    apart: list[str] = []
    beyond: list[str] = []
    for account in accounts:
        own = [call for call in calls if call.account is account and call.request.cost]
        oks = _requests(item for item in own if item.kind == "ok")
        unsure = _requests(item for item in own if item.is_unreported)
        ledger_counts = Counter(dict(await stack.rows("auth", _LEDGER, account.account_id)))
        succeeded, unreported, ledger = (
            succeeded + oks.total(),
            unreported + unsure.total(),
            ledger + ledger_counts.total(),
        )
        lost += (oks - ledger_counts).total()
        double += (ledger_counts - oks - unsure).total()
        apart += await _differences(stack, account, ledger_counts.total(), own)
        if ledger_counts.total() > account.limit or oks.total() > account.limit:
            beyond.append(f"{account.email}: {ledger_counts.total()} of {account.limit}")
    orphans = await stack.rows("auth", _REFUNDS_OF_NOTHING, [item.account_id for item in accounts])
    if orphans[0][0]:
        apart.append(f"{orphans[0][0]} refunds of nothing")
    return Balance(succeeded, unreported, ledger, lost, double, tuple(apart), tuple(beyond))


async def _is_recorded(stack: ReachedStack) -> bool:
    return await stack.in_valkey("XLEN", "sponsorgraph:{quota}:usage") == 0


async def _differences(
    stack: ReachedStack, account: Account, ledger: int, own: Sequence[Call]
) -> list[str]:
    """Return the differences of the counter, and of what callers received, from the ledger."""
    async with caller(stack.mcp_url, account, 15) as http:
        probe = await send_call(http, stack.mcp_url, account, _USAGE)
    reported = [item.remaining for item in own if item.kind == "ok" and item.remaining is not None]
    found: list[str] = []
    if probe.remaining != account.limit - ledger:
        found.append(f"{account.email}: {probe.remaining} left, {account.limit - ledger} by ledger")
    # Each response took one more. Where some were refunded, a number may come again.
    failed = any(item.kind not in ("ok", "quota") for item in own)
    if not failed and len(set(reported)) != len(reported):
        found.append(
            f"{account.email}: {len(reported) - len(set(reported))} answers were told the same rest"
        )
    unreported = [item for item in own if item.kind != "ok" or item.remaining is None]
    most_unreported = sum(max(1, item.request.cost) for item in unreported)
    if reported and min(reported) < account.limit - ledger - most_unreported:
        found.append(f"{account.email}: was told {min(reported)} left")
    return found


@dataclass(frozen=True, slots=True)
class Imported:
    """The data that an import left in the catalog: videos with their sponsors."""

    lost: int
    double: int


async def imported(stack: ReachedStack, channel: MadeChannel, name: str) -> Imported:
    """Waits until the import of a made channel has ended, and compares the catalog with it."""

    async def has_ended() -> bool:
        rows = await stack.rows(
            "imports",
            "SELECT state FROM imports WHERE channel_id = %s",
            channel.channel_id,
        )
        return bool(rows) and all(state in ENDED for (state,) in rows)

    await until(has_ended, "the import does not end", SETTLE_SECONDS)
    found = Counter(
        await stack.rows(
            "catalog",
            "SELECT v.key, s.slug FROM sponsorships AS p JOIN videos AS v ON v.id = p.video_id "
            "JOIN sponsors AS s ON s.id = p.sponsor_id JOIN youtubers AS y ON y.id = v.youtuber_id "
            "WHERE y.key = %s",
            channel.channel_id,
        )
    )
    wanted = Counter(
        (video_id(name, n), brand)
        for n in range(len(channel.videos))
        if (brand := sponsor_of(n)) is not None
    )
    videos = await stack.rows(
        "catalog",
        "SELECT count(*) FROM videos JOIN youtubers AS y ON y.id = youtuber_id WHERE y.key = %s",
        channel.channel_id,
    )
    missing = max(0, len(channel.videos) - int(videos[0][0]))
    return Imported((wanted - found).total() + missing, (found - wanted).total())


@dataclass(frozen=True, slots=True)
class Footprint:
    """Open descriptors and resident bytes of every process."""

    files: dict[str, int]
    memory: dict[str, int]


def footprint(stack: Running) -> Footprint:
    """Of the services; engines have children of their own that come and go."""
    files: dict[str, int] = {}
    memory: dict[str, int] = {}
    for name in stack.children:
        process = psutil.Process(stack.pid(name))
        files[name], memory[name] = process.num_fds(), process.memory_info().rss
    return Footprint(files, memory)


async def footprint_returns(stack: Running, before: Footprint, seconds: float = 30.0) -> None:
    """Waits until every process has about as many descriptors and bytes as before."""
    over: Any = None

    def is_back() -> bool:
        nonlocal over
        now = footprint(stack)
        over = [
            f"{name}: {now.files[name]} files after {before.files[name]}, "
            f"{now.memory[name] >> 20} MB after {before.memory[name] >> 20}"
            for name in before.files
            if now.files[name] > before.files[name] + MORE_FILES
            or now.memory[name] > before.memory[name] + MORE_MEMORY
        ]
        return not over

    deadline = asyncio.get_running_loop().time() + seconds
    while not is_back():
        assert asyncio.get_running_loop().time() < deadline, over
        await asyncio.sleep(0.2)
