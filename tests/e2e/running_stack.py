"""A whole stack as `make run` starts it, used from outside."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from devstack.clients.operations import OperationsClient
from devstack.home import Home

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
    ) -> httpx2.Response:
        """One bare `tools/call`, as a script without any handshake sends it."""
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = {"Authorization": f"Bearer {key or self.connection['api_key']}"}
        return httpx2.post(self.connection["mcp_url"], json=body, headers=headers, timeout=15)

    def tool_result(self, tool: str, arguments: dict[str, Any], key: str | None = None) -> Any:
        """The structured content of a response that must be one."""
        response = self.call_tool(tool, arguments, key)
        assert response.status_code == 200, response.text
        return response.json()["result"]["structuredContent"]

    def account(self, plan: str, password: str = "") -> str:
        """A new account's address; without a password nobody can log in to it."""
        email = f"{time.monotonic_ns()}@example.com"
        self._operate("create_account", email, plan, password or None)
        return email

    def key(self, email: str) -> str:
        """A new API key of an account."""
        secret, _ = self._operate("create_key", email, "script", None)
        return secret

    def _operate(self, method: str, *arguments: Any) -> Any:
        """Call the auth service as the commands do, without the second of CPU that a command takes."""
        home = Home(self.home)
        addresses, keys = home.addresses(), home.secrets()
        assert addresses is not None
        credentials = addresses.credentials("cli", keys)
        client = OperationsClient(addresses.auth_grpc, keys.operator_token, credentials)
        # The client runs a loop of its own, and the caller may be in one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(getattr(client, method), *arguments).result(60)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)

    def end(self) -> None:
        """Stop it for good: its data go, its logs stay."""
        self.stop()
        shutil.rmtree(self.home / "postgres")


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
