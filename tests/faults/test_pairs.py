"""Two parts killed at once and away for some seconds, each with each other one, under load.

All pairs are tried by `make reliability`; a test run without it tries those that meet in the counts.
"""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from tests.faults.reliability import IS_WHOLE
from tests.faults.services import Running
from tests.faults.trial import Trial, trial

pytestmark = [pytest.mark.timeout(240)]

PARTS = ("valkey", "postgres", "auth_service", "catalog_service", "gateway")
AWAY_SECONDS = 3.0
RETURN_SECONDS = 10.0
"""Twice what one part has: what needs both begins again when the second one is there."""

IN_EVERY_RUN = frozenset({("valkey", "postgres"), ("valkey", "gateway"), ("postgres", "gateway")})
LEDGER = frozenset({"postgres", "auth_service"})
"""Without either nothing is counted when Valkey is away too."""


def promised(pair: tuple[str, str]) -> str:
    """Return the promise to callers while both are away."""
    if "gateway" in pair:
        return "nobody is answered; each count is kept"
    if "valkey" in pair and LEDGER & set(pair):
        return "503 with Retry-After to what is counted"
    if "catalog_service" in pair or "postgres" in pair:
        return "503 to what asks the catalogue or imports; who is known is answered lists and usage"
    return "callers who are known go on"


def pairs() -> list[object]:
    """Each pair; those that not every run tries are skipped there."""
    skipped = pytest.mark.skipif(not IS_WHOLE, reason="make reliability tries every pair")
    return [
        pytest.param(pair, id="-".join(pair), marks=() if pair in IN_EVERY_RUN else skipped)
        for pair in itertools.combinations(PARTS, 2)
    ]


def assert_clear_errors(it: Trial, pair: tuple[str, str]) -> None:
    """Nobody saw anything but answers, 503 with when to come again, or a gateway that was not there."""
    gone = {"refused", "cut", "timed out"} if "gateway" in pair else set[str]()
    bad = [call for call in it.load.calls if not call.is_good and call.kind not in gone]
    assert [item for item in bad if not item.kind.endswith("unavailable")] == []


@pytest.mark.parametrize("pair", pairs())
async def test_two_parts_that_are_gone_at_once_cost_no_count_and_both_come_back(
    shared: Running, pair: tuple[str, str]
) -> None:
    first, other = pair
    async with trial(shared) as it:
        before = {name: shared.pid(name) for name in pair}
        it.broke = time.monotonic()
        async with shared.away(first), shared.away(other):
            await asyncio.sleep(AWAY_SECONDS)
        it.returned = max([await shared.come_back(name, before[name]) for name in pair])
        await it.recovers()
    assert_clear_errors(it, pair)
    if "gateway" not in pair and "valkey" not in pair:
        it.assert_goes_on_without("catalog_service", "import_worker")
    await it.keeps_its_promises(
        "pairs",
        f"{first} and {other} killed, away for {AWAY_SECONDS:.0f} s",
        promised(pair),
        within=RETURN_SECONDS,
        # It reads the signing keys before it serves, and is started again until it can.
        may_end={"auth_service"} if pair == ("postgres", "auth_service") else (),
    )
