"""Loops that run beside the requests, and begin again after an error."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from structlog.testing import capture_logs

from servicekit.concurrency.background import in_background
from servicekit.process import loops
from servicekit.process.loops import run_forever


async def test_a_loop_that_fails_is_logged_once_with_an_id_and_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loops, "_PAUSE_SECONDS", 0)
    begun, lasting = 0, asyncio.Event()

    async def loop() -> None:
        nonlocal begun
        begun += 1
        if begun <= 3:
            raise IndexError("list index out of range")
        if begun == 4:
            raise KeyError("another")
        lasting.set()
        await asyncio.Event().wait()

    with capture_logs() as lines:
        async with in_background(run_forever("lease", loop)):
            await asyncio.wait_for(lasting.wait(), 5)
    assert [line["event"] for line in lines] == ["background_loop_failed"] * 2
    assert {line["loop"] for line in lines} == {"lease"}
    assert len({line["error_id"] for line in lines}) == 2


async def test_a_loop_whose_cancellation_ends_in_an_error_is_not_begun_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a worker of jobs whose database is away when it signs off."""
    monkeypatch.setattr(loops, "_PAUSE_SECONDS", 0)
    begun, running = 0, asyncio.Event()

    async def loop() -> None:
        nonlocal begun
        begun += 1
        running.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise OSError("the database is away") from None

    async with in_background(run_forever("jobs", loop), completion_seconds=60):
        await running.wait()
    assert begun == 1


async def test_a_loop_completes_its_work_after_a_cancellation() -> None:
    running, completed = asyncio.Event(), False

    async def loop() -> None:
        nonlocal completed
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(100):
                await asyncio.sleep(0)
            completed = True

    async with in_background(loop()):
        await running.wait()
    assert completed


async def test_a_loop_that_swallows_a_cancellation_is_cancelled_again() -> None:
    running = asyncio.Event()

    async def loop() -> None:
        running.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async with in_background(loop(), completion_seconds=0.001) as task:
        await running.wait()
    assert task.cancelled()
