"""The script that puts compose's databases back to a moment, with a program in the place of docker."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = Path(__file__).parents[3] / "deploy" / "compose"
MOMENT: Final = "2026-11-23T12:34:56Z"
SWAP: Final = "compose run --rm --no-deps -T archive-restore swap"
DISCARD: Final = "compose run --rm --no-deps -T archive-restore discard"
READ: Final = "compose run --rm --no-deps -T cli backup read-withdrawals"
REPEAT: Final = "compose run --rm --no-deps -T cli backup repeat-withdrawals"
PURGE: Final = "compose exec -T valkey sh -c"
# What is run inside of Valkey's container is run here, beside the program in the place of `valkey-cli`.
_DOCKER: Final = r"""#!/bin/sh
echo "$*" | head -n 1 >> "$LOG"
case "$*" in "compose exec"*) shift 6; sh -c "$(echo "$1" | sed "s#/run/secrets/valkey_conf#$CONF#")" || exit 1 ;; esac
[ -z "$INTERRUPT" ] || case "$*" in *$INTERRUPT*) kill -INT "$PPID" ;; esac
[ -z "$FAIL" ] || case "$*" in *$FAIL*) exit 1 ;; esac
"""
_VALKEY: Final = r"""#!/bin/sh
case "$*" in
  PING) echo "$PONG" ;;
  *--scan*month*) [ -z "$SCAN_FAILS" ] || exit 1; [ -e "$LOG.deleted" ] || printf 'month:a\nmonth:b\n' ;;
  *DEL*) echo "valkey $*" >> "$LOG"; [ -n "$KEEPS" ] || touch "$LOG.deleted" ;;
