"""Which request a line of log or a call to another service belongs to.

The request id is ours; the trace id is W3C Trace Context's and is taken over from the caller when
given. Both live in context variables, so that every log line and every outgoing call carries them.
"""

import re
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_TRACEPARENT = re.compile(r"^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Ids of the request under way: `request_id` 16 hex digits, `trace_id` 32."""

    request_id: str
    trace_id: str

    def traceparent(self) -> str:
        """The header for the next hop (https://www.w3.org/TR/trace-context/#traceparent-header)."""
        return f"00-{self.trace_id}-{self.request_id}-01"


_current: ContextVar[RequestContext | None] = ContextVar("request_context", default=None)


def current() -> RequestContext | None:
    return _current.get()


def new_context(traceparent: str | None = None) -> RequestContext:
    """A context for a request that has just arrived, in the caller's trace if it names one."""
    match = _TRACEPARENT.match(traceparent) if traceparent else None
    trace_id = match.group(1) if match and set(match.group(1)) != {"0"} else secrets.token_hex(16)
    return RequestContext(request_id=secrets.token_hex(8), trace_id=trace_id)


@contextmanager
def bound(context: RequestContext) -> Generator[RequestContext]:
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)
