"""One round: new accounts near their limits, an import, constant load, some faults, and what is left of them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from servicekit.errors import ServiceError
from tests.chaos.breaking import break_and_heal
from tests.chaos.layout import Layout
from tests.chaos.plan import LOAD_SECONDS, Fault
from tests.e2e.channel_imports import made_channel
from tests.e2e.fleet import until
from tests.faults.load import Account, Load
from tests.faults.promises import balance, imported
from tests.faults.services import SMALL_LIMIT
from tests.faults.trial import bearable_rate, begin_import, new_account, new_accounts

MAX_PER_SECOND: Final = 15.0
_RECOVERY_SECONDS: Final = 60.0
_NEAR_THEIR_LIMITS: Final = 3
_VIDEOS: Final = 200
_PAGE_SECONDS: Final = 0.5
_CLEAR: Final = frozenset(
    {
        *("ok", "quota", "503 unavailable", "tool unavailable"),
        # Of a gateway that broke while it answered, and of HAProxy while it knows of no gateway.
        *("refused", "cut", "timed out", "502", "503", "504"),
    }
)
"""The outcomes that a caller may see while something is broken."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round had and left.

    Attributes:
        number: Of the round.
        faults: That it had.
        kinds: Calls by outcome.
        seconds: Between the last fault's end and the first second without a failure; None if there was none.
        problems: What should not be, in words; none when all is well.
    """

    number: int
    faults: tuple[Fault, ...]
    kinds: Counter[str]
    seconds: float | None
    problems: tuple[str, ...]


async def play(stack: Layout, number: int, faults: tuple[Fault, ...]) -> Outcome:
    """Break the parts of a whole stack under load, and return what came of it."""
    problems: list[str] = []
    try:
        accounts = await _accounts(stack)
        # Two of everything take more of the machine than one.
        per_second = min(MAX_PER_SECOND, await bearable_rate(stack) / 2)
    except (AssertionError, ServiceError) as error:
        problem = f"before any fault: {error!r}"
        return Outcome(number, faults, Counter(), None, (problem,))
    name = f"c{secrets.token_hex(3)}"
    channel = made_channel(name, _VIDEOS)
    stack.youtube.show(channel, delay=_PAGE_SECONDS)
    load = Load(stack.mcp_url, accounts, per_second=per_second)
    healed = 0.0
    try:
        load.calls.append(await begin_import(stack, accounts[0], channel))
        async with load.going():
            began = time.monotonic()
            await asyncio.gather(*(break_and_heal(stack, fault, began) for fault in faults))
            healed = time.monotonic()
            await stack.is_whole()
            await until(lambda: load.is_whole_since(healed), "calls still fail", _RECOVERY_SECONDS)
            await asyncio.sleep(began + LOAD_SECONDS - time.monotonic())
        left = await imported(stack, channel, name)
        if left.lost or left.double:
            problems.append(f"import: {left.lost} lost, {left.double} double")
        counts = await balance(stack, load.calls)
        problems += [*counts.apart, *counts.beyond]
        if counts.lost or counts.double:
            problems.append(f"ledger: {counts.lost} lost, {counts.double} double")
    except AssertionError as error:
        problems.append(str(error))
    problems += _unclear(load, accounts)
    problems += stack.fallen
    stack.fallen.clear()
    whole = load.whole_since(healed) if healed else None
    seconds = None if whole is None else whole - healed
    return Outcome(number, faults, load.by_kind(), seconds, tuple(problems))


async def _accounts(stack: Layout) -> Sequence[Account]:
    """Make two accounts with keys, one that is logged in by OAuth, and several whose months are nearly used up."""
    few = [
        await new_account(stack, "creator_agent", SMALL_LIMIT) for _ in range(_NEAR_THEIR_LIMITS)
    ]
    return (*await new_accounts(stack), *few)


def _unclear(load: Load, accounts: Sequence[Account]) -> list[str]:
    """Return outcomes that no caller may see, and accounts that got more than their plan."""
    odd = [call for call in load.calls if call.kind not in _CLEAR]
    found = [f"{len(odd)} calls, such as {odd[0].kind}: {odd[0].detail}"] if odd else []
    for account in accounts:
        got = sum(
            call.request.cost
            for call in load.calls
            if call.account is account and call.kind == "ok"
        )
        if got > account.limit:
            found.append(f"{account.email}: {got} of {account.limit} answered")
    return found
