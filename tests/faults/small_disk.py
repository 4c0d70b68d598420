"""Small disks of their own, in memory, that a test may fill to the last byte."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

_FILLER: Final = "filler"
_BLOCKS: Final = (1 << 20, 1 << 12, 1)
_AGAIN_SECONDS: Final = 0.1


@asynccontextmanager
async def small_disk(megabytes: int, at: Path | None = None) -> AsyncGenerator[Path]:
    """A disk mounted at a folder, `at` or a new one."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-disk-") as made:
        folder = at or Path(made)
        options = f"size={megabytes}m,mode=0755"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        mounted = await asyncio.to_thread(subprocess.run, mount, capture_output=True, check=False)
        if mounted.returncode:
            pytest.skip("a disk that can be filled needs the right to mount one (root on Linux)")
        try:
            yield folder
        finally:
            await asyncio.to_thread(subprocess.run, ["umount", str(folder)], check=True)


@asynccontextmanager
async def full(disk: Path) -> AsyncGenerator[None]:
    """No room is left on the disk inside the block, whatever others free."""
    await asyncio.to_thread(fill, disk)
    keeping = asyncio.create_task(_keep_full(disk))
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        (disk / _FILLER).unlink()


async def _keep_full(disk: Path) -> None:
    while True:
        await asyncio.sleep(_AGAIN_SECONDS)
        fill(disk)


def fill(disk: Path) -> None:
    """Writes until there is no room for a byte."""
    descriptor = os.open(disk / _FILLER, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        for size in _BLOCKS:
            with suppress(OSError):
                while True:
                    os.write(descriptor, bytes(size))
    finally:
        os.close(descriptor)
