"""The edge of compose, run on this machine: its own errors have bodies and ids, its log has no secrets."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from devstack.ports import HOST, free_port

CADDYFILE: Final = Path(__file__).parents[3] / "deploy" / "compose" / "Caddyfile"

pytestmark = pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not on the PATH")


@dataclass(frozen=True)
class Edge:
    """A running edge whose services are away."""

    url: str
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of its access log."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if "http.log.access" in line.get("logger", "")]


@pytest.fixture
def edge(tmp_path: Path) -> Generator[Edge]:
    port, away = free_port(), free_port()
    text = CADDYFILE.read_text().replace(":2020", f":{free_port()}")
    text = re.sub(
        r"name \{args\.0\}\n\t\t\tport \{args\.1\}", f"name localhost\n\t\t\tport {away}", text
    )
    text = text.replace("lb_try_duration 5s", "lb_try_duration 0s")
    config, log = tmp_path / "Caddyfile", tmp_path / "log"
    config.write_text(text)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SPONSORGRAPH_DOMAIN": f"http://{HOST}:{port}",
    }
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            _wait_for(port)
            yield Edge(f"http://{HOST}:{port}", log)
        finally:
            process.terminate()
            process.wait()


def _wait_for(port: int) -> None:
    ends = time.monotonic() + 20
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            assert time.monotonic() < ends, "The edge does not listen."
            time.sleep(0.05)
        else:
            return


async def test_without_gateways_a_call_gets_a_json_rpc_error_to_come_again(edge: Edge) -> None:
    async with httpx2.AsyncClient(base_url=edge.url) as http:
        reply = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert reply.headers["content-type"] == "application/json"
    error = reply.json()["error"]
    assert error["data"] == {
        "code": "unavailable",
        "retry_after_seconds": 5,
        "request_id": reply.headers["x-request-id"],
    }
    assert "Try again" in error["message"]


async def test_without_the_site_a_page_says_so(edge: Edge) -> None:
    async with httpx2.AsyncClient(base_url=edge.url) as http:
        reply = await http.get("/account")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.headers["x-request-id"] in reply.text
    assert "server" not in reply.headers


async def test_the_access_log_has_every_request_and_no_secret_of_it(edge: Edge) -> None:
    secrets = {"authorization": "Bearer mcp_secret1", "cookie": "session=secret2"}
    referrer = {"referer": "https://example.com/?code=secret3"}
    async with httpx2.AsyncClient(base_url=edge.url, headers=secrets | referrer) as http:
        reply = await http.get("/login/google/callback", params={"code": "secret4"})
    (line,) = [item for item in edge.lines() if item["request"]["uri"].startswith("/login")]
    assert (line["status"], line["request"]["uri"]) == (503, "/login/google/callback?…")
    assert line["resp_headers"]["X-Request-Id"] == [reply.headers["x-request-id"]]
    assert "secret" not in edge.log.read_text()
