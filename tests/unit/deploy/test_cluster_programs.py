"""The programs that `make cluster-test` runs in pods, run here."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from devstack.ports import HOST, free_port
from tests.cluster.programs import LOAD, REACH


class Gateway(BaseHTTPRequestHandler):
    """Responds to the first call well, to the second with a failure, and to all others with 503."""

    calls: ClassVar[list[Any]] = []
    numbers: ClassVar[Iterator[int]] = itertools.count(1)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.calls.append((self.headers["Authorization"], body["method"]))
        number = next(self.numbers)
        text = json.dumps({"result": {"isError": True}} if number == 2 else {"result": {}})
        self.send_response(200 if number <= 2 else 503)
        self.end_headers()
        self.wfile.write(text.replace(": ", ":").encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@pytest.fixture
def gateway() -> Generator[int]:
    Gateway.calls.clear()
    Gateway.numbers = itertools.count(1)
    with ThreadingHTTPServer((HOST, 0), Gateway) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def run(program: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_load_counts_failures_of_every_kind(gateway: int) -> None:
    results = run(LOAD, f"http://{HOST}:{gateway}/mcp", "a-key", "0.5")
    assert results == {"good": 1, "failed": 1, "503": 2}
    assert set(Gateway.calls) == {("Bearer a-key", "tools/call")}


def test_a_port_is_reached_or_not(gateway: int) -> None:
    shut = free_port()
    assert run(REACH, f"{HOST}:{gateway}", f"{HOST}:{shut}") == {
        f"{HOST}:{gateway}": True,
        f"{HOST}:{shut}": False,
    }
