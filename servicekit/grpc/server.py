"""A gRPC server as every service runs it: errors, ids, health, reflection, graceful stop."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import Histogram

from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import Internal, ServiceError, Unavailable
from servicekit.grpc import tls as grpc_tls
from servicekit.grpc.errors import to_aio_status
from servicekit.grpc.health import Health
from servicekit.grpc.health_limits import MAX_REQUEST_BYTES, HealthCallLimit, HealthCallsLimited
from servicekit.grpc.token import TokenCheck
from servicekit.observability import logs, telemetry
from servicekit.process import shutdown
from servicekit.settings import GrpcServerSettings

log = logs.get(__name__)

RPC_SECONDS: Final = Histogram(
    "sponsorgraph_rpc_seconds", "Time to answer an RPC, in seconds.", ["method", "code"]
)
# Its stubs are partial.
_health_grpc: Any = health_pb2_grpc
_OPTIONS: Final = [
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
    # Callers connect again now and then, and so see replicas that were added; calls under way go on.
    ("grpc.max_connection_age_ms", 300_000),
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
    # No algorithm but identity: a few bytes of a packed message would become as many as are allowed.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    # What nobody reads of a call stays at the 64 KiB that it begins with.
    ("grpc.http2.bdp_probe", 0),
]
_PLAIN_HEALTH_OPTIONS: Final = [
    *(option for option in _OPTIONS if option[0] != "grpc.max_receive_message_length"),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
]

Register = Callable[[grpc.aio.Server], str]
"""Adds servicers to a server and returns the full name of the service that health speaks of."""


class ErrorsAndIds(grpc.aio.ServerInterceptor):
    """Binds the caller's request ids and turns what a method raises into a status.

    Args:
        allowed: Names of callers, by their certificates; everyone if there are none.
        places: For the calls under way.
        health_calls: They learn which connections have brought a token.
    """

    def __init__(
        self, allowed: frozenset[str], slots: Bulkhead, health_calls: HealthCallLimit
    ) -> None:
        self._allowed = allowed
        self._slots = slots
        self._health_calls = health_calls

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith("/grpc."):
            return handler
        metadata = dict(handler_call_details.invocation_metadata or ())
        traceparent = cast("str | None", metadata.get("traceparent"))
        guard = _Guard(method, traceparent, self._allowed, self._slots, self._health_calls)
        if handler.request_streaming and handler.response_streaming:
            return _guarded_persistent(handler, guard)
        return (_guarded_stream if handler.response_streaming else _guarded_unary)(handler, guard)


def _guarded_unary(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    inner = cast("Any", handler.stream_unary if handler.request_streaming else handler.unary_unary)

    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        async with guard.around(context):
            return await inner(request, context)

    make: Any = (
        grpc.stream_unary_rpc_method_handler
        if handler.request_streaming
        else grpc.unary_unary_rpc_method_handler
    )
    return make(call, handler.request_deserializer, handler.response_serializer)


def _guarded_stream(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    inner = cast("Any", handler.unary_stream)

    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        async with guard.around(context):
            async for response in inner(request, context):
                yield response

    make: Any = grpc.unary_stream_rpc_method_handler
    return make(call, handler.request_deserializer, handler.response_serializer)


def _guarded_persistent(
    handler: grpc.RpcMethodHandler[Any, Any], guard: _Guard
) -> grpc.RpcMethodHandler[Any, Any]:
    """A call that stays open (`servicekit.grpc.stream_server`): its messages are measured, not the call."""
    inner = cast("Any", handler.stream_stream)

    async def call(requests: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with guard.admitted(context):
            await inner(requests, context)

    make: Any = grpc.stream_stream_rpc_method_handler
    return make(call, handler.request_deserializer, handler.response_serializer)


@dataclass(frozen=True, slots=True)
class _Guard:
    """The checks, ids and measurement around one call."""

    method: str
    traceparent: str | None
    allowed: frozenset[str]
    slots: Bulkhead
    health_calls: HealthCallLimit

    @asynccontextmanager
    async def around(self, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncGenerator[None]:
        await self._refuse_if_full(context)
        started = time.perf_counter()
        reason = "OK"
        with telemetry.bound(telemetry.new_context(self.traceparent)):
            try:
                with self.slots:
                    self._admit(context)
                    yield
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001 - the edge of the process
                failure = _status_of(error, self.method)
                reason = failure.reason
                telemetry.failed(reason)
                await _abort(context, failure)
            finally:
                RPC_SECONDS.labels(self.method, reason).observe(time.perf_counter() - started)

    @asynccontextmanager
    async def admitted(self, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncGenerator[None]:
        """The same without ids and measurement."""
        await self._refuse_if_full(context)
        try:
            with self.slots:
                self._admit(context)
                yield
        except grpc.aio.AbortError:
            raise
        except Exception as error:  # noqa: BLE001 - the edge of the process
            await _abort(context, _status_of(error, self.method))

    async def _refuse_if_full(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """End the call as gRPC's own limit would.

        UNAVAILABLE would be sent again by the client itself, and with details the gateway would tell its
        caller of a limit that is not theirs.
        """
        try:
            self.slots.check()
        except Unavailable as full:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, full.public_message)

    def _admit(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        grpc_tls.admit(context, self.allowed)
        self.health_calls.brought_token(context.peer())


async def _abort(context: grpc.aio.ServicerContext[Any, Any], failure: ServiceError) -> None:
    await context.abort_with_status(to_aio_status(failure))


def as_service_error(error: Exception, method: str) -> ServiceError:
    """Return the error to send of one that ended a method; an unexpected one is logged under its id."""
    return _status_of(error, method)


def _status_of(error: Exception, method: str) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    error_id = secrets.token_hex(6)
    log.error("rpc_failed", method=method, error_id=error_id, exc_info=error)
    return Internal(f"Something went wrong on our side (error {error_id}).")


@asynccontextmanager
async def serve_grpc(settings: GrpcServerSettings, register: Register) -> AsyncGenerator[int]:
    """A server that answers until the block ends, healthy only inside it; yields the port.

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
            ErrorsAndIds(settings.allowed_peers(), slots, health_calls),
        ],
        options=_OPTIONS,
        # Not bounded here, by maximum_concurrent_rpcs: that counts calls of strangers too.
    )
    with shutdown.shared() as leaving:
        service_name = register(server)
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
        leaving.on_begin(servicer.leave)
        log.info("grpc_listening", host=settings.grpc_host, port=port)
        try:
            yield port
        finally:
            await leaving.begin()
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
