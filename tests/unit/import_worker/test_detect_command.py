"""`sponsorgraph detect`, on files that these tests write."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.commands.detect import app


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.commands.detect.out.width", 200)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    base: dict[str, Any] = {"channel": "Lakeside Diary", "title": "A day at the lake", "ignore": []}
    lines: list[dict[str, Any]] = [
        {
            **base,
            "id": "v1",
            "stratum": "random",
            "description": "This walk is sponsored by Surfshark and the boat is mine.",
            "sponsors": [{"brand": "Surfshark", "domain": None, "kind": "paid sponsorship"}],
        },
        {
            **base,
            "id": "v2",
            "stratum": "chosen",
            "description": "The video is sponsored by Garmin.",
            "sponsors": [
                {
                    "brand": "Quillbarrow",
                    "domain": None,
                    "kind": "affiliate",
                    "evidence": "a hidden quill",
                }
            ],
        },
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def test_json_holds_the_scores_and_nothing_else(labels: Path) -> None:
    result = run("evaluate", "--labels", str(labels), "--json")
    assert result.exit_code == 0
    score = json.loads(result.stdout)
    assert (score["precision"], score["recall"], score["f1"], score["pairs"]) == (0.5, 0.5, 0.5, 2)
    assert score["by_stratum"]["random"]["recall"] == 1
    assert score["by_kind"]["affiliate"]["missed"] == 1
    assert score["precision_interval"][0] < 0.5 < score["precision_interval"][1]


def test_tables_show_every_miss_and_every_wrong_claim_with_its_text(labels: Path) -> None:
    shown = run("evaluate", "--labels", str(labels)).stdout
    assert "a hidden quill" in shown
    assert "The video is sponsored by Garmin." in shown
    assert "Missed: 1" in shown
    assert "Wrong: 1" in shown
    assert "chosen" in shown


@pytest.mark.parametrize(
    ("floors", "code"),
    [
        ((), 0),
        (("--floor-precision", "0.5", "--floor-recall", "0.5"), 0),
        (("--floor-precision", "0.51"), 1),
        (("--floor-recall", "0.51"), 1),
    ],
)
def test_a_score_below_a_floor_fails(labels: Path, floors: tuple[str, ...], code: int) -> None:
    assert run("evaluate", "--labels", str(labels), *floors).exit_code == code
    assert run("evaluate", "--labels", str(labels), "--json", *floors).exit_code == code


def test_a_damaged_file_is_reported_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text("no json\n", encoding="utf-8")
    result = run("evaluate", "--labels", str(file))
    assert result.exit_code == 2
    assert "labels.jsonl:1" in result.stderr


def test_explaining_shows_what_was_found_and_why(tmp_path: Path) -> None:
    file = tmp_path / "description.txt"
    file.write_text("Get 15% off with code LAKE at https://surfshark.com/lake", encoding="utf-8")
    shown = run("explain", str(file), "--title", "Rowing, sponsored by Garmin").stdout
    for part in ("Surfshark", "code LAKE", "promo code", "Garmin", "stated sponsor", "title 0-27"):
        assert part in shown


def test_explaining_reads_standard_input_and_keeps_its_brackets() -> None:
    shown = run("explain", stdin="A walk [bold]around[/bold] the lake").stdout
    assert "[bold]around[/bold]" in shown
    assert "No sponsors found." in shown


def test_the_evidence_is_highlighted_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.commands.detect.out._force_terminal", True, raising=False)
    monkeypatch.setattr("cli.commands.detect.out._color_system", 1, raising=False)
    shown = run("explain", stdin="Hello. Sponsored by Surfshark. Bye.").stdout
    assert "\x1b[30;43mSponsored by Surfshark.\x1b[0m" in shown
