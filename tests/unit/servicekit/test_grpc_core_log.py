"""gRPC's core writes to standard error by itself; what it would say there is no line of a log in JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from devstack import certificates

_SERVER: Final = """
import asyncio, socket, sys
from pathlib import Path
from servicekit.observability import logs
import grpc
from servicekit.settings import ServiceSettings

async def main(folder):
    key, chain, authority = ((folder / name).read_bytes() for name in ("tls.key", "tls.crt", "ca.crt"))
    server = grpc.aio.server()
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, chain)], authority, True))
    await server.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\\r\\n\\r\\n")
    await reader.read()
    writer.close()
    await server.stop(0)
    logs.get("test").info("ended")

logs.configure("test", ServiceSettings(grpc_token="t" * 40))
asyncio.run(main(Path(sys.argv[1])))
"""


def _lines(folder: Path, **environment: str) -> list[str]:
    certificates.make(folder)
    done = subprocess.run(
        [sys.executable, "-c", _SERVER, folder / "auth"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stderr.splitlines()


def test_a_handshake_that_fails_leaves_no_line_that_is_no_json(tmp_path: Path) -> None:
    lines = _lines(tmp_path)
    assert [json.loads(line)["event"] for line in lines] == ["ended"]


def test_an_operator_may_have_the_lines_of_the_core(tmp_path: Path) -> None:
    lines = _lines(tmp_path, GRPC_VERBOSITY="INFO")
    assert any("Handshake failed" in line for line in lines)


@pytest.mark.parametrize("service", ["auth_service", "catalog_service", "gateway", "import_worker"])
def test_each_service_says_so_before_the_core_is_imported(service: str) -> None:
    script = (
        f"import sys, os, {service}.__main__\n"
        "assert os.environ['GRPC_VERBOSITY'] == 'NONE'\n"
        "assert 'grpc._cython.cygrpc' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
