"""One call is one trace, across the services, with nothing secret in it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from servicekit.observability import telemetry
from servicekit.observability.tracing import OpenTelemetry
from servicekit.settings import ServiceSettings
from tests.integration.observability.conftest import Services, trace_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "11112222333344445555666677778888"
PARENT = "00f067aa0ba902b7"
TRACING = (
    # redis-py imports OpenTelemetry's metrics by itself where they are installed.
    "opentelemetry.sdk.trace",
    "opentelemetry.exporter",
    "opentelemetry.instrumentation",
    "servicekit.observability.tracing",
)


def names_down_to(spans: list[ReadableSpan], leaf: ReadableSpan) -> list[str]:
    """The names of a span and of all above it, outermost first."""
    by_id = {span.context.span_id: span for span in spans if span.context}
    names = [leaf.name]
    while leaf.parent is not None and leaf.parent.span_id in by_id:
        leaf = by_id[leaf.parent.span_id]
        names.insert(0, leaf.name)
    return names


def named(spans: list[ReadableSpan], name: str, kind: SpanKind | None = None) -> ReadableSpan:
    found = [item for item in spans if item.name == name and kind in (None, item.kind)]
    assert found, [(span.name, span.kind.name) for span in spans]
    return found[0]


async def test_one_call_is_one_trace_with_the_right_parents(services: Services) -> None:
    reply = await services.call(
        "sponsor.search", {"search": "vpn"}, traceparent=f"00-{TRACE}-{PARENT}-01"
    )
    assert reply.status_code == 200, reply.text
    spans = services.trace()
    assert {trace_of(span) for span in spans} == {TRACE}
    outermost = named(spans, "HTTP /mcp")
    assert outermost.parent is not None
    assert f"{outermost.parent.span_id:016x}" == PARENT
    assert (outermost.attributes or {})["http.response.status_code"] == 200

    above = ["HTTP /mcp", "tools/call sponsor.search"]
    resolving = "/sponsorgraph.auth.v1.Access/ResolveKey"
    executing = "/sponsorgraph.catalog.v1.BatchCatalog/Execute"
    for rpc in (resolving, executing):
        assert names_down_to(spans, named(spans, rpc, SpanKind.CLIENT)) == [*above, rpc]
        assert names_down_to(spans, named(spans, rpc, SpanKind.SERVER)) == [*above, rpc, rpc]
    assert names_down_to(spans, named(spans, "EVALSHA")) == [*above, "EVALSHA"]
    statements = [span for span in spans if "db.statement" in (span.attributes or {})]
    lines = [
        names_down_to(spans, statement)
        for statement in statements
        if statement.name in ("SELECT", "WITH")
    ]
    assert [*above, resolving, resolving] in [line[:4] for line in lines]
    assert [*above, executing, executing] in [line[:4] for line in lines]


async def test_the_trace_of_the_body_comes_before_that_of_the_headers(services: Services) -> None:
    meta = {"_meta": {"traceparent": f"00-{OTHER}-{PARENT}-01"}}
    reply = await services.call("category.list", params=meta, traceparent=f"00-{TRACE}-{PARENT}-01")
    assert reply.status_code == 200, reply.text
    spans = services.trace(OTHER)
    message = named(spans, "tools/call category.list")
    assert message.parent is not None
    assert f"{message.parent.span_id:016x}" == PARENT
    (outermost,) = services.trace(TRACE)
    assert [link.context for link in message.links] == [outermost.context]
    assert named(spans, "/sponsorgraph.auth.v1.Access/ResolveKey", SpanKind.SERVER)
    assert named(spans, "/sponsorgraph.catalog.v1.BatchCatalog/Execute", SpanKind.SERVER)


async def test_a_call_that_names_no_trace_begins_one(services: Services) -> None:
    await services.call("category.list")
    outermost = named(services.trace(), "HTTP /mcp")
    assert outermost.parent is None


async def test_nothing_secret_is_in_a_span(services: Services) -> None:
    await services.call("sponsor.search", {"search": "vpn"})
    await services.call("sponsor.get", {"sponsor": "nobody at all"})
    await services.call(services.key)
    await services.call("sponsor.search", authorization="Bearer mcp_canary-that-is-no-key")
    recorded = "\n".join(span.to_json() for span in services.exporter.get_finished_spans())
    for secret in (*services.secrets, "mcp_canary", "test@", ":test"):
        assert secret not in recorded
    assert "exception.message" not in recorded
    assert "exception.stacktrace" not in recorded


async def test_a_failure_is_recorded_by_its_kind(services: Services) -> None:
    await services.call("sponsor.stats", {"sponsor": "nobody at all"})
    spans = services.trace()
    failed = named(spans, "/sponsorgraph.catalog.v1.Catalog/GetSponsorStats", SpanKind.SERVER)
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.status.description == (failed.attributes or {})["error.type"]


async def test_loops_begin_no_traces(services: Services) -> None:
    await services.http.get("/readyz")
    assert not services.exporter.get_finished_spans()


def test_a_stranger_does_not_decide_that_a_trace_is_recorded() -> None:
    class Edge(ServiceSettings):
        at_edge = True

    for settings, expected in (
        (Edge(otlp_sample_ratio=0), 0),
        (ServiceSettings(otlp_sample_ratio=0), 1),
    ):
        exporter = InMemorySpanExporter()
        tracing = OpenTelemetry("test", settings, exporter, at_once=True)
        with telemetry.switched_on(tracing), telemetry.request("x", f"00-{TRACE}-{PARENT}-01"):
            assert telemetry.current() is not None
        assert len(exporter.get_finished_spans()) == expected


@pytest.mark.parametrize(
    "service", ["gateway.app", "catalog_service.app", "auth_service.app", "import_worker.app"]
)
def test_nothing_of_it_is_imported_while_it_is_off(service: str) -> None:
    code = (
        f"import sys, {service}\nfrom servicekit.observability import telemetry\n"
        "from servicekit.settings import ServiceSettings\n"
        "with telemetry.traced('x', ServiceSettings()), telemetry.request('y'):\n"
        "    telemetry.join('z', None); telemetry.failed('w')\n"
        f"sys.exit(sorted(n for n in sys.modules if n.startswith({TRACING!r})) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
