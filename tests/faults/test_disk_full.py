"""The disk of Postgres full, under load: nothing can be written, and Postgres itself ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.e2e.fleet import until
from tests.faults.conftest import warm
from tests.faults.services import Running
from tests.faults.small_disk import full, small_disk
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

DISK_MEGABYTES = 400
FULL_SECONDS = 4.0


@pytest.fixture(scope="module")
async def disk() -> AsyncGenerator[Path]:
    async with small_disk(DISK_MEGABYTES) as folder:
        yield folder


@pytest.fixture(scope="module")
async def on_disk(disk: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Running]:
    async with warm((), {}, tmp_path_factory.mktemp("faults"), disk / "postgres") as made:
        yield made


async def test_a_full_disk_makes_writes_wait_and_loses_none(on_disk: Running, disk: Path) -> None:
    async with trial(on_disk) as it:
        it.broke = time.monotonic()
        async with full(disk):
            refused = await until_refused(on_disk)
            await asyncio.sleep(FULL_SECONDS)
        await until(lambda: on_disk.is_ready("postgres"), "Postgres does not come back")
        it.returned = time.monotonic()
        await it.recovers()
    assert refused
    it.assert_goes_on_without("catalog_service", "import_worker")
    await it.keeps_its_promises(
        "postgres",
        "The disk of Postgres full",
        "503 at most to what asks it; imports and ledger wait",
    )


async def until_refused(stack: Running) -> bool:
    """Waits until Postgres could not write something."""
    log = stack.postgres.log
    await until(
        lambda: "No space left on device" in log.read_text(errors="replace"), "room is left"
    )
    return True
