"""`sponsorgraph demo` of services elsewhere, and what a gateway says to the key of a home."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import cli
from cli.commands import demo
from devstack import sample_loader
from devstack.clients.api_keys import refusal_of
from devstack.ports import free_port

REVOKED = (
    b'{"jsonrpc":"2.0","id":1,"error":{"code":401,"message":"x","data":{"reason":"KEY_REVOKED"}}}'
)


class Accounts:
    """Operators' calls to a service that has neither account nor keys."""

    def create_account(self, email: str, plan: str, password: str) -> None:
        """Create an account."""

    def keys(self, _email: str) -> Sequence[object]:
        return []

    def create_key(self, _email: str, _name: str, _days: int | None) -> tuple[str, None]:
        return "mcp_new", None


@contextmanager
def gateway(status: int, body: bytes) -> Generator[str]:
    """Run a gateway that gives one response to every call; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (401, REVOKED, "KEY_REVOKED"),
        (401, b"a proxy's page", ""),
        (200, b"{}", ""),
        (503, REVOKED, ""),
    ],
)
def test_a_key_is_refused_by_a_response_of_401_with_a_reason_alone(
    status: int, body: bytes, reason: str
) -> None:
    with gateway(status, body) as address:
        assert refusal_of(address, "mcp_key") == reason


def test_a_gateway_that_does_not_respond_refuses_no_key() -> None:
    assert refusal_of(f"127.0.0.1:{free_port()}", "mcp_key") == ""


@pytest.mark.parametrize(
    ("base_url", "printed"), [("", []), ("https://x.example", ["MCP URL:", "Site:"])]
)
def test_addresses_of_services_elsewhere_are_printed_where_they_are_known(
    base_url: str, printed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = SimpleNamespace(report=SimpleNamespace(created=0, unchanged=0), refused=[])

    def load(*_arguments: Any) -> Any:
        return nothing

    monkeypatch.setattr(demo, "operations", Accounts)
    monkeypatch.setattr(sample_loader, "load", load)
    environment = {
        "SPONSORGRAPH_HOME": str(tmp_path),
        "SPONSORGRAPH_AUTH_GRPC": "auth:8102",
        "SPONSORGRAPH_CATALOG_GRPC": "catalog:8101",
        "SPONSORGRAPH_BASE_URL": base_url,
    }
    result = CliRunner().invoke(cli, ["demo"], env=environment)
    assert result.exit_code == 0, result.output
    labels = [line.partition(":")[0] + ":" for line in result.stdout.splitlines()]
    assert [label for label in labels if label in ("MCP URL:", "Site:")] == printed
    assert ("SPONSORGRAPH_BASE_URL" in result.stderr) == (not printed)
    assert "mcp_new" in result.stdout
