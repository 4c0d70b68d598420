"""One JSON-RPC message: its method, what that needs, and its result or error as a response."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import NO_ELICITATION, InputRequired
from gateway.domain.errors import InsufficientScope
from gateway.domain.ports import Elicitor
from gateway.fair_bulkhead import Slot
from gateway.mcp import capabilities as declarations
from gateway.mcp import errors, jsonrpc, versions, views
from gateway.mcp.cached_results import CachedResult
from gateway.mcp.client_info import ClientInfo, client_info
from gateway.mcp.connection_options import Presentation, options_of
from gateway.mcp.elicitation.factory import ElicitorFactory
from gateway.mcp.failure_log import facts_of, record_failure
from gateway.mcp.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Message,
    ProtocolError,
)
from gateway.mcp.progress import Notify
from gateway.mcp.results import PLAIN, Incoming, Needs, Result
from gateway.mcp.server_info import META_SERVER, ServerInfo
from gateway.mcp.session import Session, Sessions
from gateway.mcp.texts.formats import TextFormat
from gateway.mcp.transport.authenticator import Authenticator
from gateway.mcp.transport.http import GZIP, Headers, Request, accepts_gzip
from gateway.tools import DOTTED, ToolNaming
from servicekit.errors import Unavailable

Method = Callable[[Incoming], Awaitable[Result]]

_UNKNOWN_CALLER: Final = ClientInfo(versions.BATCHING, is_client=False, name="")
_LOG_LEVELS: Final = frozenset("debug info notice warning error critical alert emergency".split())
_NO_SUBSCRIPTIONS: Final = (
    "This endpoint keeps no session, so it cannot tell of updates: read the resource again. "
    f"Clients of {versions.STATELESS} have subscriptions/listen."
)


class Response(msgspec.Struct, frozen=True):
    """The response to a message: HTTP status, JSON-RPC body (None to a notification), headers."""

    status: int
    body: bytes | None
    headers: Headers = ()


class Prepared(msgspec.Struct, frozen=True):
    """A message that is ready to be answered.

    Attributes:
        value: The JSON value of the message.
        request: The HTTP request that brought it.
        message: The request or notification; None if it is a client's response or malformed.
        caller: The client that sent it.
        needs: What the method needs beside its result.
        method: The method; None unless the message is a request.
        error: The reason for which the message gets an error; only callers with a credential see it.
        naming: The names under which the connection sees tools.
        toolsets: The toolsets that the connection takes; None for all tools.
        text_format: The format of the text of answers.
    """

    value: object
    request: Request
    message: Message | None
    caller: ClientInfo
    needs: Needs = PLAIN
    method: Method | None = None
    error: Exception | None = None
    naming: ToolNaming = DOTTED
    toolsets: frozenset[str] | None = None
    text_format: TextFormat = "json"

    @property
    def id(self) -> jsonrpc.Id | None:
        return jsonrpc.id_of(self.value) if self.message is None else self.message.id


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of the protocol, by name.

    Attributes:
        shared: Methods of every protocol version.
        stateless: Methods of the stateless versions, from 2026-07-28 on.
        session: Methods of the versions with sessions.
        needs: Returns the needs of a request, by method; others need nothing but their result.
    """

    shared: Mapping[str, Method]
    stateless: Mapping[str, Method]
    session: Mapping[str, Method]
    needs: Mapping[str, Callable[[Message], Needs]]


