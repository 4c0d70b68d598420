"""`sponsorgraph support-bundle`: one archive, bounded, without secrets, partial when a part is down."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tarfile
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from cli.app import cli
from cli.support import bundle as bundles
from devstack.home import Addresses, Connection, Home

NOWHERE = "127.0.0.1:9"
API_KEY = "mcp_" + "Ab3" * 12
PEM = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIB/x9\n-----END EC PRIVATE KEY-----"
PLANTED: Final = {
    "environment": "s3cr3t-of-the-environment",
    "file": "s3cr3t of a file",
    "url": "hunter2url",
    "line": "hunter2line",
    "json": "hunter2json",
    "query": "hunter2query",
    "pem": "MHcCAQEEIB/x9",
    "mail": "ada@example.com",
    "key": API_KEY,
    "password": "demo-pass",
}


def call(environment: dict[str, str], *command: str) -> Result:
    return CliRunner().invoke(cli, command, env={"COLUMNS": "200", **environment})


@pytest.fixture
def home(tmp_path: Path) -> Generator[tuple[Home, dict[str, str]]]:
    """A stack of which only one process runs, with secrets planted wherever one could be."""
    folder = Home(tmp_path / "home")
    folder.open()
    secret_file = tmp_path / "smtp_password"
    secret_file.write_text(PLANTED["file"] + "\n")
    environment = {
        "AUTH_TOKEN_SECRET": PLANTED["environment"],
        "AUTH_SMTP_PASSWORD_FILE": str(secret_file),
        "AUTH_DATABASE_URL": f"postgresql://auth:{PLANTED['url']}@db/auth",
        "AUTH_CONTACT": PLANTED["mail"],
        "UNRELATED": "left alone",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        env=environment,
    )
    folder.write_addresses(Addresses(*[NOWHERE] * 6, supervisor_pid=os.getpid()))
    pids = {"auth_service": process.pid}
    folder.write_connection(
        Connection("http://x/mcp", "http://x", API_KEY, "demo@x", PLANTED["password"], pids)
    )
    lines = [
        json.dumps({"event": "x", "password": PLANTED["json"], "to": PLANTED["mail"]}),
        f"GET /reset?token={PLANTED['query']} 200 for {API_KEY}",
        f"password={PLANTED['line']} {PLANTED['environment']} {PLANTED['file']}",
        json.dumps({"error": f"cannot reach redis://:{PLANTED['url']}@valkey/0"}),
        *PEM.split("\n"),
        f"demo logs in with {PLANTED['password']}",
    ]
    (folder.logs / "auth_service.log").write_text("\n".join(lines) + "\n")
    yield folder, {"SPONSORGRAPH_HOME": str(folder.path)}
    process.communicate()


def files_of(archive: Path) -> dict[str, str]:
    with tarfile.open(archive) as opened:
        return {
            member.name.partition("/")[2]: (opened.extractfile(member) or sys.stdin.buffer)
            .read()
            .decode()
            for member in opened.getmembers()
        }


def test_nothing_that_was_planted_is_in_the_archive(
    home: tuple[Home, dict[str, str]], tmp_path: Path
) -> None:
    archive = tmp_path / "bundle.tar.gz"
    result = call(home[1], "support-bundle", str(archive), "--json")
    found = files_of(archive)
    own = list(json.loads((home[0].path / "secrets.json").read_text()).values())
    everything = "\n".join(found.values()) + result.output
    for value in (*PLANTED.values(), *own):
        assert value not in everything
    assert "left alone" not in everything
    assert json.loads(found["settings.json"])["auth_service"]["AUTH_TOKEN_SECRET"] == "[redacted]"
    assert "[redacted PEM]" in found["logs/auth_service.log"]
    redacted = json.loads(found["contents.json"])["redacted"]
    assert {"known value", "secret's name", "e-mail address", "secret in a URL"} <= set(redacted)
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600


def test_what_is_down_is_missing_with_its_reason_and_the_rest_is_there(
    home: tuple[Home, dict[str, str]], tmp_path: Path
) -> None:
    archive = tmp_path / "bundle.tar.gz"
    result = call(home[1], "support-bundle", str(archive), "--json")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert said["archive"] == str(archive)
    assert said["partial"]
    missing = {item["name"]: item["reason"] for item in said["missing"]}
    assert {"databases/auth.json", "metrics/gateway.txt"} <= set(missing)
    assert all(missing.values())
    listed = {file["name"] for file in said["files"]}
    assert {"versions.json", "status.json", "doctor.json", "logs/auth_service.log"} <= listed
    assert listed | {"contents.json"} == set(files_of(archive))
    doctor = json.loads(files_of(archive)["doctor.json"])
    assert any(not finding["fine"] for finding in doctor)


def test_the_archive_is_bounded_and_has_the_last_lines(
    home: tuple[Home, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "MAX_FILE_BYTES", 20_000)
    lines = [f"line {number}: " + "x" * 10_000 for number in range(300)]
    (home[0].logs / "gateway.log").write_text("\n".join(lines) + "\n")
    archive = tmp_path / "bundle.tar.gz"
    call(home[1], "support-bundle", str(archive), "--lines", "10")
    found = files_of(archive)
    assert all(len(content) <= 20_000 for name, content in found.items() if name != "contents.json")
    assert "line 299: xxx" in found["logs/gateway.log"]
    assert "line 289: " not in found["logs/gateway.log"]
    cut = {file["name"]: file["is_cut"] for file in json.loads(found["contents.json"])["files"]}
    assert cut["logs/gateway.log"]
    monkeypatch.setattr(bundles, "MAX_BYTES", 500)
    said: dict[str, Any] = json.loads(
        call(home[1], "support-bundle", str(archive), "--json").stdout
    )
    assert "the bundle is full" in {item["reason"] for item in said["missing"]}


class _Gateway(BaseHTTPRequestHandler):
    """Serves metrics."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"sponsorgraph_calls_total 1\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        """Print nothing."""


