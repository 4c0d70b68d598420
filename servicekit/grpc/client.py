"""Calls to another service: round robin over healthy replicas, deadlines, retries if idempotent."""

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeVar

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from servicekit.errors import ServiceError
from servicekit.grpc.delegating_channel import DelegatingChannel
from servicekit.grpc.errors import from_rpc_error, no_response
from servicekit.grpc.reloading_channel import ReloadingChannel
from servicekit.grpc.tls import IdentityFolder
from servicekit.observability import telemetry
from servicekit.peer_credentials import AUTHORIZATION, PeerCredentials, bearer

Reply = TypeVar("Reply")

_RETRY: Final = {
    "maxAttempts": 3,
    "initialBackoff": "0.05s",
    "maxBackoff": "0.5s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}

OPTIONS: Final = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # Replicas that follow each other in a rolling restart would else be looked for after 30 s.
    ("grpc.dns_min_time_between_resolutions_ms", 1_000),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    # Channels of one process to one target would otherwise share a connection and its fate.
    ("grpc.use_local_subchannel_pool", 1),
]

_NOTHING: Final = PeerCredentials()


class TokenChannel(DelegatingChannel):
    """Passes calls on with the token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._channel = channel
        self._metadata = (AUTHORIZATION, bearer(token))

    def _method(self, kind: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        own = self._metadata
        method = getattr(self._channel, kind)(*arguments, **options)

        def call(*presented: Any, metadata: Any = None, **named: Any) -> Any:
            whole = (own,) if metadata is None else (own, *metadata)
            return method(*presented, metadata=whole, **named)

        return call


def open_channel(
    target: str,
    idempotent: Iterable[tuple[str, str]] = (),
    credentials: PeerCredentials = _NOTHING,
) -> grpc.aio.Channel:
    """Return a channel to `target`: "host:port", or "dns:///name:port" to spread over all its addresses.

    "ipv4:1.2.3.4:81,1.2.3.5:81" names several, without TLS: no certificate has such a name.

    Args:
        target: Where the service listens. With TLS, its host is the name that the service's
            certificate has to have.
        idempotent: (service, method) pairs that may be sent again when the peer was unavailable.
        credentials: What this process shows. Without any it is told of nothing but health.

    Raises:
        SettingsError: The folder does not hold what it should.
    """
    names = [{"service": service, "method": method} for service, method in idempotent]
    config: dict[str, Any] = {
        "loadBalancingConfig": [{"round_robin": {}}],
        # A server whose health check says NOT_SERVING gets no new calls; without this, those on the
        # way to it when it closes would end as CANCELLED. https://grpc.io/docs/guides/health-checking/
        "healthCheckConfig": {"serviceName": ""},
    }
    if names:
        config["methodConfig"] = [{"name": names, "retryPolicy": _RETRY}]
    options = [("grpc.service_config", json.dumps(config)), *OPTIONS]
    channel = _connect(target, options, credentials.tls_folder)
    return TokenChannel(channel, credentials.tokens[0]) if credentials.tokens else channel


def _connect(target: str, options: Any, tls_folder: str) -> grpc.aio.Channel:
    interceptors = telemetry.client_interceptors()
    if not tls_folder:
        return grpc.aio.insecure_channel(target, options=options, interceptors=interceptors)

    def opening(certificate: grpc.ChannelCredentials) -> grpc.aio.Channel:
        return grpc.aio.secure_channel(
            target, certificate, options=options, interceptors=interceptors
        )

    return ReloadingChannel(opening, IdentityFolder(tls_folder))


async def call(
    method: Callable[..., Awaitable[Reply]],
    request: object,
    *,
    timeout: float,  # noqa: ASYNC109 - gRPC sends it along as the deadline
    trailing: Callable[[Any], None] | None = None,
) -> Reply:
    """Calls a stub's method within `timeout` seconds; `trailing` gets the metadata that came after the reply.

    Raises:
        ServiceError: What the other side raised, or `Unavailable` when it did not answer.
    """
    context = telemetry.current()
    metadata = (("traceparent", context.traceparent()),) if context else ()
    try:
        calling: Any = method(request, timeout=timeout, metadata=metadata)
        reply: Reply | None = await calling
        if trailing is not None:
            trailing(await calling.trailing_metadata())
    except grpc.RpcError as error:
        raise from_rpc_error(error) from error
    if reply is None:  # grpc.aio's way to say that what came was no such message
        raise no_response()
    return reply


async def is_serving(channel: grpc.aio.Channel, *, within: float = 1.0) -> bool:
    """Return whether the service behind `channel` says that it is healthy."""
    stub: Any = health_pb2_grpc.HealthStub(channel)  # the stubs that exist lack its methods
    try:
        reply: Any = await call(stub.Check, health_pb2.HealthCheckRequest(), timeout=within)
    except ServiceError:
        return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)
