"""Traces by OpenTelemetry. Imported only while they are on; other modules use `telemetry`.

Calls over gRPC, SQLAlchemy and Valkey get their spans from OpenTelemetry's own instrumentations.
Requests and jobs are ours to begin. What leaves the process names kinds of errors, never their
messages: those of databases quote values.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation import grpc as grpc_tracing
from opentelemetry.instrumentation.grpc import filters
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_ON,
    Decision,
    ParentBased,
    Sampler,
    SamplingResult,
    TraceIdRatioBased,
)
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from servicekit.observability.tracing_port import UNTRACED_METHODS, Kind, Tracing
from servicekit.settings import ServiceSettings

_KINDS: Final[dict[Kind, SpanKind]] = {
    "server": SpanKind.SERVER,
    "consumer": SpanKind.CONSUMER,
    "client": SpanKind.CLIENT,
}
_BEGINNING: Final = (SpanKind.SERVER, SpanKind.CONSUMER)
_REPORTED: Final = frozenset({"exception.type", "exception.escaped"})
_grpc: Any = grpc_tracing  # its types are partial
_filters: Any = filters


def begin(service: str, settings: ServiceSettings) -> Tracing:
    """Begin the traces of this process, to the collector of the settings."""
    exporter = OTLPSpanExporter(endpoint=settings.otlp_endpoint)
    return OpenTelemetry(service, settings, exporter)


class OpenTelemetry:
    """`Tracing` with a provider of its own; the instrumentations are told of it.

    Args:
        service: Name of the process in traces.
        settings: Tell which share of the traces is kept, and whether callers are strangers.
        exporter: Where spans go.
        at_once: Each span as soon as it ends, for tests.
    """

    def __init__(
        self,
        service: str,
        settings: ServiceSettings,
        exporter: SpanExporter,
        *,
        at_once: bool = False,
    ) -> None:
        resource = Resource.create(
            {
                "service.name": service,
                "service.namespace": "sponsorgraph",
                "service.version": version("sponsorgraph"),
            }
        )
        ratio = _Requests(settings.otlp_sample_ratio)
        # A stranger may name a trace, but not decide that we keep it.
        trusted = ratio if settings.at_edge else ALWAYS_ON
        sampler = ParentBased(ratio, remote_parent_sampled=trusted)
        self._provider = TracerProvider(sampler=sampler, resource=resource)
        discreet = Discreet(exporter)
        self._provider.add_span_processor(
            SimpleSpanProcessor(discreet) if at_once else BatchSpanProcessor(discreet)
        )
        self._tracer = self._provider.get_tracer("sponsorgraph")
        self._instrumentors = _instrumentors()
        for instrumentor in self._instrumentors:
            # They name the newest version that they were tried with; our tests try ours.
            instrumentor.instrument(tracer_provider=self._provider, skip_dep_check=True)

    @contextmanager
    def span(self, name: str, kind: Kind, traceparent: str | None) -> Generator[trace.Span]:
        context: Context | None = None
        links: list[Link] = []
        if traceparent:
            context = propagate.extract({"traceparent": traceparent})
            around = trace.get_current_span().get_span_context()
            links = [Link(around)] if around.is_valid else []
        with self._tracer.start_as_current_span(
            name, context=context, kind=_KINDS[kind], links=links
        ) as span:
            yield span

    def trace_id(self) -> str | None:
        context = trace.get_current_span().get_span_context()
        return trace.format_trace_id(context.trace_id) if context.is_valid else None

    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        return carrier.get("traceparent")

    def mark(
        self, span: trace.Span | None, attributes: dict[str, str | int], failure: str | None
    ) -> None:
        span = trace.get_current_span() if span is None else span
        span.set_attributes(attributes)
        if failure is not None:
            span.set_status(Status(StatusCode.ERROR, failure))

    def client_interceptors(self) -> Sequence[Any]:
        return _grpc.aio_client_interceptors(
            tracer_provider=self._provider, filter_=_filters.negate(_stored())
        )

    def server_interceptors(self) -> Sequence[Any]:
        others = _filters.any_of(_filters.service_prefix("grpc."), _stored())
        ours = _filters.negate(others)
        return [_grpc.aio_server_interceptor(tracer_provider=self._provider, filter_=ours)]

    def end(self) -> None:
        """Send what is left."""
        for instrumentor in self._instrumentors:
            instrumentor.uninstrument()
        self._provider.shutdown()


def _stored() -> Any:
    """Return the filter for calls that stay open, whose messages are traced instead."""
    return _filters.any_of(*map(_filters.method_name, UNTRACED_METHODS))


class _Requests(Sampler):
    """A share of the requests and jobs. What loops do by themselves begins no trace."""

    def __init__(self, share: float) -> None:
        self._share = TraceIdRatioBased(share)

    def should_sample(  # noqa: PLR0913, PLR0917 - the library's signature
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Any = None,
        links: Sequence[Link] | None = None,
        trace_state: trace.TraceState | None = None,
    ) -> SamplingResult:
        if kind not in _BEGINNING:
            return SamplingResult(Decision.DROP)
        return self._share.should_sample(
            parent_context, trace_id, name, kind, attributes, links, trace_state
        )

    def get_description(self) -> str:
        return f"Requests{{{self._share.get_description()}}}"


class Discreet(SpanExporter):
    """Keeps the messages of errors to ourselves; the logs have them, under the same trace id."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_without_messages(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _without_messages(span: ReadableSpan) -> ReadableSpan:
    if span.status.status_code is not StatusCode.ERROR and not span.events:
        return span
    attributes = span.attributes or {}
    status = Status(span.status.status_code)
    kind_of_error = attributes.get("error.type")
    if status.status_code is StatusCode.ERROR and kind_of_error:
        status = Status(StatusCode.ERROR, str(kind_of_error))
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        events=[_kind_alone(event) for event in span.events],
        links=span.links,
        kind=span.kind,
        status=status,
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _kind_alone(event: Event) -> Event:
    reported = {k: v for k, v in (event.attributes or {}).items() if k in _REPORTED}
    return Event(event.name, reported, event.timestamp)


def _instrumentors() -> list[Any]:
    """Return the instrumentations of the libraries that this service has."""
    found: list[Any] = []
    if find_spec("redis"):
        from opentelemetry.instrumentation.redis import RedisInstrumentor  # noqa: PLC0415

        found.append(RedisInstrumentor())
    if find_spec("sqlalchemy"):
        from opentelemetry.instrumentation.sqlalchemy import (  # noqa: PLC0415
            SQLAlchemyInstrumentor,
        )

        found.append(SQLAlchemyInstrumentor())
    return found
