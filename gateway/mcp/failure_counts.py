"""Counts of failed calls, by tool and code."""

from collections.abc import Iterable
from typing import Final

from prometheus_client import Counter

from gateway.tools import Tool

CALL_FAILURES: Final = Counter(
    "sponsorgraph_call_failures",
    "Failed calls, each of which has a line call_failed in the log, by tool and code. The tool is empty "
    "where the call names none of the tools.",
    ["tool", "code"],
)
_tools: Final[dict[str, str]] = {}


def begin(tools: Iterable[Tool]) -> None:
    """Name the tools; names of others are the caller's own and no label."""
    for tool in tools:
        _tools[tool.name] = _tools[tool.alias] = tool.name


def count_failure(tool: object, code: str) -> None:
    """Count a failed call of the tool that the caller named."""
    known = _tools.get(tool, "") if isinstance(tool, str) else ""
    CALL_FAILURES.labels(known, code).inc()


def failures() -> dict[tuple[str, str], int]:
    """Return how many calls have failed in this process so far, by tool and code."""
    return {
        (sample.labels["tool"], sample.labels["code"]): int(sample.value)
        for metric in CALL_FAILURES.collect()
        for sample in metric.samples
        if sample.name.endswith("_total")
    }
