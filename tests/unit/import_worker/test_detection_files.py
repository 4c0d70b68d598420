"""Files that cannot be read or written end a detect command with one sentence."""

import gzip
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.commands.detect import app
from tests.fakes.labelled_videos import made_lines, write_lines


def stderr_of(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{no json", "Error: f.jsonl:1 is not a line of JSON."),
        (b"\xff\xfe", "is not UTF-8 text."),
    ],
)
def test_a_file_of_labels_that_cannot_be_read_is_said_in_a_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "f.jsonl"
    file.write_bytes(content)
    shown = stderr_of("evaluate", "--labels", str(file))
    assert shown.endswith(sentence)
    assert "codec" not in shown


def test_videos_that_are_not_compressed_or_break_off_are_said_so(tmp_path: Path) -> None:
    file = tmp_path / "videos.jsonl.gz"
    file.write_text("{}", encoding="utf-8")
    assert "not compressed by gzip." in stderr_of("review", "--videos", str(file), "--list", "1")
    file.write_bytes(gzip.compress(b" " * 100_000)[:-12])
    assert "breaks off before its end." in stderr_of("review", "--videos", str(file), "--list", "1")


def test_a_file_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    write_lines(labels, made_lines(1))
    out = tmp_path / "none" / "predictions.jsonl"
    shown = stderr_of("evaluate", "--labels", str(labels), "--predictions", str(out))
    assert shown.endswith("no such file or directory.")
