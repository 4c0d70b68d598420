"""The databases go to the next major version of Postgres by a backup."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from cli.backups import manifest_of
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration.command import migrate
from tests.containers.deployment import PAGE, Deployment
from tests.containers.page import blocks
from tests.containers.test_backup import Installation, image

__all__ = ["image"]

_SECTION: Final = "The next major version of Postgres"
# No major after that of compose.yaml is at hand: the same image, with the folder that a later one would have.
_LATER: Final = "FROM postgres:18\nENV PGDATA=/var/lib/postgresql/19/docker\n"


def test_the_next_major_by_the_pages_own_commands(deployment: Deployment) -> None:
    save, start, remove = blocks(PAGE, _SECTION)
    file = deployment.checkout / "compose.yaml"
    before = file.read_text()
    later = f"{deployment.project}-postgres:later"
    deployment.page(save)
    subprocess.run(
        ["docker", "build", "--quiet", "-t", later, "-"],  # noqa: S607 - from the PATH
        input=_LATER.encode(),
        check=True,
        capture_output=True,
    )
    try:
        file.write_text(before.replace("image: postgres:18", f"image: {later}"))
        deployment.page(start)
        assert _data_folder(deployment) == "/var/lib/postgresql/19/docker"
        assert deployment.call_tool("sponsor.search", {"search": "nordvpm"}).status_code == 200
    finally:
        file.write_text(before)
        deployment.up()
    # Back on the version before, as it was when its services were stopped.
    assert _data_folder(deployment) == "/var/lib/postgresql/18/docker"
    assert deployment.call_tool("sponsor.search", {"search": "nordvpm"}).status_code == 200
    deployment.page(remove.replace("postgresql/18", "postgresql/19"))
    deployment.run("docker", "rmi", later)


def _data_folder(deployment: Deployment) -> str:
    (postgres,) = deployment.containers("postgres")
    show = ("psql", "-h", "127.0.0.1", "-U", "postgres", "-Atc", "SHOW data_directory")
    return deployment.inside(postgres, *show).stdout.strip()


@pytest.fixture
def majors(image: None, tmp_path: Path) -> Generator[tuple[Installation, Installation]]:
    """Return a filled installation on Postgres 17, and one on 18 with empty databases; both have one volume of backups."""
    from testcontainers.community.valkey import ValkeyContainer  # noqa: PLC0415
    from testcontainers.core.network import Network  # noqa: PLC0415

    inspect = ["docker", "image", "inspect", "postgres:17"]
    if subprocess.run(inspect, capture_output=True, check=False).returncode:
        pytest.skip("docker pull postgres:17")
    volume = tmp_path / "backups"
    volume.mkdir()
    volume.chmod(0o777)
    with ExitStack() as stack:
        network: Any = stack.enter_context(Network())
        valkey: Any = ValkeyContainer("valkey/valkey:9").with_password("of-tests")
        stack.enter_context(valkey.with_network(network).with_network_aliases("valkey"))
        host, port = valkey.get_container_host_ip(), valkey.get_exposed_port()
        urls = (f"redis://:of-tests@{host}:{port}/0", "redis://:of-tests@valkey:6379/0")
        before, after = (
            Installation(network.name, *_databases(stack, network, major), *urls, volume)
            for major in (17, 18)
        )
        for name, url in before.outside.items():
            migrate(url, migrations_of(name))
        yield before, after


def _databases(stack: ExitStack, network: Any, major: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return the URLs of each service's database on that major, from this machine and from the network."""
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415

    engine: Any = PostgresContainer(f"postgres:{major}", driver=None)
    engine.with_network(network).with_network_aliases(f"postgres-{major}")
    server: str = stack.enter_context(engine).get_connection_url()
    with psycopg.connect(server, autocommit=True) as connection:
        for name in SERVICES:
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'of-tests'".encode())
            connection.execute(f"CREATE DATABASE {name} OWNER {name}".encode())
    address = server.rpartition("@")[2].partition("/")[0]
    outside, inside = (
        {name: f"postgresql://{name}:of-tests@{host}/{name}" for name in SERVICES}
        for host in (address, f"postgres-{major}:5432")
    )
    return outside, inside


def test_a_backup_of_one_major_is_restored_by_the_next(
    majors: tuple[Installation, Installation],
) -> None:
    before, after = majors
    before.add_account("before")
    made = before.back_up()
    assert made.returncode == 0, made.stderr
    (file,) = before.files()
    versions = {part.server_version for part in manifest_of(file).databases.values()}
    assert {version.partition(".")[0] for version in versions} == {"17"}
    restored = after.run(["sponsorgraph", "restore", f"/backups/{file.name}"])
    assert restored.returncode == 0, restored.stderr
    assert after.accounts() == ["before"]
    with psycopg.connect(after.outside["auth"]) as connection:
        assert connection.info.server_version // 10_000 == 18
