"""The primary of Postgres falls silent, is stopped or is killed, and its standby is promoted, under load.

Nothing is restarted: the services have both servers in their URLs and find the one that takes writes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.faults.conftest import warm_up
from tests.faults.reliability import IS_WHOLE
from tests.faults.services import Running, processes_of, promote, running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

UNNOTICED_SECONDS = 3.0
"""Between the fault and the promotion: what finds out that a primary is gone takes its time."""

FAILING_SECONDS = 10.0
"""Longest after the promotion that a call may fail."""

Fault = Callable[[Running], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def dropped(stack: Running) -> AsyncGenerator[None]:
    async with stack.proxies["postgres"].silent():
        yield


@asynccontextmanager
async def stopped(stack: Running) -> AsyncGenerator[None]:
    """SIGSTOP of the server and all of its processes: the kernel accepts connections, nobody answers."""
    processes = processes_of(stack.postgres)
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def killed(stack: Running) -> AsyncGenerator[None]:
    async with stack.away("postgres"):
        yield


FAULTS: dict[str, Fault] = {"stopped": stopped, "dropped": dropped, "killed": killed}
TRIED: Final = tuple(FAULTS) if IS_WHOLE else ("stopped",)
"""Each takes a stack of its own: all of them are for `make reliability`."""


@pytest.mark.parametrize("fault", TRIED)
async def test_calls_fail_for_ten_seconds_at_most_after_the_promotion(fault: str) -> None:
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-faults-") as folder:
        async with running(Path(folder), ("postgres",), with_standby=True) as stack:
            await warm_up(stack)
            async with AsyncExitStack() as until_the_end:
                async with trial(stack) as it:
                    it.broke = time.monotonic()
                    await until_the_end.enter_async_context(FAULTS[fault](stack))
                    await asyncio.sleep(UNNOTICED_SECONDS)
                    await asyncio.to_thread(_promote_standby, stack)
                    it.returned = time.monotonic()
                    await asyncio.sleep(FAILING_SECONDS)
                    settled = time.monotonic()
                    await it.goes_on(200)
                late = [call for call in it.load.since(settled) if not call.is_good]
                assert late == [], (
                    f"{len(late)} of {len(it.load.since(settled))}, such as {late[0]}"
                )
                await it.keeps_its_promises(
                    "postgres",
                    f"the primary is {fault}; its standby is promoted after {UNNOTICED_SECONDS:.0f} s",
                    f"the standby is found within {FAILING_SECONDS:.0f} s, with nothing restarted",
                    within=FAILING_SECONDS,
                )


def _promote_standby(stack: Running) -> None:
    assert stack.standby is not None
    promote(stack.standby)
    stack.postgres, stack.standby = stack.standby, stack.postgres
