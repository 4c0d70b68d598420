"""Tasks that run beside a block."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

COMPLETION_SECONDS: Final = 1.0


@asynccontextmanager
async def in_background(
    loop: Coroutine[Any, Any, None], completion_seconds: float = COMPLETION_SECONDS
) -> AsyncGenerator[asyncio.Task[None]]:
    """Run `loop`, which never ends by itself, until the block ends; yield its task.

    Args:
        loop: Cancelled at the block's end, and waited for.
        completion_seconds: Time to complete work after a cancellation; then the loop is cancelled again.
    """
    task = asyncio.create_task(loop)
    try:
        yield task
    finally:
        # redis-py now and then swallows a cancellation, so one may not be enough.
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=completion_seconds)
