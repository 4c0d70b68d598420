"""The ASGI endpoint of `/mcp`: HTTP's own rules, then the messages of the body."""

import functools
import time
from dataclasses import dataclass
from typing import Final, cast

from gateway.authentication.principal import Principal
from gateway.mcp import errors as failures
from gateway.mcp import jsonrpc, metrics, versions
from gateway.mcp.client_info import check_version
from gateway.mcp.dispatcher import Dispatcher
from gateway.mcp.jsonrpc import INVALID_REQUEST, ProtocolError
from gateway.mcp.transport import cors, trace_context
from gateway.mcp.transport.authenticator import Authenticator
from gateway.mcp.transport.http import (
    BodyTooLarge,
    Disconnected,
    Headers,
    Receive,
    Reply,
    Request,
    Scope,
    Send,
    read_body,
    request_of,
    send_reply,
    takes_gzip,
)
from gateway.mcp.transport.sse import Stream
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.concurrency.fair_bulkhead import FairBulkhead
from servicekit.errors import ServiceError, Unauthenticated, Unavailable
from servicekit.observability import logs, telemetry

log = logs.get(__name__)

_JSON: Final = "application/json"
_LISTEN: Final = "subscriptions/listen"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may have.

    Attributes:
        body_bytes: Size of a body.
        nesting: Levels of objects and arrays in it.
        batch: Messages in a batch.
        log_every: One of so many successful requests is logged; every other one always is.
    """

    body_bytes: int
    nesting: int
    batch: int
    log_every: int


@dataclass(frozen=True, slots=True)
class ConcurrencyLimits:
    """How many requests may be under way: those that are answered at once, and by a stream.

    Apart, as a stream may wait for a person or for the end of an import and costs little meanwhile.
    Streams stay, so they are shared fairly by accounts.
    """

    calls: Bulkhead
    streams: FairBulkhead


class McpEndpoint:
    """The ASGI application at `/mcp`."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        authenticator: Authenticator,
        origins: cors.Origins,
        limits: Limits,
        concurrency: ConcurrencyLimits,
    ) -> None:
        self._dispatcher = dispatcher
        self._authenticator = authenticator
        self._origins = origins
        self._limits = limits
        self._rooms = concurrency
        self._count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        request = request_of(scope)
        with telemetry.request("HTTP /mcp", request.header(b"traceparent")) as context:
            headers: Headers = ((b"x-request-id", context.request_id.encode()),)
            origin = request.header(b"origin")
            if self._origins.admits(origin):
                headers += cors.cors(origin)
            stream = Stream(receive, send, headers)
            try:
                reply = await self._reply(request, receive, stream)
            except Disconnected:
                return
            if stream.has_begun:
                await stream.end(reply.body)
            else:
                await send_reply(send, reply, headers)
            self._note(request, reply, time.perf_counter() - started)

    async def _reply(self, request: Request, receive: Receive, stream: Stream) -> Reply:
        if not self._origins.admits(request.header(b"origin")):
            return _refused(403, "Pages of this origin may not call this service.")
        if request.method == "OPTIONS":
            return Reply(204, headers=cors.preflight(request))
        if request.method != "POST":
            text = "This endpoint takes POST requests with a JSON-RPC message as body."
            return _refused(405, text, ((b"allow", b"POST"),))
        content_type = (request.header(b"content-type") or _JSON).partition(";")[0]
        if content_type.strip().lower() != _JSON:
            return _refused(415, "Send the header `Content-Type: application/json`.")
        body = await self._body(request, receive)
        return body if isinstance(body, Reply) else await self._answered(request, body, stream)

    async def _body(self, request: Request, receive: Receive) -> bytes | Reply:
        try:
            # Before the body is read, and again after it: whoever sends slowly holds no place.
            self._rooms.calls.check()
            return await read_body(request, receive, self._limits.body_bytes)
        except Unavailable as refusal:
            return _busy(refusal)
        except BodyTooLarge:
            text = f"The body has more than {self._limits.body_bytes:,} bytes."
            return _refused(413, text, ((b"connection", b"close"),))

    async def _answered(self, request: Request, body: bytes, stream: Stream) -> Reply:
        message_id: jsonrpc.Id | None = None
        try:
            # The body is decoded before the credential is asked for, so that every error can name
            # its id; what is wrong with it is told only to callers with a credential.
            try:
                value: object | ProtocolError = jsonrpc.decode(body, self._limits.nesting)
            except ProtocolError as malformed:
                value = malformed
            message_id = jsonrpc.id_of(value)
            trace_context.follow(value)
            streams = self._wants_stream(value, request)
            with self._rooms.calls:
                principal = await self._principal(request)
                if not streams:
                    return await self._told(value, request, principal)
            return await self._streamed(value, request, principal, stream)
        except ProtocolError as error:
            return Reply(error.status or 400, jsonrpc.error(message_id, error), error.headers)
        except Unavailable as refusal:
            return _busy(refusal, message_id)

    async def _told(self, value: object, request: Request, principal: Principal) -> Reply:
        if isinstance(value, ProtocolError):
            raise value
        if isinstance(value, list):
            return await self._batch(cast("list[object]", value), request, principal)
        packs = takes_gzip(request)
        answer = await self._dispatcher.answer(value, request, principal, packs=packs)
        return Reply(answer.status, answer.body or b"", answer.headers)

    async def _streamed(
        self, value: object, request: Request, principal: Principal, stream: Stream
    ) -> Reply:
        # A call is charged and gets its answer, at most sooner (`Progress.endable`); who only listens
        # may be told to come again.
        end = stream.end_early if _listens(value) else None
        with self._rooms.streams.place(principal.entitlements.account_id, end) as place:
            work = functools.partial(
                self._dispatcher.answer, value, request, principal, stream.notify, place
            )
            is_stateless = request.header(b"mcp-protocol-version") == versions.STATELESS
            answer = await stream.answered(work, leaving_ends=is_stateless)
        return Reply(answer.status, answer.body or b"", answer.headers)

    def _wants_stream(self, value: object, request: Request) -> bool:
        """Whether a message may have something to hear before its answer, and can hear it."""
        if "text/event-stream" not in (request.header(b"accept") or ""):
            return False
        if not isinstance(value, dict):
            return False
        message = cast("dict[str, object]", value)
        method, params = message.get("method"), message.get("params")
        if method == _LISTEN:
            return True
        if not isinstance(params, dict) or not isinstance(method, str):
            return False
        given = cast("dict[str, object]", params)
        meta = given.get("_meta")
        wants_progress = isinstance(meta, dict) and "progressToken" in meta
        return wants_progress or self._dispatcher.asks(method, given)

    async def _principal(self, request: Request) -> Principal:
        try:
            return await self._authenticator.principal(request)
        except Unauthenticated as refusal:
            challenge = self._authenticator.challenge(refusal, request)
            raise failures.unauthenticated(refusal, challenge) from None
        except ServiceError as error:
            raise failures.unavailable(error) from None

    async def _batch(self, values: list[object], request: Request, principal: Principal) -> Reply:
        version = request.header(b"mcp-protocol-version")
        check_version(version)
        if version not in (None, versions.BATCHING):
            raise ProtocolError(INVALID_REQUEST, f"{version} has no batches: send one message.")
        if not 1 <= len(values) <= self._limits.batch:
            text = f"A batch has 1 to {self._limits.batch} messages; this one has {len(values)}."
            raise ProtocolError(INVALID_REQUEST, text)
        answers = [await self._dispatcher.answer(value, request, principal) for value in values]
        bodies = [answer.body for answer in answers if answer.body is not None]
        headers = dict(pair for answer in answers for pair in answer.headers)
        if not bodies:
            return Reply(202)
        return Reply(200, b"[" + b",".join(bodies) + b"]", tuple(headers.items()))

    def _note(self, request: Request, reply: Reply, seconds: float) -> None:
        metrics.of(metrics.HTTP_REPLIES, str(reply.status)).inc()
        telemetry.answered(reply.status)
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


def _listens(value: object) -> bool:
    return isinstance(value, dict) and cast("dict[str, object]", value).get("method") == _LISTEN


def _busy(refusal: ServiceError, message_id: jsonrpc.Id | None = None) -> Reply:
    """To every kind of caller, as who calls is not looked at when there is no room."""
    error = failures.unavailable(refusal)
    return Reply(503, jsonrpc.error(message_id, error), error.headers)


def _refused(status: int, text: str, headers: Headers = ()) -> Reply:
    error = ProtocolError(INVALID_REQUEST, text)
    return Reply(status, jsonrpc.error(None, error), headers)
