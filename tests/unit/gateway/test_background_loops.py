"""Loops that run beside the requests."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from gateway.storage import background
from gateway.storage.background import in_background, run_forever


async def test_a_loop_that_fails_is_logged_once_with_an_id_and_begins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "_PAUSE_SECONDS", 0)
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
