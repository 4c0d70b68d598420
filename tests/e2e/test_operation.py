"""Operation around the calls: quota, plans, crashes, restarts, a second start."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.conftest import RunningStack, start, wait_for

SERVICES = (
    "gateway",
    "catalog_service",
    "auth_service",
    "import_worker",
    "postgres",
    "valkey",
)


def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


async def test_of_200_calls_at_once_against_50_left_50_are_admitted(stack: RunningStack) -> None:
    email = stack.account("creator")
    headers = {"Authorization": f"Bearer {stack.key(email)}"}
    url = stack.connection["mcp_url"]
    body = call("sponsor.search", {"search": "vpn", "limit": 1})
    limits = httpx2.Limits(max_connections=200)
    # Waiting for a connection of the client's own is no answer that the service is late with.
    at_once = asyncio.Semaphore(200)
    async with httpx2.AsyncClient(headers=headers, timeout=60, limits=limits) as client:

        async def status() -> int:
            async with at_once:
                return (await client.post(url, json=body)).status_code

        async def statuses(count: int) -> list[int]:
            return await asyncio.gather(*(status() for _ in range(count)))

        assert await statuses(950) == [200] * 950
        last = await statuses(200)
    assert (last.count(200), last.count(429)) == (50, 150)
    wait_for(lambda: _ledger(stack, email) == 1_000, 10, "the ledger did not reach the counter")


def _ledger(stack: RunningStack, email: str) -> int:

    shown = stack.command("account", "show", email, "--json")
    return json.loads(shown.stdout)["requests_this_month"]


def test_a_free_account_gets_no_key_and_the_reason(stack: RunningStack) -> None:
    email = stack.account("free")
    refused = stack.command("key", "create", email)
    assert refused.returncode == 1
    assert "Creator" in refused.stderr


def test_a_key_follows_its_accounts_plan(stack: RunningStack) -> None:
    email = stack.account("creator")
    key = stack.key(email)
    assert stack.call_tool("account.usage", {}, key).status_code == 200
    assert stack.command("account", "set-plan", email, "free").returncode == 0
    wait_for(lambda: stack.call_tool("account.usage", {}, key).status_code == 401, 2, "not refused")
    assert "Creator" in stack.call_tool("account.usage", {}, key).text
    assert stack.command("account", "set-plan", email, "creator").returncode == 0
    wait_for(
        lambda: stack.call_tool("account.usage", {}, key).status_code == 200, 7, "not taken back"
    )


def test_a_revoked_key_stops_within_a_second(stack: RunningStack) -> None:

    email = stack.account("creator")
    key = stack.key(email)
    assert stack.call_tool("account.usage", {}, key).status_code == 200
    (listed,) = json.loads(stack.command("key", "list", email, "--json").stdout)
    assert stack.command("key", "revoke", listed["key_id"]).returncode == 0
    wait_for(lambda: stack.call_tool("account.usage", {}, key).status_code == 401, 1, "still works")


def all_ready(stack: RunningStack) -> bool:
    """Return whether every part that a call may need is ready."""
    try:
        return stack.call_tool("account.usage", {}).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.parametrize("name", SERVICES)
def test_a_killed_process_is_restarted_and_no_result_is_wrong(
    stack: RunningStack, name: str
) -> None:
    arguments = {"search": "nordvpm", "limit": 1}
    expected = stack.tool_result("sponsor.search", arguments)
    before = stack.connection["pids"][name]
    os.kill(before, signal.SIGKILL)

    def healed() -> bool:
        try:
            response = stack.call_tool("sponsor.search", arguments)
        except httpx2.TransportError:
            return False
        if response.status_code == 200:
            assert response.json()["result"]["structuredContent"] == expected
        else:
            assert response.status_code == 503, response.text
        is_back = stack.connection["pids"][name] != before
        return response.status_code == 200 and is_back and all_ready(stack)

    wait_for(healed, 20, f"{name} was not healed")


def test_a_second_start_says_so_and_disturbs_nothing(stack: RunningStack) -> None:
    wait_for(lambda: all_ready(stack), 20, "what was killed before is not back")
    second = stack.command("up")
    assert second.returncode == 1, second.stdout
    assert "is in use by process" in second.stderr
    assert stack.call_tool("account.usage", {}).status_code == 200


def test_loading_the_sample_again_changes_nothing(stack: RunningStack) -> None:
    sample = Path(__file__).resolve().parents[2] / "devstack" / "sample" / "catalog.jsonl.gz"
    loaded = stack.command("catalog", "load", str(sample))
    assert loaded.returncode == 0, loaded.stderr
    assert "0 created, 0 updated" in loaded.stdout
    assert ", 0 refused" in loaded.stdout


def test_bad_lines_are_named_and_the_rest_is_loaded(stack: RunningStack, tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl"
    file.write_text(
        '{"type":"sponsor","slug":"zzz-probe","name":"Zzz Probe","aliases":[],'
        '"domains":["zzz-probe.example"],"category":null,"country":null,"website":null}\n'
        "not json\n"
        '{"type":"sponsor","slug":"no-name"}\n'
    )
    loaded = stack.command("catalog", "load", str(file))
    assert loaded.returncode == 0
    assert "mixed.jsonl:2" in loaded.stderr
    assert "mixed.jsonl:3" in loaded.stderr
    assert (
        stack.tool_result("sponsor.get", {"sponsor": "zzz-probe"})["sponsor"]["name"] == "Zzz Probe"
    )


def test_doctor_finds_a_well_stack_well(stack: RunningStack) -> None:
    diagnosis = stack.command("doctor")
    assert diagnosis.returncode == 0, diagnosis.stdout
    assert "problem" not in diagnosis.stdout


def test_a_taken_port_is_named_with_its_variable(stack: RunningStack, tmp_path: Path) -> None:
    taken = stack.connection["mcp_url"].split(":")[2].split("/")[0]
    other = RunningStack(
        tmp_path / "other",
        stack.process,
        {**stack.environment, "SPONSORGRAPH_HOME": str(tmp_path / "o"), "SPONSORGRAPH_PORT": taken},
    )
    refused = other.command("up")
    assert refused.returncode == 1
    assert taken in refused.stderr
    assert "SPONSORGRAPH_PORT" in refused.stderr


def test_data_and_key_outlive_a_restart_and_nothing_is_left_running(tmp_path: Path) -> None:
    first = start(tmp_path / "home")
    before, worries = first.connection, _worries(first)
    assert first.stop() == 0
    assert worries == []
    assert (tmp_path / "home" / "connection.json").stat().st_mode & 0o777 == 0o600
    assert [name for name, pid in before["pids"].items() if _lives(pid)] == []
    second = start(tmp_path / "home")
    try:
        assert second.connection["api_key"] == before["api_key"]
        second.tool_result("sponsor.get", {"sponsor": "nordvpn"})
        assert _worries(second) == []
    finally:
        second.process.kill()
        second.process.wait()
    # Killed without a chance to tidy up, it must take its children along.
    pids = second.connection["pids"].values()
    wait_for(lambda: not any(map(_lives, pids)), 15, "children outlived their parent")
    third = start(tmp_path / "home")
    try:
        third.tool_result("sponsor.get", {"sponsor": "nordvpn"})
    finally:
        third.stop()


def _worries(stack: RunningStack) -> list[str]:
    """Return the log lines that a newcomer would take for a fault."""
    signs = ('"level": "warning"', '"level": "error"', "ERROR:", "FATAL:", "Traceback")
    lines = (
        f"{log.name}: {line}"
        for log in (stack.home / "logs").iterdir()
        for line in log.read_text(errors="replace").splitlines()
    )
    return [line for line in lines if any(sign in line for sign in signs)]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
