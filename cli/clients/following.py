"""Work that is started and followed while the service that does it is restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from time import monotonic
from typing import Final, TypeVar

import grpc

from servicekit.errors import NoResponse
from servicekit.grpc.errors import from_rpc_error

_BROKEN_OFF: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})
_PAUSE: Final = 0.5

T = TypeVar("T")

SECONDS_TO_RETURN: Final = 30.0
"""How long a service may be away before its work counts as not begun, or its stream as lost."""


async def started(
    start: Callable[[], Awaitable[T]],
    seconds: float = SECONDS_TO_RETURN,
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
            # What the service itself says, such as that YouTube is away, is its response.
            is_broken_off = error.code() is grpc.StatusCode.CANCELLED
            is_away = is_broken_off or isinstance(from_rpc_error(error), NoResponse)
            if not is_away or monotonic() > given_up_at:
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
