"""`status`, `doctor` and `import` where the environment names services elsewhere, as in compose."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

import catalog_service
from catalog_service import app as catalog
from catalog_service.settings import CatalogSettings
from cli.app import cli
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration.command import migrate

TOKEN = "t" * 40
NOWHERE = "127.0.0.1:9"


def call(environment: Mapping[str, str], *command: str) -> Result:
    return CliRunner().invoke(cli, command, env={"COLUMNS": "200", **environment})


@contextmanager
def gateway(status: int, body: bytes) -> Generator[str]:
    """A gateway's `/readyz`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Stay silent."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"SPONSORGRAPH_HOME": str(tmp_path / "home"), "SPONSORGRAPH_GRPC_TOKEN": TOKEN}


async def test_status_names_each_service_and_the_parts_that_are_down(
    home: dict[str, str], fresh_database: Callable[[], str]
) -> None:
    settings = CatalogSettings(
        database_url=fresh_database(),
        cursor_secret=SecretStr("a secret of the tests"),
        grpc_port=0,
        grpc_token=SecretStr(TOKEN),
    )
    migrate(settings.database_url, catalog_service.MIGRATIONS)
    ready = b'{"status": "ready", "parts": {"valkey": "ok"}}'
    ill = b'{"status": "not ready", "parts": {"valkey": "ok", "auth": "down"}}'
    async with catalog.serve(settings) as port:
        with gateway(200, ready) as address:
            named = {
                **home,
                "SPONSORGRAPH_CATALOG_GRPC": f"127.0.0.1:{port}",
                "SPONSORGRAPH_GATEWAY": address,
            }
            result = await asyncio.to_thread(call, named, "status")
            assert result.exit_code == 0, result.output
            assert result.output.count("works") == 2
            assert "ready" in result.output
        with gateway(503, ill) as address:
            named |= {"SPONSORGRAPH_GATEWAY": address, "SPONSORGRAPH_AUTH_GRPC": NOWHERE}
            result = await asyncio.to_thread(call, named, "status")
        assert result.exit_code == 1
        assert result.output.count("does not work") == 2
        assert "not ready (auth: down)" in result.output
        refused = (
            b'{"status": "degraded", "parts": {"valkey": "down"}, '
            b'"reasons": {"valkey": "Valkey refuses the credentials."}}'
        )
        with gateway(200, refused) as address:
            named |= {"SPONSORGRAPH_GATEWAY": address}
            result = await asyncio.to_thread(call, named, "status")
        assert "degraded (valkey: Valkey refuses the credentials.)" in result.output


def test_doctor_looks_at_databases_and_backups_elsewhere(
    home: dict[str, str], fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    urls = {name: fresh_database() for name in SERVICES}
    for name, url in urls.items():
        migrate(url, migrations_of(name))
    folder = tmp_path / "backups"
    folder.mkdir()
    backup = folder / "sponsorgraph-a.tar"
    backup.touch()
    with gateway(200, b'{"status": "ready", "parts": {}}') as address:
        named = {
            **home,
            "SPONSORGRAPH_GATEWAY": address,
            "SPONSORGRAPH_BACKUP_FOLDER": str(folder),
            "CATALOG_DATABASE_URL": urls["catalog"],
            "AUTH_DATABASE_URL": urls["auth"],
            "IMPORT_DATABASE_URL": urls["imports"],
        }
        result = call(named, "doctor")
        assert result.exit_code == 0, result.output
        assert "make run" not in result.output
        named["AUTH_DATABASE_URL"] = fresh_database()
        then = time.time() - 27 * 3600
        os.utime(backup, (then, then))
        result = call(named, "doctor")
    assert result.exit_code == 1
    problems = [line for line in result.output.splitlines() if line.startswith("problem")]
    assert [line.split()[1:3] for line in problems] == [["database", "auth"], ["newest", "backup"]]


def test_import_speaks_to_the_import_worker_that_is_named(home: dict[str, str]) -> None:
    result = call({**home, "SPONSORGRAPH_IMPORTS_GRPC": NOWHERE}, "import", "@lakeside")
    assert result.exit_code == 1
    assert "make run" not in result.output
    assert "does not answer now" in result.output
