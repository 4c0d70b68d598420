"""`sponsorgraph backup FILE` replaces no file unless it is told to."""

from pathlib import Path

from typer.testing import CliRunner

from cli.app import cli


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    file.write_text("the last good one")
    refused = CliRunner().invoke(cli, ["backup", str(file)], env={"COLUMNS": "300"})
    assert refused.exit_code == 1
    assert "is there already and is left as it is" in refused.output
    assert "--force" in refused.output
    assert file.read_text() == "the last good one"
