"""The nightly backup of Kubernetes, as its manifest has it, on the engines' images; and its restore."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis
import yaml

from cli.backups import manifest_of
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration.command import migrate
from tests.containers.deployment import REPOSITORY

IMAGE: Final = "sponsorgraph-test/cli:backup"
MANIFESTS: Final = REPOSITORY / "deploy" / "kubernetes" / "base"
OWNERS: Final = {"CATALOG": "catalog", "AUTH": "auth", "IMPORT": "imports"}
STREAM: Final = "sponsorgraph:{quota}:usage"
DAY: Final = 86_400
_opening: Any = redis.Redis


def is_left_out(variable: dict[str, Any], secrets: dict[str, str]) -> bool:
    """Return whether a variable is of an optional key that the Secret does not have, as Kubernetes leaves it out."""
    reference = variable.get("valueFrom", {}).get("secretKeyRef", {})
    return bool(reference.get("optional")) and variable["name"] not in secrets


@dataclass(frozen=True)
class Installation:
    """Engines on a network of their own, with a database for each service, whose role owns no more."""

    network: str
    outside: dict[str, str]
    """URLs by database from this machine; those of `inside` hold in containers."""
    inside: dict[str, str]
    valkey_outside: str
    valkey_inside: str
    volume: Path

    def add_account(self, name: str) -> None:
        with psycopg.connect(self.outside["auth"]) as connection:
            connection.execute(
                "INSERT INTO accounts (id, email, plan_id, created_at) VALUES (%s, %s, 'free', now())",
                (name, f"{name}@example.com"),
            )

    def accounts(self) -> list[str]:
        with psycopg.connect(self.outside["auth"]) as connection:
            return [row[0] for row in connection.execute("SELECT id FROM accounts ORDER BY id")]

    def record(self, entry: str) -> None:
        with _opening.from_url(self.valkey_outside) as valkey:
            valkey.xadd(STREAM, {"entry_id": entry, "cost": "1"})

    def waiting(self) -> list[str]:
        with _opening.from_url(self.valkey_outside) as valkey:
            return [fields[b"entry_id"].decode() for _, fields in valkey.xrange(STREAM)]

    def run(
        self, command: list[str], job: str = "backup", **others: str
    ) -> subprocess.CompletedProcess[str]:
        """A command in the container of a CronJob, bounded as that one is; `others` are variables of its Secret."""
        pod = pod_of_the_cron_job(job)
        (container,) = pod["containers"]
        (mount,) = container["volumeMounts"]
        user = pod["securityContext"]
        secrets = {
            **{f"{prefix}_DATABASE_URL": self.inside[name] for prefix, name in OWNERS.items()},
            "AUTH_VALKEY_URL": self.valkey_inside,
        }
        environment = {
            item["name"]: item.get("value") or secrets[item["name"]]
            for item in container["env"]
            if not is_left_out(item, secrets)
        } | others
        docker = [
            "docker", "run", "--rm", "--read-only", "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            f"--user={user['runAsUser']}:{user['runAsGroup']}",
            f"--memory={container['resources']['limits']['memory'].removesuffix('i')}",
            f"--network={self.network}", f"--volume={self.volume}:{mount['mountPath']}",
            *(f"--env={name}={value}" for name, value in environment.items()),
            f"--entrypoint={command[0]}",
        ]  # fmt: skip
        return subprocess.run(
            [*docker, IMAGE, *command[1:]],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def files(self) -> set[Path]:
        """The files in the volume, other than the lock of the job."""
        return set(self.volume.iterdir()) - {self.volume / ".lock"}

    def back_up(self, **others: str) -> subprocess.CompletedProcess[str]:
        """The command of the CronJob."""
        (container,) = pod_of_the_cron_job("backup")["containers"]
        return self.run(container["command"], **others)

    def check(self, **others: str) -> subprocess.CompletedProcess[str]:
        """The command of the CronJob that checks the newest backup."""
        (container,) = pod_of_the_cron_job("backup-check")["containers"]
        return self.run(container["command"], "backup-check", **others)

    def recorded(self, key: str) -> float:
        with _opening.from_url(self.valkey_outside) as valkey:
            return float(valkey.get(key) or 0)


def pod_of_the_cron_job(name: str) -> dict[str, Any]:
    documents = yaml.safe_load_all((MANIFESTS / f"{name}.yaml").read_text())
    (job,) = (document for document in documents if document["kind"] == "CronJob")
    return job["spec"]["jobTemplate"]["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def image() -> None:
    build = ["docker", "build", "--quiet", "--target=cli", "--build-arg=VERSION=test", "-t", IMAGE]
    subprocess.run([*build, "."], cwd=REPOSITORY, check=True, capture_output=True, timeout=420)


@pytest.fixture
def installation(image: None, tmp_path: Path) -> Generator[Installation]:
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415
    from testcontainers.community.valkey import ValkeyContainer  # noqa: PLC0415
    from testcontainers.core.network import Network  # noqa: PLC0415

    volume = tmp_path / "backups"
    volume.mkdir()
    volume.chmod(0o777)  # a volume with the pod's fsGroup
    with ExitStack() as stack:
        network: Any = stack.enter_context(Network())
        engine: Any = PostgresContainer("postgres:18", driver=None)
        engine.with_network(network).with_network_aliases("postgres")
        stack.enter_context(engine)
        valkey: Any = ValkeyContainer("valkey/valkey:9").with_password("of-tests")
        valkey.with_network(network).with_network_aliases("valkey")
        stack.enter_context(valkey)
        server: str = engine.get_connection_url()
        address = server.rpartition("@")[2].partition("/")[0]
        with psycopg.connect(server, autocommit=True) as connection:
            for name in SERVICES:
                connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'of-tests'".encode())
                connection.execute(f"CREATE DATABASE {name} OWNER {name}".encode())
        outside = {name: f"postgresql://{name}:of-tests@{address}/{name}" for name in SERVICES}
        for name, url in outside.items():
            migrate(url, migrations_of(name))
        host, port = valkey.get_container_host_ip(), valkey.get_exposed_port()
        yield Installation(
            network.name,
            outside,
            {name: f"postgresql://{name}:of-tests@postgres:5432/{name}" for name in SERVICES},
            f"redis://:of-tests@{host}:{port}/0",
            "redis://:of-tests@valkey:6379/0",
            volume,
        )


def test_the_nightly_backup_is_whole_after_a_restore(
    installation: Installation,
) -> None:
    installation.add_account("before")
    installation.record("waits")
    made = installation.back_up()
    assert made.returncode == 0, made.stderr
    (file,) = installation.files()
    assert file.name.startswith("sponsorgraph-20")
    assert file.stat().st_mode & 0o777 == 0o600
    manifest = manifest_of(file)
    assert set(manifest.databases) == set(SERVICES)
    assert manifest.usage_stream is not None

    installation.add_account("later")
    installation.record("comes later")
    restore = ["sponsorgraph", "restore", f"/backups/{file.name}"]
    refused = installation.run(restore)
    assert "not empty" in " ".join(refused.stderr.split())
    assert installation.accounts() == ["before", "later"]
    restored = installation.run([*restore, "--force"])
    assert restored.returncode == 0, restored.stderr
    assert installation.accounts() == ["before"]
    assert installation.waiting() == ["waits"]
    assert installation.files() == {file}, "what was unpacked is still there"


def test_old_backups_and_what_a_killed_run_left_go_and_only_after_a_new_one(
    installation: Installation,
) -> None:
    def aged(name: str, days: float) -> Path:
        path = installation.volume / name
        path.touch()
        then = time.time() - days * DAY
        os.utime(path, (then, then))
        return path

    old, young = aged("sponsorgraph-old.tar", 14.5), aged("sponsorgraph-young.tar", 13.5)
    foreign, left = aged("notes.txt", 100), aged(".sponsorgraph-old.tar-x", 2)
    at_work = aged(".sponsorgraph-new.tar-x", 0.1)
    with psycopg.connect(installation.outside["catalog"], autocommit=True) as connection:
        connection.execute("ALTER TABLE alembic_version RENAME TO taken_away")
    failed = installation.back_up()
    assert failed.returncode != 0
    assert "never migrated" in " ".join(failed.stderr.split())
    assert installation.files() == {old, young, foreign, at_work}
    with psycopg.connect(installation.outside["catalog"], autocommit=True) as connection:
        connection.execute("ALTER TABLE taken_away RENAME TO alembic_version")
    assert installation.back_up().returncode == 0
    assert not left.exists()
    files = installation.files()
    assert files > {young, foreign, at_work}
    assert old not in files
    assert len(files) == 4


def test_an_encrypted_backup_is_checked_by_the_job_on_a_server_of_its_own(
    installation: Installation,
) -> None:
    installation.add_account("checked")
    generated = installation.run(["sponsorgraph", "backup", "generate-key"])
    assert generated.returncode == 0, generated.stderr
    keys = {"BACKUP_IDENTITIES": generated.stdout}
    made = installation.back_up(**keys)
    assert made.returncode == 0, made.stderr
    (file,) = installation.files()
    assert file.name.endswith(".tar.age")
    assert b"PGDMP" not in file.read_bytes()

    checked = installation.check(**keys)
    assert checked.returncode == 0, checked.stderr
    assert "is good" in " ".join(checked.stdout.split())
    passed = installation.recorded("sponsorgraph:last_backup_check")
    assert passed > 0
    again = installation.check(**keys)
    assert again.returncode == 0, again.stderr
    assert "days ago" in again.stdout
    assert installation.recorded("sponsorgraph:last_backup_check") == passed
    assert installation.files() == {file}, "what was restored for the check is still there"

    without = installation.run(["sponsorgraph", "restore", f"/backups/{file.name}", "--force"])
    assert without.returncode == 1
    assert "BACKUP_IDENTITIES" in without.stderr
    assert installation.accounts() == ["checked"]
