"""What operators do for an account by the command, as callers and gateways see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.conftest import RunningStack, wait_for

pytestmark = [pytest.mark.timeout(300)]

_SECOND = 2.0
"""A second, and one for a busy machine."""


def limit_of(stack: RunningStack, key: str) -> Any:
    response = stack.call_tool("account.usage", {}, key)
    assert response.status_code == 200, response.text
    return response.json()["result"]["structuredContent"]["requests_per_month"]


def done(stack: RunningStack, *command: str) -> Any:
    result = stack.command(*command, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_own_limits_reach_a_running_gateway_at_once_and_are_counted(stack: RunningStack) -> None:
    email = stack.account("creator")
    key = stack.key(email)
    before = limit_of(stack, key)
    own = ("--monthly-requests", "2", "--reason", "a trial")
    done(stack, "account", "set-limits", email, *own)
    wait_for(lambda: limit_of(stack, key) == 2, _SECOND, "the gateway has the plan's limits")
    search = {"search": "vpn", "limit": 1}
    statuses = [stack.call_tool("sponsor.search", search, key).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]

    done(stack, "account", "clear-limits", email)
    wait_for(lambda: limit_of(stack, key) == before, _SECOND, "the gateway has its own limits")
    assert stack.call_tool("sponsor.search", search, key).status_code == 200

    def is_recorded() -> bool:
        return done(stack, "account", "usage", email)["requests"] == 3

    wait_for(is_recorded, 15, "the ledger lacks calls")
    by_tool = done(stack, "account", "usage", email, "--by", "tool")["by_tool"]
    assert by_tool == [{"tool": "sponsor.search", "requests": 3}]
    by_key = done(stack, "account", "usage", email, "--by", "key")["by_key"]
    assert [row["requests"] for row in by_key] == [3]


def test_a_deleted_accounts_key_stops_at_once_and_leaves_the_command_with_3(
    stack: RunningStack,
) -> None:
    email = stack.account("creator")
    key = stack.key(email)
    assert stack.call_tool("account.usage", {}, key).status_code == 200
    deleted = done(stack, "account", "delete", email, "--yes", "--reason", "asked")
    assert deleted["keys"] == 1
    wait_for(
        lambda: stack.call_tool("account.usage", {}, key).status_code == 401, _SECOND, "not refused"
    )
    for command in (("account", "show"), ("account", "delete", "--yes"), ("key", "list")):
        result = stack.command(*command, email)
        assert (result.returncode, "no account of" in result.stderr) == (3, True)
    newest = done(stack, "audit", "list", "--account", deleted["account_id"])[0]
    assert (newest["event"], newest["reason"]) == ("account_deleted", "asked")
