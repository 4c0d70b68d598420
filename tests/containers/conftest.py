"""A container engine, where one answers."""

import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.containers.deployment import Deployment

HERE = Path(__file__).parent


def _missing_programs() -> str:
    if shutil.which("docker") is None:
        return "docker is not installed"
    process = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"],  # noqa: S607 - from the PATH
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return "" if process.returncode == 0 else "no container engine answers"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what needs containers where there are none."""
    ours = [item for item in items if HERE in item.path.parents]
    if not ours:
        return
    missing = _missing_programs()
    for item in ours:
        item.add_marker(pytest.mark.timeout(480))
        if missing:
            item.add_marker(pytest.mark.skip(reason=missing))


@pytest.fixture(scope="session")
def postgres_image() -> Generator[Callable[[], str]]:
    """Makes an empty database on the public image each time it is called and returns its URL."""
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415

    made = 0
    with PostgresContainer("postgres:18", driver=None) as container:
        url = container.get_connection_url()

        def make() -> str:
            nonlocal made
            made += 1
            name = f"test_{made}"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            return f"{url.rpartition('/')[0]}/{name}"

        yield make


@pytest.fixture(scope="session")
def valkey_image() -> Generator[str]:
    """The URL of the public image with a password."""
    from testcontainers.community.valkey import ValkeyContainer  # noqa: PLC0415

    container: Any = ValkeyContainer("valkey/valkey:9").with_password("of-tests")
    with container:
        host, port = container.get_container_host_ip(), container.get_exposed_port()
        yield f"redis://:of-tests@{host}:{port}/0"


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    """compose.yaml with everything healthy and the demo loaded; gone at the end."""
    running = Deployment.new(tmp_path_factory.mktemp("deployment"))
    try:
        running.install()
        yield running
    finally:
        running.remove()
