"""Compose with Postgres and Valkey elsewhere: reached from the network that leads out, and not started here."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from tests.containers.deployment import OURS, Deployment

FILES: Final = (
    "compose.yaml",
    "deploy/compose/compose.outbound.yaml",
    "deploy/compose/compose.external.yaml",
)
_ROLES: Final = "CREATE ROLE {0} LOGIN PASSWORD 'of-tests'; "
_DATABASE: Final = "CREATE DATABASE {0} OWNER {0}"


@pytest.fixture(scope="module")
def external(tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    """Return a deployment whose engines are containers of somebody else on a network outside."""
    running = Deployment.new(tmp_path_factory.mktemp("external"))
    running.files = FILES
    running.must("make", "images", "REGISTRY=sponsorgraph-test", "VERSION=test", seconds=450)
    running.must("deploy/compose/make-secrets")
    engines = (f"{running.project}-pg", f"{running.project}-valkey")
    try:
        running.compose("up", "--no-start", "--no-deps", "gateway")
        network = ("--network", f"{running.project}_outbound")
        running.must(
            "docker", "run", "-d", "--name", engines[0], *network, "--network-alias", "pg.test",
            "-e", "POSTGRES_PASSWORD=of-tests", "postgres:18",
        )  # fmt: skip
        running.must(
            "docker", "run", "-d", "--name", engines[1], *network, "--network-alias", "valkey.test",
            "valkey/valkey:9", "valkey-server", "--requirepass", "of-tests", "--protected-mode", "no",
        )  # fmt: skip
        _make_databases(running, engines[0])
        _name_engines(running.folder / "secrets")
        running.up()
        yield running
    finally:
        running.run("docker", "rm", "-f", "-v", *engines)
        running.remove()


def _make_databases(running: Deployment, postgres: str) -> None:
    ready = "until pg_isready -q -h 127.0.0.1 -U postgres; do sleep 0.5; done"
    running.must("docker", "exec", postgres, "timeout", "60", "sh", "-c", ready)
    for name in ("catalog", "auth", "imports"):
        for statement in (_ROLES, _DATABASE):
            psql = ("psql", "-U", "postgres", "-c", statement.format(name))
            running.must("docker", "exec", "-u", "postgres", postgres, *psql)


def _name_engines(folder: Path) -> None:
    texts = {
        f"{name}_database_url": f"postgresql://{name}:of-tests@pg.test:5432/{name}"
        for name in ("catalog", "auth", "imports")
    }
    texts["valkey_url"] = "redis://:of-tests@valkey.test:6379/0"
    for name, text in texts.items():
        file = folder / name
        file.chmod(0o644)
        file.write_text(f"{text}\n")


def test_all_is_healthy_with_engines_elsewhere(external: Deployment) -> None:
    for service in (*OURS, "edge", "backup"):
        (container,) = external.containers(service)
        assert external.inspect(container)["State"]["Health"]["Status"] == "healthy", service
    assert external.containers("postgres") == external.containers("valkey") == []
    with external.client() as client:
        parts = client.get("/readyz").json()["parts"]
    assert set(parts.values()) == {"ok"}


def test_the_command_and_backups_reach_them(external: Deployment) -> None:
    external.compose("run", "--rm", "cli", "account", "create", "ada@example.com")
    made = external.compose("run", "--rm", "cli", "backup")
    assert "sponsorgraph-" in made
    assert "database auth" in external.compose("run", "--rm", "cli", "doctor")
