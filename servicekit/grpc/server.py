"""A gRPC server as every service runs it: interceptors, health, reflection, graceful stop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.grpc import tls as grpc_tls
from servicekit.grpc.health import Health
from servicekit.grpc.health_limits import MAX_REQUEST_BYTES, HealthCallLimit, HealthCallsLimited
from servicekit.grpc.interceptors import CallInterceptor, TokenCheck, begin_series
from servicekit.observability import logs, telemetry
from servicekit.process import shutdown
from servicekit.settings import GrpcServerSettings

log = logs.get(__name__)

# Its stubs are partial.
_health_grpc: Any = health_pb2_grpc
_OPTIONS: Final = [
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    # No algorithm but identity: a few bytes of a packed message would become as many as are allowed.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    # What nobody reads of a call stays at the 64 KiB that it begins with.
    ("grpc.http2.bdp_probe", 0),
]
_PLAIN_HEALTH_OPTIONS: Final = [
    ("grpc.max_connection_age_ms", 300_000),
    *(option for option in _OPTIONS if option[0] != "grpc.max_receive_message_length"),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
]

Register = Callable[[grpc.aio.Server], str]
"""Adds servicers to a server and returns the full name of the service that health speaks of."""


@asynccontextmanager
async def serve_grpc(settings: GrpcServerSettings, register: Register) -> AsyncGenerator[int]:
    """Serve until the block ends, healthy only inside it; yield the port.

    Raises:
        SettingsError: Neither a token nor TLS would keep strangers out, or the folder of the
            certificates does not hold what it should.
    """
    tokens = settings.peer_credentials().tokens
    health_calls = HealthCallLimit()
    slots = Bulkhead("rpc", settings.grpc_max_concurrent_rpcs)
    server = grpc.aio.server(
        interceptors=[
            *([TokenCheck(tokens, health_calls)] if tokens else ()),
            *telemetry.server_interceptors(),
            CallInterceptor(settings.allowed_peers(), slots, health_calls),
        ],
        options=[
            *_OPTIONS,
            (
                "grpc.max_connection_age_ms",
                round(settings.grpc_max_connection_age_seconds * 1000),
            ),
        ],
        # Not bounded here, by maximum_concurrent_rpcs: that counts calls of strangers too.
    )
    with shutdown.shared() as graceful_shutdown:
        service_name = register(server)
    begin_series(service_name)
    servicer = Health()
    _health_grpc.add_HealthServicer_to_server(servicer, server)
    if settings.grpc_reflection:
        names = (service_name, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    port = _listen(server, settings)
    async with _plain_health(settings, servicer):
        await server.start()
        for name in ("", service_name):
            servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
        graceful_shutdown.on_begin(servicer.stop)
        log.info("grpc_listening", host=settings.grpc_host, port=port)
        try:
            yield port
        finally:
            await graceful_shutdown.begin()
            await server.stop(settings.shutdown_grace_seconds)


def _listen(server: grpc.aio.Server, settings: GrpcServerSettings) -> int:
    address = f"{settings.grpc_host}:{settings.grpc_port}"
    if not settings.grpc_tls_folder:
        return server.add_insecure_port(address)
    folder = grpc_tls.IdentityFolder(settings.grpc_tls_folder)
    return server.add_secure_port(address, grpc_tls.server_credentials(folder))


@asynccontextmanager
async def _plain_health(settings: GrpcServerSettings, servicer: Health) -> AsyncGenerator[None]:
    """Health alone, without TLS and under limits, for who has no certificate, such as a kubelet."""
    if settings.grpc_health_port is None:
        yield
        return
    server = grpc.aio.server(interceptors=[HealthCallsLimited()], options=_PLAIN_HEALTH_OPTIONS)
    _health_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(f"{settings.grpc_host}:{settings.grpc_health_port}")
    await server.start()
    try:
        yield
    finally:
        await server.stop(None)
