"""Real engines for tests: one Postgres and one Valkey a test process, a new database a test."""

import secrets
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from hypothesis import settings

from devstack.engines import Postgres, Valkey
from devstack.ports import free_port

# How long an example takes says more about the machine than about the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

_FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "panic",
}


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    """A throw-away Postgres server."""
    folder: Path = tmp_path_factory.mktemp("postgres")
    server = Postgres(folder / "data", free_port(), "test", _FAST, folder / "log")
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def postgres_url(postgres: Postgres) -> str:
    """The URL of the server's own database, as its superuser."""
    return postgres.url()


@pytest.fixture(scope="session")
def fresh_database(postgres: Postgres) -> Callable[[], str]:
    """Makes a new empty database each time it is called and returns its URL.

    As in a deployment, a role of its own owns it, which may nothing else.
    """

    def make() -> str:
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            role = f"CREATE ROLE {name} LOGIN PASSWORD '{postgres.password}'"
            connection.execute(role.encode())
            connection.execute(f"CREATE DATABASE {name} OWNER {name}".encode())
        return postgres.url(name).replace("//postgres:", f"//{name}:", 1)

    return make


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A throw-away Valkey server."""
    server = Valkey(free_port(), "test", tmp_path_factory.mktemp("valkey") / "log")
    server.start()
    try:
        yield server.url()
    finally:
        server.stop()


@pytest.fixture
def fresh_valkey(valkey_url: str) -> str:
    """The server with nothing in it."""
    opening: Any = redis.Redis
    with opening.from_url(valkey_url) as client:
        client.flushall()
    return valkey_url
