"""A whole stack as `make run` starts it, on a throw-away home, used from outside."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, async_playwright

START_SECONDS = 150.0


@dataclass(slots=True)
class RunningStack:
    """A started stack; `connection` is what stands in connection.json now."""

    home: Path
    process: subprocess.Popen[bytes]
    environment: dict[str, str]

    @property
    def connection(self) -> dict[str, Any]:
        return json.loads((self.home / "connection.json").read_text())

    def command(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs `sponsorgraph ARGUMENTS` on the stack's home."""
        return subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def call_tool(
        self, tool: str, arguments: dict[str, Any], key: str | None = None
    ) -> httpx.Response:
        """One bare `tools/call`, as a script without any handshake sends it."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = {"Authorization": f"Bearer {key or self.connection['api_key']}"}
        return httpx.post(self.connection["mcp_url"], json=body, headers=headers, timeout=15)

    def tool_result(self, tool: str, arguments: dict[str, Any], key: str | None = None) -> Any:
        """The structured content of a response that must be one."""
        response = self.call_tool(tool, arguments, key)
        assert response.status_code == 200, response.text
        return response.json()["result"]["structuredContent"]

    def account(self, plan: str, password: str = "") -> str:
        """A new account's address; without a password nobody can log in to it."""
        email = f"{time.monotonic_ns()}@example.com"
        password_option = ("--password-stdin",) if password else ()
        made = self.command(
            "account", "create", email, "--plan", plan, *password_option, stdin=password
        )
        assert made.returncode == 0, made.stderr
        return email

    def key(self, email: str) -> str:
        """A new API key of an account."""
        made = self.command("key", "create", email, "--json")
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)["api_key"]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)


def start(home: Path, **more: str) -> RunningStack:
    """Starts a stack on `home`, with `more` in its environment, and waits until it is ready."""
    environment = {
        **os.environ,
        "SPONSORGRAPH_HOME": str(home),
        "SPONSORGRAPH_PORT": "0",
        "SPONSORGRAPH_SITE_PORT": "0",
        "COLUMNS": "200",
        "AUTH_PLANS": '{"creator": {"burst_requests": 5000, "burst_refill_per_second": 5000}}',
        **more,
    }
    output = home.parent / f"{home.name}.out"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", "up"],
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    deadline = time.monotonic() + START_SECONDS
    try:
        while "Ctrl-C stops" not in output.read_text(errors="replace"):
            assert process.poll() is None, output.read_text(errors="replace")
            assert time.monotonic() < deadline, output.read_text(errors="replace")
            time.sleep(0.05)
    except BaseException:
        process.terminate()
        process.wait(timeout=30)
        raise
    return RunningStack(home, process, environment)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningStack]:
    """One stack for all tests that leave it running as they found it."""
    running = start(tmp_path_factory.mktemp("stack") / "home")
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
async def chromium() -> AsyncGenerator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is missing (.ci/run installs Debian's)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        await browser.close()


def wait_for(condition: Callable[[], bool], seconds: float, subject: str) -> None:
    """Waits until something outside this process has come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, subject
        time.sleep(0.02)
