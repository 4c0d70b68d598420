"""From one JSON-RPC message to its answer: era, method, result or error."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.elicitation import InputRequired
from gateway.domain.errors import InsufficientScope
from gateway.mcp import capabilities as declarations
from gateway.mcp import errors as failures
from gateway.mcp import jsonrpc, versions, views
from gateway.mcp.cached_results import CachedResult
from gateway.mcp.client_info import ClientInfo, client_info
from gateway.mcp.elicitation.factory import ElicitorFactory
from gateway.mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError
from gateway.mcp.progress import Notify
from gateway.mcp.results import Incoming, Result
from gateway.mcp.server_info import META_SERVER, ServerInfo
from gateway.mcp.session import Session, Sessions
from gateway.mcp.transport.authenticator import Authenticator
from gateway.mcp.transport.http import GZIP, Headers, Request
from servicekit.concurrency.fair_bulkhead import Place
from servicekit.errors import Unavailable
from servicekit.observability import logs

log = logs.get(__name__)

Method = Callable[[Incoming], Awaitable[Result]]

_LOG_LEVELS: Final = frozenset("debug info notice warning error critical alert emergency".split())
_NO_SUBSCRIPTIONS: Final = (
    "This endpoint keeps no session, so it cannot tell of updates: read the resource again. "
    f"Clients of {versions.STATELESS} have subscriptions/listen."
)


class Answer(msgspec.Struct, frozen=True):
    """What a message gets: HTTP status, the JSON-RPC response (None to a notification), headers."""

    status: int
    body: bytes | None
    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class Methods:
    """What can be asked for, by name of the method.

    Attributes:
        shared: In every revision.
        modern: From 2026-07-28 on.
        legacy: Before it.
        asks: Whether a request may ask its sender back, by method and parameters.
    """

    shared: Mapping[str, Method]
    modern: Mapping[str, Method]
    legacy: Mapping[str, Method]
    asks: Callable[[str, Mapping[str, Any]], bool]


class Dispatcher:
    """Answers messages of verified callers."""

    def __init__(
        self,
        methods: Methods,
        about: ServerInfo,
        sessions: Sessions,
        authenticator: Authenticator,
        asking: ElicitorFactory,
    ) -> None:
        self._about = about
        self._sessions = sessions
        self._authenticator = authenticator
        self._asking = asking
        self.asks = methods.asks
        self._fixed: dict[tuple[object, ...], CachedResult] = {}
        self._modern = {
            **methods.shared,
            **methods.modern,
            "server/discover": self._discover,
        }
        self._legacy = {
            **methods.shared,
            "initialize": self._initialize,
            "ping": _ping,
            "logging/setLevel": _set_level,
            "resources/subscribe": _subscribe,
            "resources/unsubscribe": _subscribe,
            **methods.legacy,
        }

    async def answer(
        self,
        value: object,
        request: Request,
        principal: Principal,
        notify: Notify | None = None,
        place: Place | None = None,
        *,
        packs: bool = False,
    ) -> Answer:
        """Answers one JSON value of a body; whatever happens, it has an answer.

        With `notify`, what a call has to tell before its answer goes there; `place` is the one
        that it holds among the streams. With `packs`, an answer that is there compressed is given so.
        """
        message_id = jsonrpc.id_of(value)
        caller = ClientInfo(versions.BATCHING, is_client=False, name="")
        try:
            message = jsonrpc.message_of(value)
            if message is None:
                return await self._response_taken(value, request, principal)
            caller = client_info(message, request, self._sessions)
            if message.id is None:
                return Answer(202, None)
            elicitor = self._asking.elicitor(message, caller, principal, notify)
            result = await self._result(
                Incoming(message, caller, principal, request, notify, elicitor, place)
            )
        except ProtocolError as failure:
            error = failure
        except InsufficientScope as lack:
            challenge = self._authenticator.scope_challenge(lack.needed, request)
            error = failures.insufficient_scope(lack, challenge)
        except Exception:
            error_id = secrets.token_hex(6)
            log.exception("call_failed", error_id=error_id)
            error = failures.unexpected(error_id)
        else:
            if result.fixed is not None:
                return self._fixed_answer(message.id, result, caller, packs=packs)
            return Answer(200, jsonrpc.result(message.id, result.value), result.headers)
        status = error.status or failures.status_of(error.code, caller)
        return Answer(status, jsonrpc.error(message_id, error), error.headers)

    def _fixed_answer(
        self, message_id: jsonrpc.Id, result: Result, caller: ClientInfo, *, packs: bool
    ) -> Answer:
        form = (caller.is_stateless, result.fixed)
        fixed = self._fixed.get(form)
        if fixed is None:
            fixed = self._fixed[form] = CachedResult(result.value)
        if packs:
            return Answer(200, fixed.gzip(message_id), result.headers + GZIP)
        return Answer(200, fixed.plain(message_id), result.headers)

    async def _result(self, incoming: Incoming) -> Result:
        is_stateless = incoming.caller.is_stateless
        name = incoming.message.method
        method = (self._modern if is_stateless else self._legacy).get(name)
        if method is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {name[:80]}.")
        try:
            result = await method(incoming)
        except InputRequired as needed:
            result = Result(self._asking.required(needed, incoming.message, incoming.principal))
        if is_stateless:
            result.value.setdefault("resultType", "complete")
            result.value.setdefault("_meta", {}).setdefault(META_SERVER, self._about.short)
        return result

    async def _discover(self, _incoming: Incoming) -> Result:
        return Result(self._about.discovery())

    async def _initialize(self, incoming: Incoming) -> Result:
        params = incoming.message.params
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise ProtocolError(INVALID_PARAMS, "`params.protocolVersion` must be a string.")
        revision = asked if asked in versions.SESSION_BASED else versions.SESSION_BASED[0]
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
        return Result(self._about.initialized(revision), ((b"mcp-session-id", session_id),))

    async def _response_taken(
        self, value: object, request: Request, principal: Principal
    ) -> Answer:
        if request.header(b"mcp-protocol-version") == versions.STATELESS:
            raise ProtocolError(
                INVALID_REQUEST, f"Clients of {versions.STATELESS} send no responses.", status=400
            )
        try:
            await self._asking.take(value, request, principal)
        except Unavailable as error:
            raise failures.unavailable(error) from None
        return Answer(202, None)


async def _ping(_incoming: Incoming) -> Result:
    return Result({})


async def _set_level(incoming: Incoming) -> Result:
    """Takes any level: no log messages are sent, so none has to be held back."""
    level = incoming.message.params.get("level")
    if not isinstance(level, str) or level not in _LOG_LEVELS:
        levels = ", ".join(sorted(_LOG_LEVELS))
        raise ProtocolError(INVALID_PARAMS, f"`params.level` must be one of {levels}.")
    return Result({})


async def _subscribe(_incoming: Incoming) -> Result:
    raise ProtocolError(METHOD_NOT_FOUND, _NO_SUBSCRIPTIONS)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
