"""Saved lists over MCP, from the first entry to a ranking that they filter."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import RunningStack

pytestmark = [pytest.mark.timeout(240)]


def top(stack: RunningStack, key: str, **arguments: Any) -> list[str]:
    found = stack.tool_result("sponsor.top", {"limit": 5, **arguments}, key)
    return [ranked["sponsor"]["name"] for ranked in found["sponsors"]]


def test_a_list_is_filled_by_names_and_filters_a_ranking(stack: RunningStack) -> None:
    key = stack.key(stack.account("creator"))
    first, second, *others = top(stack, key)
    made = stack.tool_result(
        "list.create", {"name": "Rivals", "type": "sponsor", "names": [first, second, "zzqqx"]}, key
    )
    assert made["list"]["entries"] == 2
    assert [item["name"] for item in made["unclear"]] == ["zzqqx"]
    assert top(stack, key, in_list="rivals") == [first, second]
    assert top(stack, key, not_in_list="rivals")[:3] == others
    stack.tool_result("list.remove", {"list": "Rivals", "names": [first]}, key)
    assert top(stack, key, in_list="rivals") == [second]
    entries = stack.tool_result("list.get", {"list": made["list"]["id"]}, key)["entries"]
    assert [entry["sponsor"]["name"] for entry in entries] == [second]
    stack.tool_result("list.delete", {"list": "Rivals"}, key)
    assert stack.tool_result("list.all", {}, key)["lists"] == []
    refused = stack.call_tool("sponsor.top", {"in_list": "rivals"}, key)
    assert refused.status_code == 400
    assert "`in_list` 'rivals' is none of your lists" in refused.text


def test_equal_names_of_two_accounts_give_each_its_own(stack: RunningStack) -> None:
    keys = [stack.key(stack.account("creator")) for _ in range(2)]
    names = top(stack, keys[0])
    for key, name in zip(keys, names[:2], strict=True):
        stack.tool_result("list.create", {"name": "Mine", "type": "sponsor", "names": [name]}, key)
    assert [top(stack, key, in_list="Mine") for key in keys] == [[names[0]], [names[1]]]
