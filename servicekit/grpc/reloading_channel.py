"""A gRPC channel that shows the newest certificate of its process.

gRPC reads a channel's certificate once. A process that outlives its certificate would be refused at its next
connection; so another channel takes over as soon as the files have changed.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import grpc
import grpc.aio

from servicekit.grpc.delegating_channel import DelegatingChannel
from servicekit.grpc.tls import IdentityFolder

_CHECK_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 60.0
"""Longest that a call may go on over a connection with the certificate of before."""

Opening = Callable[[grpc.ChannelCredentials], grpc.aio.Channel]


class ReloadingChannel(DelegatingChannel):
    """Passes each call to the channel with the newest certificate.

    Args:
        opening: Makes a channel that shows the given certificate.
        folder: Where the process's certificate is.
        check_seconds: Shortest time between two checks of its files, which precede a call.
    """

    def __init__(
        self, opening: Opening, folder: IdentityFolder, check_seconds: float = _CHECK_SECONDS
    ) -> None:
        self._opening = opening
        self._folder = folder
        self._check_seconds = check_seconds
        self._checked_at = time.monotonic()
        self._channel = opening(folder.identity.for_a_channel())
        self._ending: set[asyncio.Task[None]] = set()

    def _now(self) -> grpc.aio.Channel:
        now = time.monotonic()
        if now - self._checked_at >= self._check_seconds:
            self._checked_at = now
            identity = self._folder.renewed()
            if identity is not None:
                before, self._channel = self._channel, self._opening(identity.for_a_channel())
                ending = asyncio.create_task(before.close(_GRACE_SECONDS))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)
        return self._channel

    def _method(self, kind: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        channel: grpc.aio.Channel | None = None
        method: Any = None

        def call(*arguments_of_call: Any, **named: Any) -> Any:
            nonlocal channel, method
            now = self._now()
            if now is not channel:
                channel, method = now, getattr(now, kind)(*arguments, **options)
            return method(*arguments_of_call, **named)

        return call

    async def close(self, grace: float | None = None) -> None:
        for ending in tuple(self._ending):
            ending.cancel()
        await asyncio.gather(*self._ending, return_exceptions=True)
        await super().close(grace)
