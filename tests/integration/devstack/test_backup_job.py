"""The script of Kubernetes' backup job, as its manifest has it, run by sh on real engines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis
import redis.asyncio
import yaml
from prometheus_client import Gauge

from auth_service.storage import backup_age
from cli.backups import manifest_of
from devstack.engines import Postgres, Valkey
from devstack.ports import free_port
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration.command import migrate

ROOT: Final = Path(__file__).parents[3]
MANIFEST: Final = ROOT / "deploy" / "kubernetes" / "base" / "backup.yaml"
VARIABLES: Final = {"catalog": "CATALOG", "auth": "AUTH", "imports": "IMPORT"}
_WAITING: Final = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_dump'"
_opening: Any = redis.Redis
_opening_async: Any = redis.asyncio.Redis


@dataclass(frozen=True)
class Job:
    """The job's container on this machine: its script, with another folder in the place of its volume."""

    postgres: Postgres
    valkey: Valkey
    volume: Path
    wait: str = "60"
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables of the optional Secret."""

    def start(self) -> subprocess.Popen[str]:
        (job,) = (
            document
            for document in yaml.safe_load_all(MANIFEST.read_text())
            if document["kind"] == "CronJob"
        )
        (container,) = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
        *shell, script = container["command"]
        bounded = script.replace("--wait 300", f"--wait {self.wait}")
        environment = {
            **os.environ,
            **{
                f"{prefix}_DATABASE_URL": self.postgres.url(name)
                for name, prefix in VARIABLES.items()
            },
            "AUTH_VALKEY_URL": self.valkey.url(),
            "TMPDIR": str(self.volume),
            "SPONSORGRAPH_BACKUP_FOLDER": str(self.volume),
            **self.others,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        return subprocess.Popen(
            [*shell, bounded.replace("/backups", str(self.volume))],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self) -> tuple[int, str]:
        """Run to the end; return the exit status and the output."""
        running = self.start()
        output, _ = running.communicate(timeout=100)
        return running.returncode, " ".join(output.split())

    def files(self) -> list[str]:
        """The names in the volume, other than that of the lock."""
        return sorted(entry.name for entry in self.volume.iterdir() if entry.name != ".lock")

    def await_dump(self) -> None:
        """Return once pg_dump is connected."""
        deadline = time.monotonic() + 60
        with psycopg.connect(self.postgres.url(), autocommit=True) as connection:
            while connection.execute(_WAITING).fetchone() == (0,):
                assert time.monotonic() < deadline


def output_until(running: subprocess.Popen[str], text: str) -> str:
    """Read the output until it has the text."""
    assert running.stdout is not None
    read = ""
    while text not in " ".join(read.split()):
        line = running.stdout.readline()
        assert line, read
        read += line
    return " ".join(read.split())


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    folder = tmp_path_factory.mktemp("postgres")
    server = Postgres(folder / "data", free_port(), "of-the-job", {"fsync": "off"}, folder / "log")
    server.start()
    try:
        for name in SERVICES:
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            migrate(server.url(name), migrations_of(name))
        yield server
    finally:
        server.stop()


@pytest.fixture
def job(
    postgres: Postgres, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Job]:
    valkey = Valkey(free_port(), "of-the-job", tmp_path_factory.mktemp("valkey") / "log")
    valkey.start()
    volume = tmp_path / "volume"
    volume.mkdir()
    try:
        yield Job(postgres, valkey, volume)
    finally:
        valkey.stop()


def last_backup(job: Job) -> float:
    with _opening.from_url(job.valkey.url()) as valkey:
        return float(valkey.get(backup_age.KEY) or 0)


def test_a_set_is_made_and_its_time_is_recorded(job: Job) -> None:
    before = time.time()
    status, output = job.run()
    assert status == 0, output
    (name,) = job.files()
    assert set(manifest_of(job.volume / name).databases) == set(SERVICES)
    assert before <= last_backup(job) <= time.time()


def test_a_copy_that_fails_fails_the_job_and_leaves_the_backup(job: Job) -> None:
    storage = {
        "BACKUP_S3_BUCKET": "backups-of-tests",
        "BACKUP_S3_ENDPOINT": f"http://127.0.0.1:{free_port()}",
        "BACKUP_S3_ACCESS_KEY_ID": "of-tests",
        "BACKUP_S3_SECRET_ACCESS_KEY": "secret-of-tests",
        "BACKUP_S3_UNENCRYPTED": "true",
        "BACKUP_S3_RETRY_SECONDS": "0.5",
    }
    status, output = replace(job, others=storage).run()
    assert status == 1
    assert "could not upload" in output
    assert "secret-of-tests" not in output
    (name,) = job.files()
    assert set(manifest_of(job.volume / name).databases) == set(SERVICES)
    assert last_backup(job) == 0, "it counts once its copy is there"


def test_databases_that_are_not_there_yet_are_waited_for(job: Job) -> None:
    job.postgres.stop()
    running = job.start()
    try:
        output_until(running, "catalog does not respond yet")
    finally:
        job.postgres.start()
    output, _ = running.communicate(timeout=100)
    assert running.returncode == 0, output
    assert len(job.files()) == 1


def test_a_valkey_that_is_not_there_yet_is_waited_for(job: Job) -> None:
    job.valkey.stop()
    running = job.start()
    try:
        output_until(running, "Valkey does not respond yet")
    finally:
        job.valkey.start()
    output, _ = running.communicate(timeout=100)
    assert running.returncode == 0, output
    assert last_backup(job) > 0


def test_the_wait_is_bounded_and_a_failed_run_leaves_nothing(job: Job) -> None:
    job.postgres.stop()
    try:
        status, output = Job(job.postgres, job.valkey, job.volume, wait="0.1").run()
    finally:
        job.postgres.start()
    assert status == 1
    assert "catalog did not respond within 0.1 s" in output
    assert "of-the-job" not in output, "the password is shown"
    assert job.files() == []
    assert last_backup(job) == 0


def test_a_run_that_is_ended_in_the_middle_leaves_nothing(job: Job) -> None:
    with psycopg.connect(job.postgres.url("imports")) as connection:
        connection.execute("LOCK TABLE imports IN ACCESS EXCLUSIVE MODE")
        running = job.start()
        job.await_dump()
        assert job.files() != []
        running.send_signal(signal.SIGTERM)  # to the shell alone, as a kubelet does
        output, _ = running.communicate(timeout=30)
    assert running.returncode == 143, output
    assert job.files() == []
    assert last_backup(job) == 0


def test_what_a_killed_run_left_is_gone_after_the_next_one(job: Job) -> None:
    with psycopg.connect(job.postgres.url("imports")) as connection:
        connection.execute("LOCK TABLE imports IN ACCESS EXCLUSIVE MODE")
        running = job.start()
        job.await_dump()
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=30)
    (left,) = job.files()
    assert left.startswith(".sponsorgraph-")
    status, output = job.run()
    assert status == 0, output
    (name,) = job.files()
    assert name.startswith("sponsorgraph-")


def test_two_runs_at_once_do_not_touch_each_other(job: Job) -> None:
    with psycopg.connect(job.postgres.url("imports")) as connection:
        connection.execute("LOCK TABLE imports IN ACCESS EXCLUSIVE MODE")
        first = job.start()
        job.await_dump()
        under_way = job.files()
        status, output = job.run()
        assert status == 1
        assert "Another backup is under way" in output
        assert job.files() == under_way
    output, _ = first.communicate(timeout=100)
    assert first.returncode == 0, output
    assert len(job.files()) == 1


def test_old_backups_go_after_a_new_one_alone(job: Job) -> None:
    old, young = job.volume / "sponsorgraph-old.tar", job.volume / "sponsorgraph-young.tar"
    for path, days in ((old, 14.5), (young, 13.5)):
        path.touch()
        then = time.time() - days * 86_400
        os.utime(path, (then, then))
    with psycopg.connect(job.postgres.url("catalog"), autocommit=True) as connection:
        connection.execute("ALTER TABLE alembic_version RENAME TO taken_away")
    status, _ = job.run()
    assert status == 1
    assert job.files() == [old.name, young.name]
    with psycopg.connect(job.postgres.url("catalog"), autocommit=True) as connection:
        connection.execute("ALTER TABLE taken_away RENAME TO alembic_version")
    status, output = job.run()
    assert status == 0, output
    assert old.name not in job.files()
    assert len(job.files()) == 2


async def test_the_auth_service_shows_the_time_of_the_last_backup(job: Job) -> None:
    async with _opening_async.from_url(job.valkey.url()) as valkey:
        await backup_age.measure_backup(valkey)
        assert shown() == 0
        await valkey.set(backup_age.KEY, "1764000000.5")
        await backup_age.measure_backup(valkey)
        assert shown() == 1764000000.5


async def test_the_auth_service_shows_the_time_at_which_the_archive_was_good(job: Job) -> None:
    async with _opening_async.from_url(job.valkey.url()) as valkey:
        await backup_age.measure_backup(valkey)
        assert shown(backup_age.LAST_ARCHIVE_CHECK) == 0
        await valkey.set(backup_age.ARCHIVE_KEY, "1764000001.5")
        await backup_age.measure_backup(valkey)
        assert shown(backup_age.LAST_ARCHIVE_CHECK) == 1764000001.5
        assert shown() == 0


def shown(gauge: Gauge = backup_age.LAST_BACKUP) -> float:
    (family,) = gauge.collect()
    (sample,) = family.samples
    return sample.value
