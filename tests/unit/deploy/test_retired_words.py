"""Retired words in identifiers are found, and the checked folders have none."""

import subprocess
from pathlib import Path

import pytest

from scripts import retired_words
from scripts.retired_words import CHECKED, find_retired

METRIC = "sponsorgraph_answers_total"


def found(source: str, path: str = "package/module.py") -> list[tuple[int, str, str]]:
    return [(use.line, use.identifier, use.word) for use in find_retired(path, source)]


@pytest.mark.parametrize(
    ("source", "identifier", "word"),
    [
        ("def ask_catalog(): ...", "ask_catalog", "ask"),
        ("async def tell(): ...", "tell", "tell"),
        ("class KeptCalls: ...", "KeptCalls", "kept"),
        ("class GRPCFace: ...", "GRPCFace", "face"),
        ("def call(question): ...", "question", "question"),
        ("def call(*, answer=None): ...", "answer", "answer"),
        ("ANSWER_BYTES: int = 1", "ANSWER_BYTES", "answer"),
        ("self._mailbox = channel", "_mailbox", "mailbox"),
        ("import catalog as asker", "asker", "asker"),
        ("for one in rows: ...", "one", "one"),
        ("match value:\n  case [*told]: ...", "told", "told"),
        (f"counter('{METRIC}')", METRIC, "answers"),
    ],
)
def test_a_retired_word_in_python_is_found(source: str, identifier: str, word: str) -> None:
    assert [(name, retired) for _, name, retired in found(source)] == [(identifier, word)]


def test_a_module_named_by_a_retired_word_is_found() -> None:
    assert found("", "gateway/kept_results.py") == [(1, "kept_results", "kept")]


def test_a_use_says_its_line_and_the_standard_word() -> None:
    (use,) = find_retired("package/module.py", "x = 1\nlineage = 2\n")
    assert (
        str(use)
        == "package/module.py:2: `lineage` has the retired word `lineage`; use counter generation"
    )


@pytest.mark.parametrize(
    "source",
    [
        "'kept answers'",
        "# the answer\nresult = 1",
        "'''A docstring that tells.'''",
        "response = client.answer",
        "one_process = 1",
        "surface = maximum = 1",
    ],
)
def test_texts_uses_and_other_words_are_left_alone(source: str) -> None:
    assert found(source) == []


@pytest.mark.parametrize(
    ("line", "identifier"),
    [
        ("message Answer {", "Answer"),
        ("  repeated string questions = 1;", "questions"),
        ("  rpc AskMany(Requests) returns (Results);", "AskMany"),
        ("  KIND_KEPT = 3 [deprecated = true];", "KIND_KEPT"),
    ],
)
def test_a_retired_word_in_a_proto_is_found(line: str, identifier: str) -> None:
    assert [
        name for _, name, _ in found(f"// answer\n{line}  // told\n", "protos/a/v1/a.proto")
    ] == [identifier]


def test_the_checked_folders_have_no_retired_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert retired_words.main(CHECKED) == 0, capsys.readouterr().out


def test_a_file_with_a_retired_word_fails_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)  # noqa: S607
    (tmp_path / "good").mkdir()
    (tmp_path / "good/module.py").write_text("response = 1\n")
    (tmp_path / "answering.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert retired_words.main(["good"]) == 0
    assert retired_words.main(["."]) == 1
    assert capsys.readouterr().out.startswith("answering.py:1: `answering`")
