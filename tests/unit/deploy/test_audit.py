"""The audit of the locks tells vulnerable, well and unknown apart."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from devstack.ports import free_port
from scripts import audit

pytestmark = pytest.mark.skipif(not audit.PROGRAM.exists(), reason="`make audit` installs it")

LOCK = """\
first==1.0 \\
    --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000
second==2.0 \\
    --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000
"""
VULNERABILITY = {
    "id": "PYSEC-2026-1",
    "details": "It can be broken.",
    "aliases": [],
    "affected": [
        {
            "package": {"name": "first", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


class Database(BaseHTTPRequestHandler):
    """Answers as OSV does: one package has a vulnerability."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_first = request["package"]["name"] == "first"
        body = json.dumps({"vulns": [VULNERABILITY]} if is_first else {}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that it has there
        pass


@pytest.fixture
def database() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Database) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()
        thread.join()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "one.lock"
    file.write_text(LOCK)
    return file


def test_a_known_vulnerability_is_reported_with_the_version_that_fixes_it(
    lock: Path, database: str
) -> None:
    found = audit.audited(lock, database)
    assert found.checked == 2
    assert found.vulnerable == ("first 1.0: PYSEC-2026-1 (mended in 1.1)",)


def test_without_data_nothing_is_said_to_be_well(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/v1/query"
    assert audit.audited(lock, nowhere).checked is None
    assert audit.main(["--osv-url", nowhere]) == 0
    assert "NO DATA" in capsys.readouterr().out
    assert audit.main(["--osv-url", nowhere, "--strict"]) == 1
