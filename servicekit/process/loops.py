"""Loops that run beside the requests, and begin again after an error."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final

from servicekit.concurrency.background import COMPLETION_SECONDS, in_background
from servicekit.observability import logs

log = logs.get(__name__)

Loop = Callable[[], Awaitable[None]]
"""Begins a loop, which runs until it is cancelled."""

NamedLoop = tuple[str, Loop]
"""A name for the log, and a loop."""

_PAUSE_SECONDS: Final = 1.0
_AGAIN_SECONDS: Final = 60.0
"""A loop that ran for so long is logged again when it fails as it did before."""


async def run_forever(name: str, run: Loop) -> None:
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
            if _is_cancelled():  # the error took the cancellation's place
                return
        await asyncio.sleep(_PAUSE_SECONDS)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def begin_loop(
    stack: AsyncExitStack, name: str, run: Loop, completion_seconds: float = COMPLETION_SECONDS
) -> None:
    """Run a loop until the stack is closed.

    Args:
        stack: Waits for the loop's end.
        name: For the log.
        run: Begins the loop.
        completion_seconds: Time to complete work after a cancellation; then the loop is cancelled again.
    """
    await stack.enter_async_context(in_background(run_forever(name, run), completion_seconds))
