"""Streams of changes, read on while the service that sends them is restarted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Final, TypeVar

import grpc

_BROKEN_OFF: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED})
_PAUSE: Final = 0.5

T = TypeVar("T")

SECONDS_TO_RETURN: Final = 30.0
"""How long a service may be away before its stream counts as lost."""


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
