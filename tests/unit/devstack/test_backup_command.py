"""`sponsorgraph backup` and what is written after it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from cli.app import cli
from cli.backups import BackupError
from cli.commands import backup

REACHED: Final = "the databases would be opened now"


@pytest.fixture(autouse=True)
def no_databases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends each backup before it is made."""

    def refuse(*_urls: str | None) -> None:
        raise BackupError(REACHED)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(backup, "locations", refuse)


@pytest.mark.parametrize(
    ("written", "near"), [("chek", "check"), ("lst", "list"), ("uplaod", "upload")]
)
def test_a_mistyped_command_of_backups_makes_none(written: str, near: str) -> None:
    done = CliRunner().invoke(cli, ["backup", written])
    assert done.exit_code == 2
    assert "No such command" in done.output
    assert near in done.output
    assert REACHED not in done.output


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a.tar"],
        ["a.tar.age"],
        ["./a"],
        ["/backups/a"],
        ["--keep-days", "3"],
        ["create", "chek"],
    ],
)
def test_a_path_or_an_option_after_backup_makes_one(
    arguments: list[str],
) -> None:
    done = CliRunner().invoke(cli, ["backup", *arguments])
    assert done.exit_code == 1
    assert REACHED in done.output


@pytest.mark.parametrize(
    ("options", "is_reached"), [([], False), (["--force"], True)], ids=["alone", "with --force"]
)
def test_a_file_that_is_there_is_replaced_by_force_alone(
    options: list[str], *, is_reached: bool
) -> None:
    Path("a.tar").write_text("the last good one")
    done = CliRunner().invoke(cli, ["backup", "a.tar", *options])
    assert done.exit_code == 1
    assert (REACHED in done.output) == is_reached
    assert ("--force" in done.output) != is_reached
    assert Path("a.tar").read_text() == "the last good one"
