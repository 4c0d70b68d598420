"""One fault under constant load, from before it to the proof that nothing is left of it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from devstack.youtube import MadeChannel
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person
from tests.e2e.channel_imports import made_channel
from tests.e2e.fleet import until
from tests.faults.load import (
    DEADLINE_SECONDS,
    PER_SECOND,
    Account,
    Call,
    Load,
    ToolRequest,
    caller,
    mixed,
    send_call,
)
from tests.faults.promises import (
    Balance,
    Footprint,
    balance,
    footprint,
    footprint_returns,
    imported,
)
from tests.faults.reached import ReachedStack
from tests.faults.reliability import Row, note
from tests.faults.services import SMALL_LIMIT, Running

RECOVERY_SECONDS: Final = 5.0
LIMIT: Final = 100_000
_VIDEOS: Final = 300
_ROUNDS, _AT_ONCE, _ALONE = 20, 8, 40
_SHARE = 0.5
_PAGE_SECONDS: Final = 0.3
_SCOPE: Final = "catalog:read account:read channels:import"


@dataclass(slots=True)
class Trial:
    """The stack and the load of a fault's test.

    Attributes:
        stack: On which it happens.
        load: The calls and their outcomes.
        channel: That is imported meanwhile.
        before: What the processes had open before.
        broke: When the fault began; set by the test.
        returned: When the part was there again; set by the test.
    """

    stack: Running
    load: Load
    channel: MadeChannel
    name: str
    before: Footprint
    broke: float = 0.0
    returned: float = 0.0

    async def goes_on(self, calls: int = 40, *, seconds: float = 60.0) -> None:
        """Waits until so many further calls succeeded."""
        now = time.monotonic()
        await until(lambda: self.load.good_since(now) >= calls, "the load is not answered", seconds)

    async def recovers(self) -> None:
        """Waits until a whole second of calls after the part's return succeeded."""
        await until(lambda: self.load.is_whole_since(self.returned), "no recovery", 60)

    def while_broken(self) -> list[Call]:
        """Calls that were sent between the fault and the part's return, and in its first second.

        What is cut is back at once, and the calls that meet it come after that.
        """
        return self.load.since(self.broke, max(self.returned, self.broke + 1.0))

    def assert_goes_on_without(self, *parts: str) -> None:
        """Whoever did not need the broken parts had a response, each time."""
        unconcerned = [item for item in self.while_broken() if not item.request.needs & set(parts)]
        assert unconcerned
        bad = [item for item in unconcerned if not item.is_good]
        assert not bad, f"{len(bad)} of {len(unconcerned)}, such as {bad[0]}"

    async def keeps_its_promises(
        self,
        section: str,
        fault: str,
        promised: str,
        *,
        within: float | None = RECOVERY_SECONDS,
        may_end: Collection[str] = (),
    ) -> Balance:
        """Checks all that holds after every fault, and notes it for docs/reliability.md.

        To be called when the load has ended. `within` bounds the recovery; None where nothing went.
        Services of `may_end` may have ended by themselves, as what they need was away at their start.
        """
        counts = await balance(self.stack, self.load.calls)
        left = await imported(self.stack, self.channel, self.name)
        recovered = self.load.whole_since(self.returned) if self.returned else None
        seconds = None if recovered is None else recovered - self.returned
        row = Row(
            section=section,
            fault=fault,
            promised=promised,
            requests=len(self.load.calls),
            errors={k: n for k, n in self.load.by_kind().items() if k not in ("ok", "quota")},
            lost=counts.lost + left.lost,
            double=counts.double + left.double,
            seconds=seconds,
        )
        fallen = [item for item in self.stack.fallen if item.split(" ")[0] not in may_end]
        self.stack.fallen.clear()
        assert not fallen, "\n".join(fallen)
        unavailable = [call for call in self.load.calls if call.kind == "503 unavailable"]
        assert [item for item in unavailable if not item.retry_after] == []
        counts.assert_exact()
        assert (left.lost, left.double) == (0, 0), left
        if within is not None:
            assert seconds is not None
            assert seconds <= within, row
        assert self.load.held_back == 0, "the load was not open: too many calls were under way"
        await footprint_returns(self.stack, self.before)
        note(row)
        return counts


@asynccontextmanager
async def trial(
    stack: Running, *, change: Callable[[Load], Any] | None = None
) -> AsyncGenerator[Trial]:
    """New accounts, an import that has begun, and constant load inside the block."""
    accounts = await new_accounts(stack)
    name = f"f{secrets.token_hex(2)}"
    channel = made_channel(name, _VIDEOS)
    stack.youtube.show(channel, delay=_PAGE_SECONDS)
    load = Load(stack.mcp_url, accounts, per_second=stack.per_second)
    if change is not None:
        change(load)
    made = Trial(stack, load, channel, name, footprint(stack))
    load.calls.append(await begin_import(stack, accounts[0], channel))
    async with load.going():
        await made.goes_on()
        yield made


async def new_accounts(stack: ReachedStack) -> tuple[Account, ...]:
    """Two with keys, one that is logged in by OAuth, and one whose month is nearly used up."""
    keyed = [await new_account(stack, "creator", LIMIT) for _ in range(2)]
    logged_in = await _logged_in(stack)
    return (*keyed, logged_in, await new_account(stack, "creator_agent", SMALL_LIMIT))


async def new_account(stack: ReachedStack, plan: str, limit: int) -> Account:
    email = f"{secrets.token_hex(6)}@example.com"
    made = await asyncio.to_thread(stack.operations.create_account, email, plan, None)
    key, _ = await asyncio.to_thread(stack.operations.create_key, email, "load", None)
    return Account(email, made.account_id, key, limit)


async def _logged_in(stack: ReachedStack) -> Account:
    email = f"{secrets.token_hex(6)}@example.com"
    made = await asyncio.to_thread(stack.operations.create_account, email, "creator", PASSWORD)
    async with Person(stack.site_url) as person:
        await person.log_in(email, PASSWORD)
        client = await OAuthClient.registered(stack.site_url, stack.mcp_url)
        redeemed = await client.redeem(await client.code_from(person, scope=_SCOPE))
    return Account(email, made.account_id, redeemed.json()["access_token"], LIMIT, is_client=True)


async def bearable_rate(stack: ReachedStack) -> float:
    """Make calls, and return how many a second leave room for a fault on this machine, busy as it is."""
    first, *_ = await new_accounts(stack)
    requests = mixed()
    async with caller(stack.mcp_url, first, DEADLINE_SECONDS) as http:

        async def call() -> Call:
            return await send_call(http, stack.mcp_url, first, next(requests))

        for _ in range(_ROUNDS):
            await asyncio.gather(*(call() for _ in range(_AT_ONCE)))
        began = time.monotonic()
        alone = [await call() for _ in range(_ALONE)]
        each = (time.monotonic() - began) / _ALONE
    assert [item for item in alone if not item.is_good] == []
    # One at a time keeps it busy for a part of the time only; half of that leaves room for a fault.
    return min(PER_SECOND, _SHARE / each)


async def begin_import(stack: ReachedStack, account: Account, channel: MadeChannel) -> Call:
    """Starts an import over MCP."""
    request = ToolRequest("channel.import", {"channel": channel.channel_id}, 1, frozenset())
    async with caller(stack.mcp_url, account, 25) as http:
        begun = await send_call(http, stack.mcp_url, account, request)
    assert begun.is_good, begun
    return begun
