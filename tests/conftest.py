"""Real engines for tests: one Postgres and one Valkey a test process, a new database a test."""

import shutil
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import settings

from devstack.engines import Postgres, Valkey
from devstack.ports import free_port
from tests import poolers, quick_clients
from tests.databases import Databases

# How long an example takes says more about the machine than about the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

quick_clients.install()

# A shell that runs the tests in the background has them ignore SIGINT, and what they start inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_WITH_STACKS = ("e2e", "attack", "frameworks")
_STACK_SECONDS = 300

_FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "log_min_messages": "panic",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave time for the start of a stack, which is part of its first test, on a busy machine too."""
    folders = {Path(__file__).parent / name for name in _WITH_STACKS}
    for item in items:
        if folders & {*item.path.parents} and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_STACK_SECONDS))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    """A throw-away Postgres server."""
    folder: Path = tmp_path_factory.mktemp("postgres")
    server = Postgres(folder / "data", free_port(), "test", _FAST, folder / "log")
    server.start()
    try:
        with poolers.before_tests(server):
            yield server
    finally:
        server.stop()
        shutil.rmtree(server.data)  # hundreds of databases; the log stays


@pytest.fixture(scope="session")
def postgres_url(postgres: Postgres) -> str:
    """The URL of the server's own database, as its superuser."""
    return postgres.url()


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Databases:
    """New databases on the server, empty ones or with a service's newest tables."""
    return Databases(postgres)


@pytest.fixture(scope="session")
def fresh_database(databases: Databases) -> Callable[[], str]:
    """Makes a new empty database each time it is called and returns its URL."""
    return databases.empty


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
