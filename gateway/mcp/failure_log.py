"""One log line for each failed call, so that an operator can look up why it failed.

It has the account, the tool and the error's code, and as every line the request's id, which the caller
has from the header `X-Request-Id`. It has no arguments, and no texts that quote them.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from gateway.authentication.principal import Principal
from gateway.mcp.failure_counts import count_failure
from gateway.mcp.jsonrpc import Message, ProtocolError
from servicekit.errors import ServiceError
from servicekit.observability import logs

log = logs.get(__name__)

_OUR_FAULT: Final = frozenset({"internal", "unavailable"})
_MAX_NAME: Final = 80
_MAX_NOTES: Final = 400


def record_failure(
    facts: Mapping[str, object],
    principal: Principal,
    message: Message | None,
    *,
    text: str,
    cause: Exception | None = None,
) -> None:
    """Log that a call failed.

    Args:
        facts: The error as programs get it.
        principal: The caller.
        message: The request; None if it was malformed.
        text: The error as people get it; logged if the fault is ours, as it quotes nobody then.
        cause: The exception that nobody expected; it is logged with its traceback.
    """
    code = str(facts["code"])
    fields: dict[str, Any] = {
        "code": code,
        "account_id": principal.entitlements.account_id,
        "credential_id": principal.credential_id,
        "fields": _fields(facts),
        "error_id": facts.get("error_id"),
    }
    name = message.params.get("name") if message is not None else None
    count_failure(name, code)
    if message is not None:
        fields["method"] = message.method[:_MAX_NAME]
        fields["tool"] = name[:_MAX_NAME] if isinstance(name, str) else None
    present = {name: value for name, value in fields.items() if value is not None}
    if cause is not None:
        log.error("call_failed", exc_info=cause, **present)
    elif code in _OUR_FAULT:
        log.warning("call_failed", problem=text, **present)
    else:
        log.info("call_failed", **present)


def record_refusal(error: ProtocolError) -> None:
    """Log that a call failed before it was known whose it is or what it asks for."""
    facts = facts_of(error)
    code = str(facts["code"])
    count_failure(None, code)
    if code in _OUR_FAULT:
        log.warning("call_failed", problem=error.message, code=code)
        return
    reason = facts.get("reason")
    log.info("call_failed", code=code, **({} if reason is None else {"reason": reason}))


def record_backend(tool: str, error: ServiceError) -> None:
    """Log how the connection to a service failed that a tool has called; callers are not to read it."""
    notes = getattr(error, "__notes__", None)
    if notes:
        log.warning("backend_failed", tool=tool, error="; ".join(notes)[:_MAX_NOTES])


def facts_of(error: ProtocolError) -> Mapping[str, object]:
    """Return the facts of an error; its JSON-RPC code stands for a code that it lacks."""
    return {"code": str(error.code), **(error.data or {})}


def _fields(facts: Mapping[str, object]) -> str | None:
    """Return the names of the arguments that the error is about."""
    details = facts.get("details")
    if not isinstance(details, Mapping):
        return None
    named = cast("Mapping[str, object]", details)
    found = named.get("field")
    return None if found is None else str(found)[:_MAX_NAME]
