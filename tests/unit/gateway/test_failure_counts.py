"""Failed calls are counted by the tool, under whichever of its names it was called."""

from dataclasses import replace

import pytest

from gateway.mcp import failure_counts
from gateway.tools import all_tools

TOOL = replace(all_tools()[0], name="test.failure.counts")


@pytest.mark.parametrize("name", ["test.failure.counts", "test_failure_counts"])
def test_a_failure_counts_for_the_tool_by_either_name(name: str) -> None:
    failure_counts.begin([TOOL])
    before = failure_counts.failures().get((TOOL.name, "not_found"), 0)
    failure_counts.count_failure(name, "not_found")
    assert failure_counts.failures()[TOOL.name, "not_found"] == before + 1


def test_a_failure_of_no_tool_has_no_tools_name() -> None:
    before = failure_counts.failures().get(("", "unknown"), 0)
    failure_counts.count_failure("test.no.tool", "unknown")
    assert failure_counts.failures()["", "unknown"] == before + 1
