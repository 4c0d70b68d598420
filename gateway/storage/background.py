"""Loops that run beside the requests."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from servicekit.observability import logs

log = logs.get(__name__)

_PAUSE_SECONDS: Final = 1.0
_AGAIN_SECONDS: Final = 60.0
"""A loop that ran for so long is logged again when it fails as it did before."""


async def run_forever(name: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a loop until cancelled; begin it again, after a pause, when it ends by an error that it does not expect.

    An error is logged with an id, and once while it repeats itself.
    """
    failure = ""
    while True:
        began = time.monotonic()
        try:
            await run()
        except Exception as error:
            if time.monotonic() - began >= _AGAIN_SECONDS or repr(error) != failure:
                error_id = secrets.token_hex(6)
                log.exception("background_loop_failed", loop=name, error_id=error_id)
            failure = repr(error)
        await asyncio.sleep(_PAUSE_SECONDS)


@asynccontextmanager
async def in_background(loop: Coroutine[Any, Any, None]) -> AsyncGenerator[asyncio.Task[None]]:
    """Run `loop`, which never ends by itself, until the block ends."""
    task = asyncio.create_task(loop)
    try:
        yield task
    finally:
        # redis-py now and then swallows a cancellation, so one may not be enough.
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=0.1)


async def begin_loop(stack: AsyncExitStack, name: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a loop until the stack is closed."""
    await stack.enter_async_context(in_background(run_forever(name, run)))
