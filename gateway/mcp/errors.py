"""Errors of calls: an AI must be able to continue from the text, a script from the status.

An MCP client gets HTTP 200 and a result with `isError`, because clients take any other status for a
broken server or a lost login. A script gets the same text as a JSON-RPC error with the fitting
status.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from gateway.domain.errors import Declined, ElicitationUnavailable, InsufficientScope, PlanRequired
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ProtocolError,
)
from gateway.mcp.transport.http import Headers, quota_headers
from gateway.quota.errors import QuotaExceeded, QuotaRefusal, RateLimited
from gateway.quota.models import QuotaState
from gateway.tools import DOTTED, ToolNaming
from servicekit.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    ResourceExhausted,
    ServiceError,
    Unauthenticated,
    Unavailable,
)
from servicekit.http.delay_seconds import delay_seconds


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of error: `code` for programs; HTTP status and JSON-RPC code for scripts.

    JSON-RPC leaves codes outside -32768…-32000 to applications; ours are the HTTP statuses.
    """

    code: str
    status: int
    rpc_code: int


_KINDS: Final[dict[type[ServiceError], _Kind]] = {
    QuotaExceeded: _Kind("quota_exceeded", 429, 429),
    RateLimited: _Kind("rate_limited", 429, 429),
    PlanRequired: _Kind("plan_required", 403, 403),
    InvalidInput: _Kind("invalid_arguments", 400, INVALID_PARAMS),
    NotFound: _Kind("not_found", 400, INVALID_PARAMS),
    ElicitationUnavailable: _Kind("cannot_ask", 409, 409),
    Declined: _Kind("declined", 409, 409),
    Conflict: _Kind("conflict", 409, 409),
    ResourceExhausted: _Kind("limit_reached", 429, 429),
    Unavailable: _Kind("unavailable", 503, 503),
}
_OTHER: Final = _Kind("internal", 503, INTERNAL_ERROR)
_AMBIGUOUS: Final = _Kind("ambiguous", 400, INVALID_PARAMS)


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """The error of a tool call as its callers get it.

    Attributes:
        text: Text for an AI or a person: the problem and the remedy.
        facts: The same for a program.
        script: As the JSON-RPC error that a script gets.
        quota: What is left of the month, where that is known.
    """

    text: str
    facts: Mapping[str, object]
    script: ProtocolError
    quota: QuotaState | None

    @property
    def code(self) -> str:
        return str(self.facts["code"])

    def named(self, naming: ToolNaming) -> "ToolFailure":
        """Return the failure with tools under these names in its text."""
        text = naming.in_text(self.text)
        if text == self.text:
            return self
        return replace(self, text=text, facts={**self.facts, "message": text})

    def protocol_error(self, caller: ClientInfo, naming: ToolNaming = DOTTED) -> ProtocolError:
        """Return the failure as a JSON-RPC error with a status that this caller understands, and tools under these names.

        For methods whose result cannot say that it is a failure, and for scripts.
        """
        status = self.script.status
        if caller.is_client:
            is_refused = self.script.code == INVALID_PARAMS and caller.is_stateless
            status = 400 if is_refused else 200
        quota = () if self.quota is None else quota_headers(self.quota)
        return ProtocolError(
            self.script.code,
            naming.in_text(self.text),
            status=status,
            data=self.script.data,
            headers=self.script.headers + quota,
        )


def tool_failure(
    error: ServiceError, upgrade_url: str, quota: QuotaState | None = None
) -> ToolFailure:
    """Return `error`, which ended a tool call, as its caller gets it."""
    kind = _kind(error)
    text = error.public_message
    facts: dict[str, object] = {"code": kind.code, "message": text}
    if error.retry_after is not None:
        facts["retry_after_seconds"] = delay_seconds(error.retry_after)
    if isinstance(error, QuotaRefusal):
        quota = error.state
    if isinstance(error, QuotaExceeded):
        facts["resets_at"] = error.state.resets_at
    is_own_limit = isinstance(error, QuotaExceeded) and error.is_own_limit
    if isinstance(error, QuotaExceeded | PlanRequired) and not is_own_limit:
        text = f"{text} See plans and upgrade: {upgrade_url}"
        facts |= {"message": text, "upgrade_url": upgrade_url}
    if error.details:
        facts["details"] = error.details
    data = {name: value for name, value in facts.items() if name != "message"}
    script = ProtocolError(
        kind.rpc_code, text, status=kind.status, data=data, headers=_retry_after(error)
    )
    return ToolFailure(text, facts, script, quota)


def status_of(code: int, caller: ClientInfo) -> int:
    """Return the HTTP status of a JSON-RPC error to this caller, if the error itself has none."""
    if code in (PARSE_ERROR, INVALID_REQUEST):
        return 400
    if caller.is_client and not caller.is_stateless:
        return 200
    if code == METHOD_NOT_FOUND:
        return 404
    if code == INTERNAL_ERROR:
        return 200 if caller.is_client else 503
    return 400


def unauthenticated(error: Unauthenticated, challenge: bytes) -> ProtocolError:
    """Return the error with a status on which clients start a login, and the challenge for it."""
    return ProtocolError(
        401,
        error.public_message,
        status=401,
        data={"code": "unauthenticated", "reason": error.reason},
        headers=((b"www-authenticate", challenge),),
    )


def insufficient_scope(error: InsufficientScope, challenge: bytes) -> ProtocolError:
    """Return the error with a status on which clients request the missing scope from the user."""
    return ProtocolError(
        403,
        error.public_message,
        status=403,
        data={"code": "insufficient_scope", "scope": error.needed},
        headers=((b"www-authenticate", challenge),),
    )


def unavailable(error: ServiceError) -> ProtocolError:
    """Return the error of a request whose caller cannot be identified now."""
    return ProtocolError(
        503,
        error.public_message,
        status=503,
        data={"code": "unavailable"},
        headers=_retry_after(error),
    )


def unexpected(error_id: str) -> ProtocolError:
    return ProtocolError(
        INTERNAL_ERROR,
        f"Something went wrong on our side (error {error_id}). It was noted and cost nothing; "
        "try again later.",
        data={"code": "internal", "error_id": error_id},
    )


def _kind(error: ServiceError) -> _Kind:
    if error.reason == "AMBIGUOUS":
        return _AMBIGUOUS
    return next((_KINDS[cls] for cls in type(error).__mro__ if cls in _KINDS), _OTHER)


def _retry_after(error: ServiceError) -> Headers:
    if error.retry_after is None:
        return ()
    return ((b"retry-after", str(delay_seconds(error.retry_after)).encode()),)
