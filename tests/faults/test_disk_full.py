"""The disk of Postgres full, under load: nothing can be written, and Postgres itself ends."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.e2e.fleet import until
from tests.faults.conftest import warm
from tests.faults.running import Running
from tests.faults.trial import trial

pytestmark = [pytest.mark.timeout(240)]

DISK_MEGABYTES = 400
FULL_SECONDS = 4.0


@pytest.fixture(scope="module")
async def disk() -> AsyncGenerator[Path]:
    """A small disk of its own, in memory."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=0755", "tmpfs", folder]
        mounted = await asyncio.to_thread(subprocess.run, mount, capture_output=True, check=False)
        if mounted.returncode:
            pytest.skip("a disk that can be filled needs the right to mount one (root on Linux)")
        try:
            yield Path(folder)
        finally:
            await asyncio.to_thread(subprocess.run, ["umount", folder], check=True)


@pytest.fixture(scope="module")
async def on_disk(disk: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Running]:
    async with warm((), {}, tmp_path_factory.mktemp("faults"), disk / "postgres") as made:
        yield made


async def test_a_full_disk_makes_writes_wait_and_loses_none(on_disk: Running, disk: Path) -> None:
    async with trial(on_disk) as it:
        filler = disk / "filler"
        it.broke = time.monotonic()
        await asyncio.to_thread(fill, filler)
        refused = await until_refused(on_disk)
        await asyncio.sleep(FULL_SECONDS)
        filler.unlink()
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


def fill(path: Path) -> None:
    """Writes until there is no room."""
    with path.open("wb", buffering=0) as file:
        block = bytes(1 << 20)
        try:
            while True:
                file.write(block)
        except OSError:
            return


async def until_refused(stack: Running) -> bool:
    """Waits until Postgres could not write something."""
    log = stack.postgres.log
    await until(
        lambda: "No space left on device" in log.read_text(errors="replace"), "room is left"
    )
    return True
