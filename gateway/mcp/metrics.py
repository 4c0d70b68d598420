"""Metrics of the gateway: rate, errors and duration by tool, refusals, credential lookups."""

from collections.abc import Iterable
from functools import cache
from typing import Final, TypeVar

from prometheus_client import Counter, Gauge, Histogram

TOOL_SECONDS: Final = Histogram(
    "sponsorgraph_tool_seconds",
    "Time to answer an admitted tools/call, in seconds.",
    ["tool"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
TOOL_CALLS: Final = Counter(
    "sponsorgraph_tool_calls",
    "Calls of tools by outcome: ok, cached, repeated (under an idempotency key), input_required, "
    "protocol_error, cancelled (by a caller who disconnected), internal, or the error's code.",
    ["tool", "outcome"],
)
QUOTA_REFUSALS: Final = Counter(
    "sponsorgraph_quota_refusals", "Calls that were not admitted.", ["reason"]
)
CREDENTIAL_LOOKUPS: Final = Counter(
    "sponsorgraph_credential_lookups",
    "Lookups of credentials in the gateway's cache: hit, miss, or stale while the auth service is away.",
    ["result"],
)
REVOCATION_LISTENER_CONNECTED: Final = Gauge(
    "sponsorgraph_revocation_listener_connected",
    "Whether pushes of changed entitlements reach this gateway; if not, only time limits hold.",
)
HTTP_REPLIES: Final = Counter(
    "sponsorgraph_mcp_replies", "Replies of the MCP endpoint by HTTP status.", ["status"]
)

M = TypeVar("M", Counter, Histogram)


@cache
def of(metric: M, *labels: str) -> M:
    """Return the part of a metric with these labels; cached, as finding it costs more than counting."""
    return metric.labels(*labels)


_ALERTED_OUTCOMES: Final = ("ok", "unavailable", "internal")
_REFUSALS: Final = ("quota_exceeded", "rate_limited")
_STATUSES: Final = ("200", "400", "401", "403", "429", "503")


def begin_series(tools: Iterable[str]) -> None:
    """Begin the series that rules and dashboards query at 0, before their first event.

    A counter that begins with its first event has no rate of it, and a panel of it is empty until then.
    """
    for tool in tools:
        of(TOOL_SECONDS, tool)
        for outcome in _ALERTED_OUTCOMES:
            of(TOOL_CALLS, tool, outcome)
    for reason in _REFUSALS:
        of(QUOTA_REFUSALS, reason)
    for status in _STATUSES:
        of(HTTP_REPLIES, status)
