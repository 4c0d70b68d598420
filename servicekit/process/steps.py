"""Steps of periodic work that do not depend on each other: one that fails or hangs leaves the others alone."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

from servicekit.observability import logs

LONGEST_SECONDS: Final = 300.0

Step = tuple[str, Callable[[], Awaitable[int]]]
"""A name for the log, and what does the step and returns how much it did."""

log = logs.get(__name__)


async def run_steps(
    steps: Iterable[Step], seconds: float | None = LONGEST_SECONDS
) -> Mapping[str, int]:
    """Run steps one after the other; return by name how much was done, 0 for names that have nothing.

    A step that fails, or takes longer than `seconds` (None: no limit), is logged once under an id (`step_failed`), and the next begins.
    """
    done: Counter[str] = Counter()
    for name, run in steps:
        try:
            async with asyncio.timeout(seconds):
                done[name] += await run()
        except Exception as error:
            error_id = secrets.token_hex(6)
            log.exception("step_failed", step=name, error_id=error_id, reason=type(error).__name__)
    return done
