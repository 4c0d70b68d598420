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
        ("Counter('sponsorgraph_polls', 'Polls.', ['look'])", "look", "look"),
        ("Counter('sponsorgraph_polls', 'Polls.', labelnames=('look',))", "look", "look"),
        ("target = bindparam('kept', type_=Text)", "kept", "kept"),
        ("select(a).subquery('asked')", "asked", "asked"),
        ("select(a).cte('told')", "told", "told"),
        ("rows.c.amount.label('most')", "most", "most"),
        ("values.render_derived('given')", "given", "given"),
        ("@app.command('trail')\ndef log(): ...", "trail", "trail"),
        ("unanswered = 1", "unanswered", "unanswered"),
        ("is_leaving = True", "is_leaving", "leaving"),
        ("def crawl(walked): ...", "walked", "walked"),
        ("draining = 1", "draining", "draining"),
        ("charge: int = 1", "charge", "charge"),
    ],
)
def test_a_retired_word_in_python_is_found(source: str, identifier: str, word: str) -> None:
    assert [(name, retired) for _, name, retired in found(source)] == [(identifier, word)]


def test_a_module_named_by_a_retired_word_is_found() -> None:
    assert found("", "gateway/kept_results.py") == [(1, "kept_results", "kept")]


def test_a_folder_named_by_a_retired_word_is_found() -> None:
    assert found("", "gateway/mcp_face/module.py") == [(1, "mcp_face", "face")]


@pytest.mark.parametrize(
    ("source", "line", "identifier"),
    [
        ("\nfunction answerIn(result) {}", 2, "answerIn"),
        ("/* told\n */ let asked = {};", 2, "asked"),
        ("const { a, questions } = page; // told", 1, "questions"),
        ("rows.map((answer) => answer.id);", 1, "answer"),
        ("class Host {\n  async ask(name) {\n    if (ready) {}\n  }\n}", 2, "ask"),
        ("window.onload = (told, other) => 1;", 1, "told"),
    ],
)
def test_a_retired_word_in_a_script_is_found(source: str, line: int, identifier: str) -> None:
    for path in ("views/chart.js", "tests/steps.mjs"):
        assert [(at, name) for at, name, _ in found(source, path)] == [(line, identifier)]


def test_a_retired_word_in_lua_is_found_but_for_that_of_the_calendar() -> None:
    source = "-- told\nlocal era = 1\nlocal function ask(given) end\n"
    own = [(2, "era", "era"), (3, "ask", "ask"), (3, "given", "given")]
    assert found(source, "quota/refund.lua") == own
    assert found(source, "gateway/quota/reserve.lua") == own[1:]


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
        "union = uncle = unit = 1",
        "open_file('kept')",
        "Counter('sponsorgraph_polls', 'Failed polls that were looked at.', ['gauge'])",
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