esac
"""


@dataclass(frozen=True)
class Restore:
    """A folder with the script, and what it ran."""

    folder: Path
    ran: list[str] = field(default_factory=list[str])

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        programs, log = self.folder / "bin", self.folder / "log"
        programs.mkdir()
        for name, text in (("docker", _DOCKER), ("valkey-cli", _VALKEY)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o700)
        (self.folder / "conf").write_text("requirepass secret\n")
        script = self.folder / "deploy" / "compose" / "restore-to"
        script.parent.mkdir(parents=True)
        shutil.copy2(FOLDER / "restore-to", script)
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "LOG": str(log),
            "CONF": str(self.folder / "conf"),
            "PONG": "PONG",
            **dict.fromkeys(("FAIL", "INTERRUPT", "SCAN_FAILS", "KEEPS"), ""),
            **settings,
        }
        done = subprocess.run(
            # A shell that runs the tests in the background has them ignore SIGINT, which is inherited.
            ["/usr/bin/env", "--default-signal=INT", script, *(arguments or (MOMENT,))],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        self.ran.extend(log.read_text().splitlines() if log.exists() else [])
        return done

    def index(self, beginning: str) -> int:
        return next(i for i, line in enumerate(self.ran) if line.startswith(beginning))

    def was_run(self, beginning: str) -> bool:
        return any(line.startswith(beginning) for line in self.ran)


@pytest.fixture
def restore(tmp_path: Path) -> Restore:
    return Restore(tmp_path)


def test_counters_are_forgotten_and_withdrawals_read_before_the_files_are_exchanged(
    restore: Restore,
) -> None:
    done = restore.run()
    assert done.returncode == 0, done.stderr
    assert f"The databases are what they were at {MOMENT}" in done.stdout
    order = (
        f"compose run --rm --no-deps -T archive-restore restore {MOMENT}",
        "compose run --rm --no-deps -T archive-recover",
        "compose stop edge gateway auth",
        READ,
        "compose up -d --no-deps --wait valkey",
        PURGE,
        "compose stop postgres",
        "compose stop archive",
        SWAP,
        "compose up -d --no-deps postgres",
        REPEAT,
    )
    indexes = [restore.index(item) for item in order]
    assert indexes == sorted(indexes)
    assert "valkey -e DEL month:a month:b" in restore.ran
    assert not restore.was_run(DISCARD)
    read, repeated = restore.ran[restore.index(READ)], restore.ran[restore.index(REPEAT)]
    assert read.split()[-1] == repeated.split()[-1]


@pytest.mark.parametrize(
    "settings",
    [
        {"FAIL": "wait valkey"},
        {"PONG": "NOAUTH Authentication required."},
        {"SCAN_FAILS": "1"},
        {"KEEPS": "1"},
        {"FAIL": "read-withdrawals"},
        {"FAIL": "stop postgres"},
        {"INTERRUPT": "wait valkey"},
        {"INTERRUPT": "stop archive"},
    ],
)
def test_what_fails_or_is_interrupted_before_the_exchange_changes_no_database(
    restore: Restore, settings: dict[str, str]
) -> None:
    done = restore.run(**settings)
    assert done.returncode != 0
    assert not restore.was_run(SWAP)
    assert restore.was_run(DISCARD)
    assert "before the databases were changed" in done.stderr
    assert "docker compose up --wait" in done.stderr
    assert "The databases are what they were" not in done.stdout


@pytest.mark.parametrize(
    "settings", [{"FAIL": "archive-recover"}, {"INTERRUPT": "archive-restore restore"}]
)
def test_while_it_recovers_services_go_on_and_the_files_are_deleted_after_a_failure(
    restore: Restore, settings: dict[str, str]
) -> None:
    done = restore.run(**settings)
    assert done.returncode != 0
    assert not restore.was_run("compose stop")
    assert restore.was_run(DISCARD)
    assert "Nothing was changed" in done.stderr


def test_what_is_no_moment_is_left_to_the_archive_to_refuse(restore: Restore) -> None:
    assert restore.run("yesterday", FAIL="archive-restore restore").returncode == 1
    assert restore.was_run("compose run --rm --no-deps -T archive-restore restore yesterday")


@pytest.mark.parametrize("settings", [{"FAIL": " swap"}, {"INTERRUPT": " swap"}])
def test_an_exchange_that_ended_says_how_it_is_completed(
    restore: Restore, settings: dict[str, str]
) -> None:
    done = restore.run(**settings)
    assert done.returncode != 0
    assert not restore.was_run(DISCARD)
    assert f"docker {SWAP}" in done.stderr
    assert f"docker {REPEAT}" in done.stderr


@pytest.mark.parametrize(
    "settings",
    [
        {"FAIL": "no-deps postgres"},
        {"FAIL": "repeat-withdrawals"},
        {"INTERRUPT": "no-deps postgres"},
    ],
)
def test_withdrawals_that_are_not_repeated_are_reported_with_the_command_that_does(
    restore: Restore, settings: dict[str, str]
) -> None:
    done = restore.run(**settings)
    assert done.returncode != 0
    assert "WITHDRAWN SINCE IS BACK" in done.stderr
    file = restore.ran[restore.index(READ)].split()[-1]
    assert f"docker {REPEAT} --wait 60 {file}" in done.stderr
    assert not restore.was_run("compose run --rm --no-deps -T --entrypoint rm")


def test_a_restore_may_undo_deletions_and_says_what_is_back(restore: Restore) -> None:
    done = restore.run("--no-repeat-deletions", MOMENT)
    assert done.returncode == 0
    assert not restore.was_run(READ)
    assert not restore.was_run(REPEAT)
    assert f"What was withdrawn since {MOMENT} is back" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["--no-repeat-deletions"], ["--other", MOMENT], [MOMENT, "x"], ["-"]]
)
def test_wrong_arguments_show_how_it_is_used(restore: Restore, arguments: list[str]) -> None:
    done = restore.run(*arguments)
    assert done.returncode == 2
    assert "deploy/compose/restore-to [--no-repeat-deletions]" in done.stderr
    assert not restore.ran
