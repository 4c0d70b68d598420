"""The ids of the request and its trace, for log lines and calls to other services.

The request id is ours; the trace id is W3C Trace Context's and is taken over from the caller when
given. Both live in context variables, so that every log line and every outgoing call carries them.

Spans are made only while traces are on (`*_OTLP_ENDPOINT`). Until then nothing of OpenTelemetry is
imported, and what follows does no more than keep the ids; see `servicekit.observability.tracing` for the rest.
"""

import random
import re
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from servicekit.observability.tracing_port import Kind, Tracing
from servicekit.settings import ServiceSettings

_TRACEPARENT = re.compile(r"^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$")


class RequestContext(msgspec.Struct, frozen=True):
    """Ids of the request under way: `request_id` 16 hex digits, `trace_id` 32."""

    request_id: str
    trace_id: str

    def traceparent(self) -> str:
        """Return the header for the next hop (https://www.w3.org/TR/trace-context/#traceparent-header)."""
        return f"00-{self.trace_id}-{self.request_id}-01"


@dataclass(slots=True)
class _Switch:
    tracing: Tracing | None = None


@dataclass(frozen=True, slots=True)
class _Open:
    """The request under way: its span, and what has to be closed at its end."""

    span: Any
    closing: ExitStack


_switch: Final = _Switch()
_current: ContextVar[RequestContext | None] = ContextVar("request_context", default=None)
_open: ContextVar[_Open | None] = ContextVar("open_request", default=None)


@contextmanager
def traced(service: str, settings: ServiceSettings) -> Generator[None]:
    """Trace inside the block if the settings name a collector."""
    if not settings.otlp_endpoint:
        yield
        return
    from servicekit.observability import tracing  # noqa: PLC0415 - costs memory and time at the start

    with switched_on(tracing.begin(service, settings)):
        yield


@contextmanager
def switched_on(tracing: Tracing) -> Generator[None]:
    _switch.tracing = tracing
    try:
        yield
    finally:
        _switch.tracing = None
        tracing.end()


def is_traced() -> bool:
    """Return whether spans are made."""
    return _switch.tracing is not None


def current() -> RequestContext | None:
    return _current.get()


def new_context(traceparent: str | None = None) -> RequestContext:
    """Return a context for a request that has just arrived, in the caller's trace if it names one."""
    tracing = _switch.tracing
    trace_id = tracing.trace_id() if tracing is not None else None
    # Ids are no secrets; a system call for each would take longer than all else that is done here.
    token = f"{random.getrandbits(192):048x}"
    return RequestContext(token[:16], trace_id or _trace_id_of(traceparent) or token[16:])


@contextmanager
def bound(context: RequestContext) -> Generator[RequestContext]:
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def request(
    name: str, traceparent: str | None = None, kind: Kind = "server"
) -> AbstractContextManager[RequestContext]:
    """Return a request or job from its begin to its end: ids of its own, and a span if traces are on."""
    tracing = _switch.tracing
    if tracing is None:
        return _Untraced(traceparent)
    return _spanned(tracing, name, traceparent, kind)


class _Untraced:
    """A request while traces are off; without a generator, as this is on the way of each one."""

    __slots__ = ("_token", "_traceparent")

    def __init__(self, traceparent: str | None) -> None:
        self._traceparent = traceparent

    def __enter__(self) -> RequestContext:
        context = new_context(self._traceparent)
        self._token = _current.set(context)
        return context

    def __exit__(self, *_error: object) -> None:
        _current.reset(self._token)


@contextmanager
def _spanned(
    tracing: Tracing, name: str, traceparent: str | None, kind: Kind
) -> Generator[RequestContext]:
    with ExitStack() as closing:
        span = closing.enter_context(tracing.span(name, kind, traceparent))
        context = closing.enter_context(bound(new_context(traceparent)))
        token = _open.set(_Open(span, closing))
        closing.callback(_open.reset, token)
        yield context


def join(name: str, traceparent: str | None) -> None:
    """Take over the name and trace of a message inside the current request, until the request ends.

    Its body may name another trace than the headers of its transport did: the body's is gone on
    with, as those who route it on see the body alone.
    """
    context = _current.get()
    if context is None:
        return
    trace_id = _trace_id_of(traceparent)
    opened, tracing = _open.get(), _switch.tracing
    if opened is not None and tracing is not None:
        opened.closing.enter_context(tracing.span(name, "server", trace_id and traceparent))
        trace_id = tracing.trace_id()
    if trace_id is not None and trace_id != context.trace_id:
        # Whoever opened the request puts back what was there before it.
        _current.set(msgspec.structs.replace(context, trace_id=trace_id))


@contextmanager
def _stepped(tracing: Tracing, name: str, attributes: dict[str, str | int]) -> Generator[None]:
    with tracing.span(name, "client", None) as span:
        tracing.mark(span, attributes, None)
        yield


_NO_STEP: Final[AbstractContextManager[None]] = nullcontext()


def step(name: str, attributes: dict[str, str | int]) -> AbstractContextManager[None]:
    """Begin a span for a request to another system that no instrumentation sees, if traces are on."""
    return _NO_STEP if _switch.tracing is None else _stepped(_switch.tracing, name, attributes)


def responded(status: int) -> None:
    """Record the HTTP status of the request under way."""
    tracing = _switch.tracing
    if tracing is not None and (opened := _open.get()) is not None:
        failure = str(status) if status >= 500 else None
        tracing.mark(opened.span, {"http.response.status_code": status}, failure)


def failed(reason: str) -> None:
    """Record the failure of what the current span stands for."""
    if _switch.tracing is not None:
        _switch.tracing.mark(None, {"error.type": reason}, reason)


def traceparent_to_keep() -> str | None:
    """Return the current position in the trace, for a later job; None while traces are off."""
    return None if _switch.tracing is None else _switch.tracing.traceparent()


def client_interceptors() -> Sequence[Any]:
    return _switch.tracing.client_interceptors() if _switch.tracing is not None else ()


def server_interceptors() -> Sequence[Any]:
    return _switch.tracing.server_interceptors() if _switch.tracing is not None else ()


def _trace_id_of(traceparent: str | None) -> str | None:
    match = _TRACEPARENT.match(traceparent) if traceparent else None
    return match.group(1) if match and set(match.group(1)) != {"0"} else None
