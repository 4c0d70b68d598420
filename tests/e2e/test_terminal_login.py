"""A person logs in at a terminal, calls tools, and logs out again, against a running stack."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients.person import Person
from tests.e2e.conftest import RunningStack

pytestmark = pytest.mark.timeout(180)


class Terminal:
    """The command with a home of its own, and no key in its environment."""

    def __init__(self, stack: RunningStack, home: Path) -> None:
        self.stack, self.home = stack, home
        inherited = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "COLUMNS": "200"}
        self.environment = {**inherited, "HOME": str(home), "SPONSORGRAPH_HOME": str(stack.home)}

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "cli",
            *arguments,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        process = await self.start(*arguments)
        out, err = await process.communicate()
        return process.returncode or 0, out.decode(), err.decode()

    @property
    def logins(self) -> Path:
        return self.home / ".config" / "sponsorgraph" / "logins.json"

    def change_login(self, change: Callable[[dict[str, Any]], None]) -> None:
        stored = json.loads(self.logins.read_text())
        change(stored[self.stack.connection["mcp_url"]])
        self.logins.write_text(json.dumps(stored))


@pytest.fixture
def terminal(stack: RunningStack, tmp_path: Path) -> Terminal:
    return Terminal(stack, tmp_path)


async def decide(terminal: Terminal, decision: str) -> tuple[int, str, str]:
    """Log in at the terminal; open the page that it prints, and decide there."""
    process = await terminal.start("login")
    assert process.stdout is not None
    link = (await process.stdout.readline()).decode().split()[-1]
    connection = terminal.stack.connection
    async with Person(connection["site_url"]) as person:
        await person.log_in(connection["email"], connection["password"])
        page = await person.visit(link)
        assert re.search(r"[B-Z]{4}-[B-Z]{4}", page.text)
        await person.submit("/device")
        assert "Sponsorgraph command line" in person.page.text if person.page else False
        await person.submit("/device/decision", decision=decision)
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_a_person_logs_in_calls_tools_and_logs_out(
    stack: RunningStack, terminal: Terminal
) -> None:
    code, _, err = await terminal.run("tools")
    assert code == 1
    assert "sponsorgraph login" in err

    code, out, err = await decide(terminal, "approve")
    assert code == 0, err
    assert f"You are logged in to {stack.connection['mcp_url']}" in out
    assert terminal.logins.stat().st_mode & 0o777 == 0o600

    code, out, err = await terminal.run("tools")
    assert code == 0, err
    assert "sponsor.search" in out
    code, out, err = await terminal.run("call", "sponsor_top", "limit=2", "metric=videos", "--csv")
    assert code == 0, err
    best = stack.tool_result("sponsor.top", {"limit": 2})["sponsors"]
    read = list(csv.DictReader(io.StringIO(out)))
    assert [row["sponsor.name"] for row in read] == [row["sponsor"]["name"] for row in best]
    assert "There is more: add cursor=" in err

    # Not listed to a model by default, but for people who look for it.
    code, out, err = await terminal.run("call", "catalog.resolve", "names=nordvpn,@mkbhd", "--csv")
    assert code == 0, err
    assert [row["status"] for row in csv.DictReader(io.StringIO(out))] == ["found", "found"]

    first = json.loads(terminal.logins.read_text())[stack.connection["mcp_url"]]
    terminal.change_login(lambda login: login.update(expires_at=0))
    code, out, err = await terminal.run("call", "account.usage", "--json")
    assert code == 0, err
    assert json.loads(out)["plan"] == "creator"
    second = json.loads(terminal.logins.read_text())[stack.connection["mcp_url"]]
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]

    code, out, err = await terminal.run("logout")
    assert code == 0, err
    assert "logged out" in out
    assert stack.call_tool("account.usage", {}, second["access_token"]).status_code == 401
    assert (await terminal.run("tools"))[0] == 1


async def test_a_login_that_is_refused_leaves_none(terminal: Terminal) -> None:
    code, _, err = await decide(terminal, "deny")
    assert code == 1
    assert "The login was refused in the browser." in err
    assert not terminal.logins.exists()


async def test_errors_of_the_service_come_as_its_own_sentences(
    stack: RunningStack, terminal: Terminal
) -> None:
    terminal.environment["SPONSORGRAPH_API_KEY"] = stack.connection["api_key"]
    code, out, err = await terminal.run("call", "sponsor.search", "limit=900")
    assert (code, out) == (1, "")
    assert err == "Error: `limit` was 900; it must be an integer from 1 to 50 (default 10).\n"
    terminal.environment["SPONSORGRAPH_API_KEY"] = "mcp_none"
    code, _, err = await terminal.run("tools")
    assert code == 1
    assert "Traceback" not in err
    assert len(err.splitlines()) == 1
