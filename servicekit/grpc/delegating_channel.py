"""A gRPC channel that passes its calls on to another one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import grpc
import grpc.aio


class DelegatingChannel(grpc.aio.Channel):
    """Base of channels that change one thing about the calls of another channel.

    Interceptors could change calls too, but make a task of each.

    Attributes:
        _channel: The channel that takes the calls.
    """

    _channel: grpc.aio.Channel

    @abstractmethod
    def _method(self, kind: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Return what makes calls of a method.

        Args:
            kind: The channel's method for this kind of call, such as `unary_unary`.
            arguments: Those of that method, the path of the RPC first.
            options: Its named arguments.
        """

    def unary_unary(self, *arguments: Any, **options: Any) -> Any:
        return self._method("unary_unary", arguments, options)

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._method("unary_stream", arguments, options)

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        return self._method("stream_unary", arguments, options)

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._method("stream_stream", arguments, options)

    async def close(self, grace: float | None = None) -> None:
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - gRPC's own signature
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._channel.channel_ready()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()