class Dispatcher:
    """Find the method of each message, and respond to the messages of verified callers."""

    def __init__(
        self,
        methods: Methods,
        server_info: ServerInfo,
        sessions: Sessions,
        authenticator: Authenticator,
        elicitors: ElicitorFactory,
        presentation: Presentation,
    ) -> None:
        self._presentation = presentation
        self._server_info = server_info
        self._sessions = sessions
        self._authenticator = authenticator
        self._elicitors = elicitors
        self._needs = methods.needs
        self._fixed_results: dict[tuple[object, ...], CachedResult] = {}
        self._stateless_methods = {
            **methods.shared,
            **methods.stateless,
            "server/discover": self._discover,
        }
        self._session_methods = {
            **methods.shared,
            "initialize": self._initialize,
            "ping": _ping,
            "logging/setLevel": _set_level,
            "resources/subscribe": _refuse_subscription,
            "resources/unsubscribe": _refuse_subscription,
            **methods.session,
        }

    def prepare(self, value: object, request: Request) -> Prepared:
        """Find the method of one JSON value and what it needs.

        Nothing is raised: whatever is wrong with the value becomes the error of its response.
        """
        message, caller = None, _UNKNOWN_CALLER
        try:
            message = jsonrpc.message_of(value)
            if message is None:
                return Prepared(value, request, None, caller)
            caller = client_info(message, request, self._sessions)
            if message.id is None:
                return Prepared(value, request, message, caller)
            method = self._method(message, caller)
            needs = self._needs.get(message.method)
            needed = PLAIN if needs is None else needs(message)
            options = options_of(request)
            naming = self._presentation.naming(caller, options.names)
            return Prepared(
                value,
                request,
                message,
                caller,
                needed,
                method,
                naming=naming,
                toolsets=options.toolsets,
                text_format=self._presentation.text_format(caller, options.text),
            )
        except Exception as error:  # noqa: BLE001 - `respond` raises it again
            return Prepared(value, request, message, caller, error=error)

    async def respond(
        self,
        prepared: Prepared,
        principal: Principal,
        notify: Notify | None = None,
        slot: Slot | None = None,
        *,
        is_alone: bool = False,
    ) -> Response:
        """Return the response to a message, whatever fails.

        Args:
            prepared: The message.
            principal: The sender.
            notify: Sends a message before the response; None without a stream.
            slot: The slot that the message holds among the streams; None without a stream.
            is_alone: Whether the response is a body of its own; a fixed result may then be sent by gzip.
        """
        message_id, caller = prepared.id, prepared.caller
        try:
            result = await self._result(prepared, principal, notify, slot)
            return self._success(prepared, principal, result, is_alone=is_alone)
        except ProtocolError as failure:
            error = failure
            record_failure(facts_of(error), principal, prepared.message, text=error.message)
        except InsufficientScope as lack:
            challenge = await self._authenticator.scope_challenge(
                lack.needed, principal, prepared.request
            )
            error = errors.insufficient_scope(lack, challenge)
            record_failure(facts_of(error), principal, prepared.message, text=error.message)
        except Exception as unexpected:  # noqa: BLE001 - the caller hears of it, and the log has it
            error = errors.unexpected(secrets.token_hex(6))
            record_failure(
                facts_of(error), principal, prepared.message, text=error.message, cause=unexpected
            )
        status = error.status or errors.status_of(error.code, caller)
        return Response(status, jsonrpc.error(message_id, error), error.headers)

    def _success(
        self, prepared: Prepared, principal: Principal, result: Result | None, *, is_alone: bool
    ) -> Response:
        """Return the response with a result; None is that of a notification."""
        if result is None or prepared.id is None:
            return Response(202, None)
        if result.failure is not None:
            text = str(result.failure["message"])
            record_failure(result.failure, principal, prepared.message, text=text)
        if result.fixed is not None:
            compresses = is_alone and accepts_gzip(prepared.request)
            return self._fixed_response(prepared.id, result, prepared.caller, compresses=compresses)
        return Response(200, jsonrpc.result(prepared.id, result.value), result.headers)

    def _fixed_response(
        self, message_id: jsonrpc.Id, result: Result, caller: ClientInfo, *, compresses: bool
    ) -> Response:
        form = (caller.is_stateless, result.fixed)
        fixed = self._fixed_results.get(form)
        if fixed is None:
            fixed = self._fixed_results[form] = CachedResult(result.value)
        if compresses:
            return Response(200, fixed.gzip(message_id), result.headers + GZIP)
        return Response(200, fixed.plain(message_id), result.headers)

    def _method(self, message: Message, caller: ClientInfo) -> Method:
        method = (self._stateless_methods if caller.is_stateless else self._session_methods).get(
            message.method
        )
        if method is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {message.method[:80]}.")
        return method

    async def _result(
        self,
        prepared: Prepared,
        principal: Principal,
        notify: Notify | None,
        slot: Slot | None,
    ) -> Result | None:
        """Return the result of a request; None if the message is none."""
        if prepared.error is not None:
            raise prepared.error
        message, caller, method = prepared.message, prepared.caller, prepared.method
        if message is None:
            await self._accept_reply(prepared, principal)
            return None
        if method is None:
            return None
        elicitor: Elicitor = NO_ELICITATION
        if prepared.needs.elicitation:
            elicitor = self._elicitors.elicitor(message, caller, principal, notify)
        try:
            result = await method(
                Incoming(
                    message,
                    caller,
                    principal,
                    prepared.request,
                    notify,
                    elicitor,
                    slot,
                    prepared.naming,
                    prepared.toolsets,
                    prepared.text_format,
                )
            )
        except InputRequired as needed:
            result = Result(self._elicitors.required(needed, message, principal))
        if caller.is_stateless:
            result.value.setdefault("resultType", "complete")
            result.value.setdefault("_meta", {}).setdefault(META_SERVER, self._server_info.short)
        return result

    async def _discover(self, incoming: Incoming) -> Result:
        return Result(self._server_info.discovery(incoming.naming, incoming.toolsets))

    async def _initialize(self, incoming: Incoming) -> Result:
        params = incoming.message.params
        requested = params.get("protocolVersion")
        if not isinstance(requested, str):
            raise ProtocolError(INVALID_PARAMS, "`params.protocolVersion` must be a string.")
        revision = requested if requested in versions.SESSION_BASED else versions.SESSION_BASED[0]
        info = _mapping(params.get("clientInfo"))
        capabilities = _mapping(params.get("capabilities"))
        shows_views = (views.DECLARED,) if views.is_declared(capabilities) else ()
        session = Session(
            revision=revision,
            client_name=str(info.get("name", ""))[:200],
            capabilities=(
                *shows_views,
                *declarations.remembered(capabilities),
                *sorted(capabilities),
            )[:20],
        )
        session_id = self._sessions.mint(session).encode()
        value = self._server_info.initialized(revision, incoming.naming, incoming.toolsets)
        return Result(value, ((b"mcp-session-id", session_id),))

    async def _accept_reply(self, prepared: Prepared, principal: Principal) -> None:
        """Take a client's response to a request for input."""
        if prepared.request.header(b"mcp-protocol-version") == versions.STATELESS:
            raise ProtocolError(
                INVALID_REQUEST, f"Clients of {versions.STATELESS} send no responses.", status=400
            )
        try:
            await self._elicitors.accept_reply(prepared.value, prepared.request, principal)
        except Unavailable as error:
            raise errors.unavailable(error) from None


async def _ping(_incoming: Incoming) -> Result:
    return Result({})


async def _set_level(incoming: Incoming) -> Result:
    """Accept any level: no log messages are sent, so none has to be held back."""
    level = incoming.message.params.get("level")
    if not isinstance(level, str) or level not in _LOG_LEVELS:
        levels = ", ".join(sorted(_LOG_LEVELS))
        raise ProtocolError(INVALID_PARAMS, f"`params.level` must be one of {levels}.")
    return Result({})


async def _refuse_subscription(_incoming: Incoming) -> Result:
    raise ProtocolError(METHOD_NOT_FOUND, _NO_SUBSCRIPTIONS)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
