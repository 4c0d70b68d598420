"""compose.point-in-time.yaml beside compose.yaml: Postgres stays what it is, and what is mounted is there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = ROOT / "deploy" / "compose"
STACK: Final[dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())
ADDED: Final[dict[str, Any]] = yaml.safe_load((FOLDER / "compose.point-in-time.yaml").read_text())
SERVICES: Final[dict[str, dict[str, Any]]] = ADDED["services"]


def test_postgres_has_the_command_of_compose_and_two_settings_more() -> None:
    before = STACK["services"]["postgres"]["command"]
    after = SERVICES["postgres"]["command"]
    assert after[: len(before)] == before
    names = [item.partition("=")[0] for item in after[len(before) :] if item != "-c"]
    assert names == ["hba_file", "max_slot_wal_keep_size"]


def test_restores_run_on_the_image_of_postgres() -> None:
    for name in ("archive-role", "archive-recover"):
        assert SERVICES[name]["image"] == STACK["services"]["postgres"]["image"]
        assert SERVICES[name]["user"] == "postgres"


def test_paths_have_the_major_of_the_image() -> None:
    major = STACK["services"]["postgres"]["image"].partition(":")[2]
    folder = FOLDER / "point-in-time"
    for name in ("archive", "recover", "pg_hba.conf"):
        assert f"/var/lib/postgresql/{major}/" in (folder / name).read_text(), name


@pytest.mark.parametrize("service", sorted(set(SERVICES) - {"postgres"}))
def test_what_is_added_is_hardened_as_the_others_are(service: str) -> None:
    hardened = STACK["x-hardened"]
    for name in ("read_only", "tmpfs", "cap_drop", "security_opt", "pids_limit", "logging"):
        assert SERVICES[service][name] == hardened[name], name
    assert SERVICES[service]["networks"] == ["internal"]


def test_mounts_and_secrets_are_there() -> None:
    script = (FOLDER / "make-secrets").read_text()
    for name, service in SERVICES.items():
        for volume in service["volumes"]:
            source = volume.rpartition("}")[0] or volume.partition(":")[0]
            if source.startswith("./"):
                assert (ROOT / source).exists(), name
        for secret in service.get("secrets", ()):
            assert secret in {*STACK["secrets"], *ADDED["secrets"]}
            assert secret in script


@pytest.mark.parametrize(
    "name",
    [
        "restore-to",
        *(f"point-in-time/{item}" for item in ("archive", "archived-wal", "recover", "role")),
    ],
)
def test_scripts_are_plain_shell(name: str) -> None:
    path = FOLDER / name
    assert path.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", path], check=True)  # noqa: S607 - from the PATH


def test_wal_is_found_packed_plain_and_unfinished(tmp_path: Path) -> None:
    script = (FOLDER / "point-in-time" / "archived-wal").read_text()
    copy = tmp_path / "archived-wal"
    copy.write_text(script.replace("/archive/sponsorgraph", str(tmp_path)))
    segments = tmp_path / "wals" / "0000000100000000"
    segments.mkdir(parents=True)
    (tmp_path / "streaming").mkdir()
    packed = segments / "000000010000000000000001"
    packed.write_bytes(b"first")
    subprocess.run(["gzip", packed], check=True)  # noqa: S607 - from the PATH
    packed.with_suffix(".gz").rename(packed)
    (tmp_path / "wals" / "00000002.history").write_bytes(b"history")
    (tmp_path / "streaming" / "000000010000000000000002").write_bytes(b"second")
    (tmp_path / "streaming" / "000000010000000000000003.partial").write_bytes(b"third")
    for name, content in (
        ("000000010000000000000001", b"first"),
        ("00000002.history", b"history"),
        ("000000010000000000000002", b"second"),
        ("000000010000000000000003", b"third"),
        ("000000010000000000000004", None),
    ):
        target = tmp_path / "target"
        target.unlink(missing_ok=True)
        done = subprocess.run(["sh", copy, name, target], check=False)  # noqa: S607 - from the PATH
        assert (done.returncode, target.exists()) == (int(content is None), content is not None)
        assert content is None or target.read_bytes() == content


def run_archive(folder: Path, password: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the archive's script up to its command, which does nothing."""
    text = (FOLDER / "point-in-time" / "archive").read_text()
    (folder / "archive_password").write_text(password)
    copy = folder / "archive"
    copy.write_text(text.replace("/tmp/", f"{folder}/").replace("/run/secrets", str(folder)))  # noqa: S108 - in the script
    return subprocess.run(
        ["sh", copy, "true"],  # noqa: S607 - from the PATH
        env={**os.environ, **settings},
        check=False,
        capture_output=True,
        text=True,
    )


def test_a_password_with_signs_of_its_own_is_read_by_the_archive(tmp_path: Path) -> None:
    assert run_archive(tmp_path, "a:b\\c'd\n").returncode == 0
    assert (tmp_path / ".pgpass").read_text() == "*:*:*:archive:a\\:b\\\\c'd\n"


@pytest.mark.parametrize("name", ["ARCHIVE_DAYS", "ARCHIVE_BASE_DAYS"])
@pytest.mark.parametrize("value", ["abc", "0", "-1", "7; x"])
def test_days_that_are_none_are_refused(tmp_path: Path, name: str, value: str) -> None:
    done = run_archive(tmp_path, "x", **{name: value})
    assert done.returncode == 78
    assert f"not {value}." in done.stderr


def test_a_password_with_signs_of_its_own_is_given_to_the_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What psql is given is held against what it runs for it: the file is read by psql itself, and needs no quotes."""
    text = (FOLDER / "point-in-time" / "role").read_text()
    (tmp_path / "psql").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "psql").chmod(0o700)
    for name in ("postgres_password", "archive_password"):
        (tmp_path / name).write_text("it's \\ $HOME")
    (tmp_path / "role").write_text(text.replace("/run/secrets", str(tmp_path)))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = subprocess.run(
        ["sh", tmp_path / "role"],  # noqa: S607 - from the PATH
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[0] == f"\\set password `cat {tmp_path}/archive_password`"
