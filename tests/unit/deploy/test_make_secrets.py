"""The script that makes compose's secrets: what is there already stays, and what is missing fits it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

SCRIPT: Final = Path(__file__).parents[3] / "deploy" / "compose" / "make-secrets"
ELSEWHERE: Final = "rediss://default:theirs@valkey.example:6380/0\n"


def make(folder: Path, *arguments: str, inside: str = ".") -> subprocess.CompletedProcess[str]:
    """Run the script of a checkout at `folder`, from a folder inside of it."""
    environment = {k: v for k, v in os.environ.items() if k != "SPONSORGRAPH_SECRETS"}
    script = folder / "deploy" / "compose" / "make-secrets"
    script.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(SCRIPT, script)
    return subprocess.run(
        [f"./{os.path.relpath(script, folder / inside)}", *arguments],
        cwd=folder / inside,
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


def test_from_any_folder_the_secrets_are_made_beside_compose_yaml(tmp_path: Path) -> None:
    make(tmp_path)
    shutil.rmtree(tmp_path / "secrets")
    assert make(tmp_path, inside="deploy/compose").returncode == 0
    assert (tmp_path / "secrets" / "grpc_token").is_file()
    assert not (tmp_path / "deploy" / "compose" / "secrets").exists()
    assert make(tmp_path, "mine", inside="deploy").returncode == 0
    assert (tmp_path / "deploy" / "mine" / "grpc_token").is_file()


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("SPONSORGRAPH_SECRETS=plain", "plain"),
        ("SPONSORGRAPH_SECRETS=x", "x"),
        ("SPONSORGRAPH_SECRETS=./with/two words  # a note", "with/two words"),
        ('SPONSORGRAPH_SECRETS="in quotes"', "in quotes"),
        ("SPONSORGRAPH_SECRETS=one\nSPONSORGRAPH_SECRETS=two", "two"),
        ("SPONSORGRAPH_SECRETS=", "secrets"),
        ("#SPONSORGRAPH_SECRETS=x", "secrets"),
        ("SPONSORGRAPH_SECRETS_NOT=x", "secrets"),
    ],
)
def test_a_plain_path_of_the_env_file_is_read(tmp_path: Path, line: str, folder: str) -> None:
    (tmp_path / ".env").write_text(f"{line}\n")
    assert make(tmp_path).returncode == 0
    assert (tmp_path / folder / "grpc_token").is_file()


@pytest.mark.parametrize(
    "line",
    [
        "SPONSORGRAPH_SECRETS=${HOME}/x",
        "SPONSORGRAPH_SECRETS=x\r",
        "SPONSORGRAPH_SECRETS='my#sec'",
        'SPONSORGRAPH_SECRETS="q # z"',
        "SPONSORGRAPH_SECRETS=a#b",
        'SPONSORGRAPH_SECRETS="x',
        "SPONSORGRAPH_SECRETS=x\\y",
        "export SPONSORGRAPH_SECRETS=x",
        "SPONSORGRAPH_SECRETS = x",
        "SPONSORGRAPH_SECRETS: x",
    ],
)
def test_what_compose_might_read_otherwise_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_bytes(f"{line}\n".encode())
    done = make(tmp_path)
    assert done.returncode == 2
    assert "make-secrets FOLDER" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {".env", "deploy"}
    assert make(tmp_path, "named").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--help"], 0), (["-h"], 0), (["--folder"], 2), (["a", "b"], 2)]
)
def test_options_show_how_it_is_used(tmp_path: Path, arguments: list[str], status: int) -> None:
    done = make(tmp_path, *arguments)
    assert done.returncode == status
    assert "deploy/compose/make-secrets [FOLDER]" in done.stdout + done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"deploy"}
