"""The script that makes compose's secrets: what is there already stays, and what is missing fits it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

SCRIPT: Final = Path(__file__).parents[3] / "deploy" / "compose" / "make-secrets"
ELSEWHERE: Final = "rediss://default:theirs@valkey.example:6380/0\n"


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "SPONSORGRAPH_SECRETS"}
    return subprocess.run(
        [SCRIPT, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    assert make(tmp_path).returncode == 0
    before = texts(tmp_path / "secrets")
    assert make(tmp_path).stdout == ""
    assert texts(tmp_path / "secrets") == before


def test_the_url_of_a_valkey_elsewhere_stays_as_it_is(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "valkey_url").write_text(ELSEWHERE)
    assert make(tmp_path).returncode == 0
    assert (secrets / "valkey_url").read_text() == ELSEWHERE
    assert (secrets / "valkey_conf").read_text().startswith("requirepass ")
    assert "theirs" not in (secrets / "valkey_conf").read_text()


def test_what_is_missing_of_valkeys_two_files_gets_the_password_of_the_other(
    tmp_path: Path,
) -> None:
    assert make(tmp_path).returncode == 0
    secrets = tmp_path / "secrets"
    before = texts(secrets)
    for name in ("valkey_conf", "valkey_url"):
        (secrets / name).unlink()
        assert make(tmp_path).returncode == 0
        assert texts(secrets) == before


def test_the_folder_is_the_one_that_compose_reads_from_its_env_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=b\nSPONSORGRAPH_SECRETS='./elsewhere/of mine' # a note\n")
    assert make(tmp_path).returncode == 0
    assert (tmp_path / "elsewhere" / "of mine" / "grpc_token").is_file()
    assert not (tmp_path / "secrets").exists()
    assert make(tmp_path, "given").returncode == 0
    assert (tmp_path / "given" / "grpc_token").is_file()
