"""The ASGI endpoint of `/mcp`: HTTP's own rules, then the messages of the body."""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from gateway.authentication.principal import Principal
from gateway.fair_bulkhead import FairBulkhead
from gateway.mcp import errors, jsonrpc, metrics, versions
from gateway.mcp.client_info import check_version
from gateway.mcp.dispatcher import Dispatcher, Prepared, Response
from gateway.mcp.failure_log import record_refusal
from gateway.mcp.jsonrpc import INVALID_REQUEST, ProtocolError
from gateway.mcp.transport import cors, trace_context
from gateway.mcp.transport.accept import prefers_html
from gateway.mcp.transport.authenticator import Authenticator
from gateway.mcp.transport.http import (
    AsgiApp,
    BodyTooLarge,
    Connection,
    Disconnected,
    Headers,
    Receive,
    Reply,
    Request,
    Scope,
    Send,
    accepts_stream,
    is_json,
    read_body,
    request_of,
    send_reply,
)
from gateway.mcp.transport.sse import Stream
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import ServiceError, Unauthenticated, Unavailable
from servicekit.http.exchange import WHOLE
from servicekit.observability import logs, telemetry

log = logs.get(__name__)

_PATHS: Final = frozenset({"/mcp", "/mcp/"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a request.

    Attributes:
        body_bytes: Size of a body.
        nesting: Levels of objects and arrays in it.
        batch: Messages in a batch.
        log_every: One in this many successful requests is logged, and every failed one.
    """

    body_bytes: int
    nesting: int
    batch: int
    log_every: int


@dataclass(frozen=True, slots=True)
class ConcurrencyLimits:
    """Limits of the requests under way: those with a plain response, and those with a stream.

    They are apart because a stream may wait for a user or for the end of an import and costs little
    meanwhile. Streams stay open, so they are shared fairly by accounts.
    """

    calls: Bulkhead
    streams: FairBulkhead


class McpEndpoint:
    """The ASGI application: it serves `/mcp` to programs itself, and leaves all else to `pages`.

    So `/mcp` does not pass a framework's routing and middleware, which would cost more than the
    endpoint's own work.

    Attributes:
        end_streams: Ends the streams that only listen, as the process stops.
    """

    def __init__(  # noqa: PLR0913 - all of it is injected
        self,
        dispatcher: Dispatcher,
        authenticator: Authenticator,
        origins: cors.Origins,
        limits: Limits,
        concurrency: ConcurrencyLimits,
        *,
        pages: AsgiApp,
        end_streams: Callable[[], None],
    ) -> None:
        self._dispatcher = dispatcher
        self._authenticator = authenticator
        self._origins = origins
        self._limits = limits
        self._concurrency = concurrency
        self._pages = pages
        self.end_streams = end_streams
        self._count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in _PATHS or _is_visit(scope):
            await self._pages(scope, receive, send)
            return
        started = time.perf_counter()
        request = request_of(scope)
        with telemetry.request("HTTP /mcp", request.header(b"traceparent")) as context:
            headers: Headers = ((b"x-request-id", context.request_id.encode()),)
            origin = request.header(b"origin")
            is_foreign = origin is not None and not self._origins.admits(origin)
            if origin is not None and not is_foreign:
                headers += cors.cors(origin)
            sends_whole = WHOLE in scope.get("extensions", ())
            connection = Connection(receive, send, headers, sends_whole)
            try:
                reply = (
                    _refused(403, "Pages of this origin may not call this service.")
                    if is_foreign
                    else await self._reply(request, connection)
                )
            except Disconnected:
                return
            if not reply.is_sent:
                await send_reply(connection, reply)
            self._record(request, reply, time.perf_counter() - started)

    async def _reply(self, request: Request, connection: Connection) -> Reply:
        if request.method == "OPTIONS":
            return Reply(204, headers=cors.preflight(request))
        if request.method != "POST":
            text = "This endpoint takes POST requests with a JSON-RPC message as body."
            return _refused(405, text, ((b"allow", b"POST"),))
        if not is_json(request):
            return _refused(415, "Send the header `Content-Type: application/json`.")
        try:
            # Before the body is read, and again after it: whoever sends slowly holds no slot.
            self._concurrency.calls.check()
            body = await read_body(request, connection.receive, self._limits.body_bytes)
        except Unavailable as refusal:
            return _busy_reply(refusal)
        except BodyTooLarge:
            text = f"The body has more than {self._limits.body_bytes:,} bytes."
            return _refused(413, text, ((b"connection", b"close"),))
        return await self._response(request, body, connection)

    async def _response(self, request: Request, body: bytes, connection: Connection) -> Reply:
        message_id: jsonrpc.Id | None = None
        try:
            # The body is decoded before the credential is verified, so that every error can name
            # its id; what is wrong with it is reported only to callers with a credential.
            value, malformed = self._decoded(body)
            prepared = None
            if malformed is None and not isinstance(value, list):
                prepared = self._dispatcher.prepare(value, request)
                message_id = prepared.id
                _follow_trace(prepared)
            with self._concurrency.calls:
                principal = await self._principal(request)
                if malformed is not None:
                    raise malformed
                if prepared is None:
                    return await self._batch(cast("list[object]", value), request, principal)
                if not (prepared.needs.stream and accepts_stream(request)):
                    return _reply_of(
                        await self._dispatcher.respond(prepared, principal, is_alone=True)
                    )
            return await self._streamed(prepared, principal, connection)
        except ProtocolError as error:
            record_refusal(error)
            return Reply(error.status or 400, jsonrpc.error(message_id, error), error.headers)
        except Unavailable as refusal:
            return _busy_reply(refusal, message_id)

    def _decoded(self, body: bytes) -> tuple[object, ProtocolError | None]:
        try:
            return jsonrpc.decode(body, self._limits.nesting), None
        except ProtocolError as error:
            return None, error

    async def _streamed(
        self, prepared: Prepared, principal: Principal, connection: Connection
    ) -> Reply:
        stream = Stream(connection)
        # A call is charged and gets its result, at most sooner (`Progress.endable`); a caller who
        # only listens may be told to come again.
        end = stream.end_early if prepared.needs.can_end_early else None
        try:
            with self._concurrency.streams.slot(principal.entitlements.account_id, end) as slot:
                respond = functools.partial(
                    self._dispatcher.respond, prepared, principal, stream.notify, slot
                )
                is_stateless = prepared.caller.is_stateless
                reply = _reply_of(await stream.run(respond, ends_on_disconnect=is_stateless))
        except Unavailable as refusal:
            reply = _busy_reply(refusal, prepared.id)
        return await stream.end(reply) if stream.has_begun else reply

    async def _principal(self, request: Request) -> Principal:
        try:
            return await self._authenticator.principal(request)
        except Unauthenticated as refusal:
            challenge = self._authenticator.challenge(refusal, request)
            raise errors.unauthenticated(refusal, challenge) from None
        except ServiceError as error:
            raise errors.unavailable(error) from None

    async def _batch(self, values: list[object], request: Request, principal: Principal) -> Reply:
        version = request.header(b"mcp-protocol-version")
        check_version(version)
        if version not in (None, versions.BATCHING):
            raise ProtocolError(INVALID_REQUEST, f"{version} has no batches: send one message.")
        if not 1 <= len(values) <= self._limits.batch:
            text = f"A batch has 1 to {self._limits.batch} messages; this one has {len(values)}."
            raise ProtocolError(INVALID_REQUEST, text)
        responses = [
            await self._dispatcher.respond(self._dispatcher.prepare(value, request), principal)
            for value in values
        ]
        bodies = [response.body for response in responses if response.body is not None]
        headers = dict(pair for response in responses for pair in response.headers)
        if not bodies:
            return Reply(202)
        return Reply(200, b"[" + b",".join(bodies) + b"]", tuple(headers.items()))

    def _record(self, request: Request, reply: Reply, seconds: float) -> None:
        metrics.of(metrics.HTTP_REPLIES, str(reply.status)).inc()
        telemetry.responded(reply.status)
        self._count += 1
        if reply.status < 400 and self._count % self._limits.log_every:
            return
        log.info(
            "request",
            method=request.method,
            status=reply.status,
            milliseconds=round(seconds * 1000, 2),
            user_agent=(request.header(b"user-agent") or "")[:120],
        )


def _follow_trace(prepared: Prepared) -> None:
    message = prepared.message
    if message is None:
        return
    if telemetry.is_traced() or ("_meta" in message.params and "traceparent" in message.meta):
        trace_context.follow(message)


def _reply_of(response: Response) -> Reply:
    return Reply(response.status, response.body or b"", response.headers)


def _busy_reply(refusal: ServiceError, message_id: jsonrpc.Id | None = None) -> Reply:
    """Return status 503 with a JSON-RPC error; scripts get it too, as most refusals precede the reading of the credential."""
    error = errors.unavailable(refusal)
    record_refusal(error)
    return Reply(503, jsonrpc.error(message_id, error), error.headers)


def _refused(status: int, text: str, headers: Headers = ()) -> Reply:
    error = ProtocolError(INVALID_REQUEST, text)
    return Reply(status, jsonrpc.error(None, error), headers)


def _is_visit(scope: Scope) -> bool:
    """Return whether a person opened the address in a browser; scripts of pages send an origin."""
    if scope["method"] not in ("GET", "HEAD"):
        return False
    request = request_of(scope)
    return request.header(b"origin") is None and prefers_html(request.header(b"accept") or "")
