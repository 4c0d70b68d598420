"""The schedule of backups in compose, with programs in the place of `sleep`, `date` and the command."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

SCRIPT: Final = Path(__file__).parents[3] / "deploy" / "compose" / "backup-schedule"
MADE: Final = "backup --no-upload --keep-days 9"
NOON: Final = 1_800_014_400
DAY: Final = 86_400
# `sleep` ends the script once the test has seen enough of it.
_PROGRAMS: Final = {
    "sleep": 'echo "sleep $1" >> "$LOG"; [ "$(grep -c ^sleep "$LOG")" -lt "$ENOUGH" ] || kill -TERM "$PPID"\n',
    "sponsorgraph": 'echo "$*" >> "$LOG"; case "$*" in "backup $FAILING"*) '
    '[ "$(grep -c "^backup $FAILING" "$LOG")" -gt "$FAILURES" ];; esac\n',
    "date": f'case "$2" in +%s) echo {NOON};; *) exec /usr/bin/date -u -d "2027-01-15 $3" $4;; esac\n',
}


@dataclass(frozen=True)
class Schedule:
    """The script in a folder of its own."""

    folder: Path

    def run(
        self,
        *,
        at: str = "02:17",
        enough: int = 1,
        failures: int = 0,
        failing: str = "",
        **others: str,
    ) -> list[str]:
        """Return what it ran, until it has slept `enough` times."""
        programs, log = self.folder / "bin", self.folder / "log"
        programs.mkdir()
        log.touch()
        for name, text in _PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}")
            (programs / name).chmod(0o700)
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "LOG": str(log),
            "ENOUGH": str(enough),
            "FAILURES": str(failures),
            "FAILING": failing,
            "SPONSORGRAPH_BACKUP_FOLDER": str(self.folder),
            "BACKUP_AT": at,
            "BACKUP_DAYS": "9",
            "BACKUP_CHECK_DAYS": "0",
            **others,
        }
        done = subprocess.run(
            [SCRIPT], env=environment, check=False, capture_output=True, timeout=20
        )
        assert done.returncode == 0, done.stderr
        return log.read_text().splitlines()

    def add(self, hours_old: float) -> None:
        path = self.folder / "sponsorgraph-x.tar"
        path.touch()
        then = path.stat().st_mtime - hours_old * 3600
        os.utime(path, (then, then))


@pytest.fixture
def schedule(tmp_path: Path) -> Schedule:
    return Schedule(tmp_path)


def seconds_from_noon(hour: int, minute: int) -> int:
    return ((hour - 12) * 3600 + minute * 60) % DAY


def test_without_a_recent_backup_one_is_made_at_once(schedule: Schedule) -> None:
    schedule.add(hours_old=25)
    assert schedule.run() == [MADE, f"sleep {seconds_from_noon(2, 17)}"]


def test_with_a_recent_backup_the_next_is_made_at_its_time(schedule: Schedule) -> None:
    schedule.add(hours_old=23)
    assert schedule.run(at="13:30", enough=2) == [
        f"sleep {seconds_from_noon(13, 30)}",
        MADE,
        f"sleep {seconds_from_noon(13, 30)}",
    ]


def test_one_that_fails_is_made_again_after_ten_minutes(schedule: Schedule) -> None:
    assert schedule.run(enough=3, failures=2) == [
        MADE,
        "sleep 600",
        MADE,
        "sleep 600",
        MADE,
        f"sleep {seconds_from_noon(2, 17)}",
    ]


def test_a_time_of_a_wrong_form_ends_it_at_once(schedule: Schedule) -> None:
    done = subprocess.run(
        [SCRIPT],
        env={**os.environ, "BACKUP_AT": "noonish", "SPONSORGRAPH_BACKUP_FOLDER": "/nowhere"},
        check=False,
        capture_output=True,
        timeout=20,
    )
    assert done.returncode == 78


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BACKUP_DAYS", "0"),
        ("BACKUP_DAYS", "two"),
        ("BACKUP_DAYS", "-1"),
        ("BACKUP_CHECK_DAYS", "x"),
    ],
)
def test_days_that_no_command_takes_end_it_at_once(name: str, value: str) -> None:
    done = subprocess.run(
        [SCRIPT],
        env={**os.environ, "SPONSORGRAPH_BACKUP_FOLDER": "/nowhere", name: value},
        check=False,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 78
    assert f"SPONSORGRAPH_{name} is {value}" in done.stderr


def test_a_signal_ends_the_wait(schedule: Schedule) -> None:
    schedule.add(hours_old=1)
    environment = {**os.environ, "SPONSORGRAPH_BACKUP_FOLDER": str(schedule.folder)}
    with subprocess.Popen([SCRIPT], env=environment) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_a_copy_goes_to_the_storage_and_is_tried_again_without_another_backup(
    schedule: Schedule,
) -> None:
    assert schedule.run(enough=3, failures=2, failing="upload", BACKUP_S3_BUCKET="of-tests") == [
        MADE,
        "backup upload",
        "sleep 600",
        "backup upload",
        "sleep 600",
        "backup upload",
        f"sleep {seconds_from_noon(2, 17)}",
    ]


def test_a_storage_that_is_away_for_long_does_not_keep_the_next_backup_from_being_made(
    schedule: Schedule,
) -> None:
    ran = schedule.run(enough=36, failures=99, failing="upload", BACKUP_S3_BUCKET="of-tests")
    assert ran.count("backup upload") == 36
    assert ran[-1] == f"sleep {seconds_from_noon(2, 17)}"


def test_a_check_follows_each_backup_and_stops_nothing_when_it_fails(schedule: Schedule) -> None:
    schedule.add(hours_old=23)
    check = "backup check --every-days 7"
    assert schedule.run(
        at="13:30", enough=2, failures=9, failing="check", BACKUP_CHECK_DAYS="7"
    ) == [
        check,
        f"sleep {seconds_from_noon(13, 30)}",
        MADE,
        check,
        f"sleep {seconds_from_noon(13, 30)}",
    ]
