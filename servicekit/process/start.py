"""What a process waits for before it serves, and the way it ends when that does not come."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress


class StartError(Exception):
    """Something that the process cannot start without is missing; the message says what."""


async def prepared(preparation: Awaitable[None], stopped: asyncio.Event) -> bool:
    """Return whether the preparation ended before the process was told to stop."""
    task = asyncio.ensure_future(preparation)
    stopping = asyncio.create_task(stopped.wait())
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return False
    task.result()
    return not stopped.is_set()
