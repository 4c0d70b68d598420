"""Work that is started and followed while the service that does it is restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from time import monotonic
from typing import Final, TypeVar

import grpc

_BROKEN_OFF: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})
_PAUSE: Final = 0.5

T = TypeVar("T")

SECONDS_TO_RETURN: Final = 30.0
"""How long a service may be away before its stream counts as lost."""

_SECONDS_TO_START: Final = 10.0
"""How long it may be away before the work is started. A stack has started a killed service again by then."""


async def started(
    start: Callable[[], Awaitable[T]],
    seconds: float = _SECONDS_TO_START,
    pause: float = _PAUSE,
) -> T:
    """Return the response of a call that starts something once, however often it is sent.

    Raises:
        grpc.RpcError: The service refuses the call, or is not back in time.
    """
    given_up_at = monotonic() + seconds
    while True:
        try:
            return await start()
        except grpc.aio.AioRpcError as error:
            if error.code() not in _BROKEN_OFF or monotonic() > given_up_at:
                raise
            await asyncio.sleep(pause)


async def changes(
    watch: Callable[[], AsyncIterator[T]],
    seconds: float = SECONDS_TO_RETURN,
    pause: float = _PAUSE,
) -> AsyncIterator[T]:
    """Yield what a stream sends up to its end; one that breaks off is opened again for `seconds`.

    Raises:
        grpc.RpcError: The service refuses the call, or is not back in time.
    """
    broke_off: float | None = None
    while True:
        try:
            async for change in watch():
                broke_off = None
                yield change
        except grpc.aio.AioRpcError as error:
            broke_off = broke_off or monotonic()
            if error.code() not in _BROKEN_OFF or monotonic() - broke_off > seconds:
                raise
            await asyncio.sleep(pause)
        else:
            return
