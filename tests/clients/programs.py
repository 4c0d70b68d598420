"""Run a program of others to its end."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path


async def printed_by(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> str:
    """Return what a program prints that ends well, and in time; else fail with what it complains of."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(seconds):
            printed, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, f"{printed.decode()} {complaint.decode()}"
    return printed.decode()
