"""Operators' calls to a service, with who makes them and why."""

from __future__ import annotations

import asyncio
import getpass
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc

from servicekit.errors import DeadlineExceeded, NoResponse, ServiceError
from servicekit.grpc import client as grpc_client
from servicekit.grpc.errors import from_rpc_error
from servicekit.grpc.operators import NAME_METADATA, REASON_METADATA, TOKEN_METADATA

if TYPE_CHECKING:
    from servicekit.peer_credentials import PeerCredentials

_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Operator:
    """Who makes calls, as audit logs name them, and the reason that they give."""

    name: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OperatorCalls:
    """Each call goes over a connection of its own; errors are `ServiceError`."""

    target: str
    token: str
    credentials: PeerCredentials
    operator: Operator = Operator()

    def call(self, stub: Any, method: str, request: object, seconds: float = _SECONDS) -> Any:
        """Call a method of the service that `stub` is of, and return its response."""
        return asyncio.run(self._send(stub, method, request, seconds))

    async def _send(self, stub: Any, method: str, request: object, seconds: float) -> Any:
        metadata = (
            (TOKEN_METADATA, self.token),
            (NAME_METADATA, self.operator.name.encode("ascii", "replace").decode()),
            (REASON_METADATA, self.operator.reason.encode()),
        )
        async with grpc_client.open_channel(self.target, credentials=self.credentials) as channel:
            try:
                return await getattr(stub(channel), method)(
                    request, timeout=seconds, metadata=metadata
                )
            except grpc.RpcError as error:
                raise self._failure(error) from error

    def _failure(self, error: grpc.RpcError) -> ServiceError:
        """Return the error of a call; where nobody responded, with the address that was called."""
        failure = from_rpc_error(error)
        if isinstance(failure, DeadlineExceeded):
            return DeadlineExceeded(
                f"{self.target} did not respond in time. What was to be done may have been done: see before you repeat it."
            )
        is_unreached = getattr(error, "code", lambda: None)() is grpc.StatusCode.UNAVAILABLE
        if not (isinstance(failure, NoResponse) and is_unreached):
            return failure
        return NoResponse(
            f"Nothing responds at {self.target}, where the service is expected. See whether it runs "
            "(`sponsorgraph doctor`), and whether the address is right.",
            retry_after=failure.retry_after,
        )


def user_at_host() -> str:
    """Return the user and machine that a command runs as and on."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
