"""Follow work that goes on by itself, and report its progress to a caller who wants it."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

from gateway.tools._params import ToolContext
from servicekit.errors import ServiceError

T = TypeVar("T")


async def followed(
    found: T,
    changes: Callable[[], AsyncGenerator[T]],
    report: Callable[[T], None],
    context: ToolContext,
) -> T:
    """Report each change until there are no more, the time is over, or another caller needs the slot.

    Returns the newest state; `found` at once if the caller wants no progress.
    """
    if not context.progress.is_wanted:
        return found
    account_id = context.principal.entitlements.account_id
    with context.backends.follower_limit.slot(account_id) as is_admitted:
        return await _reported(found, changes, report, context) if is_admitted else found


async def _reported(
    found: T,
    changes: Callable[[], AsyncGenerator[T]],
    report: Callable[[T], None],
    context: ToolContext,
) -> T:
    # What was started goes on whether it can be followed or not.
    with contextlib.suppress(TimeoutError, ServiceError):
        async with asyncio.timeout(context.progress_seconds) as limit:
            with context.progress.endable(lambda: _end(limit)):
                async for now in changes():
                    found = now
                    report(now)
    return found


def _end(limit: asyncio.Timeout) -> None:
    if not limit.expired():
        limit.reschedule(0)
