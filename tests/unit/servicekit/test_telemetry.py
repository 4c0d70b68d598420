"""Request ids are ours, trace ids the caller's."""

import pytest

from servicekit.observability import telemetry

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_the_callers_trace_goes_on() -> None:
    context = telemetry.new_context(f"00-{TRACE}-00f067aa0ba902b7-01")
    assert context.trace_id == TRACE
    assert context.traceparent() == f"00-{TRACE}-{context.request_id}-01"


@pytest.mark.parametrize(
    "header",
    [None, "", "nonsense", f"00-{'0' * 32}-00f067aa0ba902b7-01", f"00-{TRACE.upper()}-1-01"],
)
def test_a_bad_header_starts_a_new_trace(header: str | None) -> None:
    context = telemetry.new_context(header)
    assert len(context.trace_id) == 32
    assert context.trace_id != TRACE


def test_a_context_holds_only_inside_its_block() -> None:
    context = telemetry.new_context()
    with telemetry.bound(context):
        assert telemetry.current() is context
    assert telemetry.current() is None