def test_a_bundle_of_services_elsewhere_is_whole_without_logs(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Gateway) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            named = {
                "SPONSORGRAPH_HOME": str(tmp_path),
                "SPONSORGRAPH_GATEWAY": f"127.0.0.1:{server.server_port}",
            }
            result = call(named, "support-bundle", str(tmp_path / "b.tar.gz"), "--json")
        finally:
            server.shutdown()
            thread.join()
    said = json.loads(result.stdout)
    assert (result.exit_code, said["missing"], said["partial"]) == (0, [], False)
    assert [item["name"] for item in said["left_out"]] == ["logs"]


def test_bytes_that_are_no_text_do_not_end_the_command(
    home: tuple[Home, dict[str, str]], tmp_path: Path
) -> None:
    (home[0].logs / "postgres.log").write_bytes(b"caf\xe9 is no UTF-8\n")
    archive = tmp_path / "bundle.tar.gz"
    result = call(home[1], "support-bundle", str(archive))
    assert isinstance(result.exception, SystemExit)
    assert "is no UTF-8" in files_of(archive)["logs/postgres.log"]


def test_of_services_elsewhere_it_says_that_logs_are_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = {
        "SPONSORGRAPH_HOME": str(tmp_path),
        "SPONSORGRAPH_AUTH_GRPC": "dns:///127.0.0.1:9",
        "SPONSORGRAPH_GRPC_TOKEN": PLANTED["environment"] * 3,
        "AUTH_DATABASE_URL": f"postgresql://a:{PLANTED['url']}@127.0.0.1:9/auth",
    }
    result = call(named, "support-bundle")
    assert result.exit_code == 1
    (archive,) = tmp_path.glob("sponsorgraph-support-*.tar.gz")
    found = files_of(archive)
    contents = json.loads(found["contents.json"])
    missing = {item["name"] for item in contents["missing"]}
    assert missing == {"databases/auth.json", "metrics/auth.txt"}
    (logs,) = contents["left_out"]
    assert (logs["name"], "docker compose logs" in logs["reason"]) == ("logs", True)
    everything = "\n".join(found.values()) + result.output
    assert PLANTED["environment"] not in everything
    assert PLANTED["url"] not in everything
