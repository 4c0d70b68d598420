"""`sponsorgraph detect`, on files that these tests write."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.commands.detect import app
from import_worker.detector.decider import read_decider
from tests.fakes.labelled_videos import made_lines, write_lines


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


def unlabelled(channels: int) -> list[dict[str, Any]]:
    lines = made_lines(channels)
    for line in lines:
        line["sponsors"] = []
    return lines


def test_several_files_of_labels_are_scored_together(labels: Path, tmp_path: Path) -> None:
    more = write_lines(tmp_path / "more.jsonl", made_lines(3))
    result = run("evaluate", "--labels", str(labels), "--labels", str(more), "--json")
    assert json.loads(result.stdout)["videos"] == 8


def test_predictions_are_written_beside_the_scores(labels: Path, tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    assert run("evaluate", "--labels", str(labels), "--predictions", str(file)).exit_code == 0
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [(line["id"], [label["brand"] for label in line["sponsors"]]) for line in lines] == [
        ("v1", ["Surfshark"]),
        ("v2", ["Garmin"]),
    ]


def test_the_report_shows_calibration_names_and_line_breaks(labels: Path) -> None:
    shown = run("evaluate", "--labels", str(labels)).stdout
    for part in ("Exact names: 1 of 1", "Expected calibration error", "line breaks", "intact"):
        assert part in shown
    score = json.loads(run("evaluate", "--labels", str(labels), "--json").stdout)
    assert score["exact_names"] == 1
    assert sum(band["candidates"] for band in score["reliability"]) == 2
    assert score["by_breaks"]["intact"]["right"] == 1


def test_folds_score_channels_that_the_decider_has_not_seen(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", made_lines())
    result = run("evaluate", "--labels", str(file), "--folds", "--json")
    score = json.loads(result.stdout)
    assert (score["recall"], score["precision"]) == (1, 1)
    # Labels turned round are learnt too: it is not the bundled decider that choices.
    lines = made_lines()
    for with_sponsor, without in zip(lines[::2], lines[1::2], strict=True):
        without["sponsors"], with_sponsor["sponsors"] = with_sponsor["sponsors"], []
    write_lines(file, lines)
    turned = json.loads(run("evaluate", "--labels", str(file), "--folds", "--json").stdout)
    assert (turned["recall"], turned["precision"]) == (1, 1)


def test_further_labels_are_learnt_from_and_not_measured(labels: Path, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "made.jsonl", made_lines())
    result = run(
        "evaluate", "--labels", str(labels), "--folds", "--json", "--learn-from", str(file)
    )
    assert json.loads(result.stdout)["videos"] == 2


def test_labels_to_be_measured_on_teach_nothing(tmp_path: Path) -> None:
    lines = made_lines()
    file = write_lines(
        tmp_path / "labels.jsonl",
        [*lines[:40], *({**line, "part": "unread", "stratum": ""} for line in lines[40:])],
    )
    weights = tmp_path / "weights.json"
    result = run("train", "--labels", str(file), "--out", str(weights))
    assert "40 candidates" in result.stdout


def test_labels_without_texts_take_them_from_collected_videos(tmp_path: Path) -> None:
    made = made_lines()
    collected = tmp_path / "videos.jsonl.gz"
    videos = (
        {
            "video_id": line["id"],
            "channel_title": line["channel"],
            "title": line["title"],
            "description": line["description"],
            "category_id": None,
        }
        for line in made
    )
    collected.write_bytes(gzip.compress("".join(json.dumps(v) + "\n" for v in videos).encode()))
    facts = [
        {"id": line["id"], "video_id": line["id"], "sponsors": line["sponsors"]} for line in made
    ]
    file = write_lines(tmp_path / "facts.jsonl", facts)
    score = json.loads(
        run("evaluate", "--labels", str(file), "--texts", str(collected), "--json").stdout
    )
    assert (score["videos"], score["recall"]) == (80, 1)


def test_folds_without_enough_labels_end_in_one_line(labels: Path) -> None:
    result = run("evaluate", "--labels", str(labels), "--folds")
    assert result.exit_code == 2
    assert "training needs candidates" in result.stderr


def test_channels_of_the_exam_are_left_out_on_demand(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", made_lines())
    every = json.loads(run("evaluate", "--labels", str(file), "--json").stdout)
    some = json.loads(run("evaluate", "--labels", str(file), "--json", "--exclude-exam").stdout)
    assert 0 < some["videos"] < every["videos"] == 80


def test_training_writes_weights_and_reports_on_held_out_channels(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", made_lines())
    weights = tmp_path / "weights.json"
    result = run("train", "--labels", str(file), "--out", str(weights))
    assert result.exit_code == 0
    assert "Expected calibration error" in result.stdout
    assert "80 candidates" in result.stdout
    decider = read_decider(json.loads(weights.read_text("utf-8")))
    assert set(decider.labels) == {"labels.jsonl"}


def test_training_on_too_few_labels_writes_nothing(labels: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.json"
    labels.write_text(labels.read_text("utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert run("train", "--labels", str(labels), "--out", str(weights)).exit_code == 2
    assert not weights.exists()


def test_training_on_channels_that_cannot_be_held_out_writes_nothing(tmp_path: Path) -> None:
    lines = [line | {"channel": "Lakeside Diary"} for line in made_lines()]
    file = write_lines(tmp_path / "labels.jsonl", lines)
    weights = tmp_path / "weights.json"
    assert run("train", "--labels", str(file), "--out", str(weights)).exit_code == 2
    assert not weights.exists()


def test_review_lists_what_is_unsure_and_what_is_unknown(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", unlabelled(20))
    result = run("review", "--videos", str(file), "--list", "10")
    assert result.exit_code == 0
    unsure, _, unknown = result.stdout.partition("Unknown brands")
    assert "Unsure" in unsure
    assert "Shore" in unsure
    # Each made-up brand is of two channels.
    assert "quillbarrow.com" in unknown


def test_review_takes_decisions_until_it_is_stopped(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", unlabelled(4)[::2])
    decisions = tmp_path / "decisions.jsonl"
    choices = "y\nwhat\nn\ns\nq\n"
    result = run("review", "--videos", str(file), "--decisions", str(decisions), stdin=choices)
    assert result.exit_code == 0
    decided = [json.loads(line) for line in decisions.read_text("utf-8").splitlines()]
    assert [len(line["sponsors"]) for line in decided] == [1, 0]
    scored = run("evaluate", "--labels", str(decisions), "--json")
    assert (scored.exit_code, json.loads(scored.stdout)["videos"]) == (0, 2)


def test_what_was_decided_is_not_prompted_for_again(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", unlabelled(4)[::2])
    command = ("review", "--videos", str(file), "--decisions", str(tmp_path / "decisions.jsonl"))
    prompts = run(*command, stdin="n\nq\n").stdout.count("y/n/i/s/q")
    assert run(*command, stdin="s\n" * 20).stdout.count("y/n/i/s/q") == prompts + 1
    run(*command, stdin="n\n" * 20)
    assert "y/n/i/s/q" not in run(*command).stdout


def test_a_text_cannot_steer_the_terminal(tmp_path: Path) -> None:
    lines = unlabelled(2)[::2]
    for line in lines:
        line["title"] = "A day \x1b[2Jout"
        line["description"] = "\x1b]0;owned\x07" + line["description"]
    file = write_lines(tmp_path / "labels.jsonl", lines)
    decisions = str(tmp_path / "decisions.jsonl")
    shown = [
        run("review", "--videos", str(file), "--list", "5"),
        run("review", "--videos", str(file), "--decisions", decisions, stdin="s\n" * 5),
        run("evaluate", "--labels", str(file)),
        run("explain", "--title", lines[0]["title"], stdin=lines[0]["description"]),
    ]
    assert [result.exit_code for result in shown] == [0, 0, 0, 0]
    assert not any(sign in result.output for result in shown for sign in ("\x1b", "\x07"))


def test_files_without_a_labelled_video_pass_no_floor(tmp_path: Path) -> None:
    empty = write_lines(tmp_path / "empty.jsonl", [])
    result = run("evaluate", "--labels", str(empty), "--floor-recall", "0.9")
    assert result.exit_code == 2
    assert "no labelled video" in result.stderr


def test_a_video_that_is_labelled_twice_counts_once(labels: Path) -> None:
    result = run("evaluate", "--labels", str(labels), "--labels", str(labels), "--json")
    assert json.loads(result.stdout)["pairs"] == 2
    assert "2 lines left out" in result.stderr


def test_decisions_made_before_the_input_ends_are_written(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "labels.jsonl", unlabelled(4)[::2])
    decisions = tmp_path / "decisions.jsonl"
    run("review", "--videos", str(file), "--decisions", str(decisions), stdin="i\n")
    (line,) = decisions.read_text("utf-8").splitlines()
    assert len(json.loads(line)["ignore"]) == 1


def test_review_wants_a_list_or_a_file_for_decisions(labels: Path) -> None:
    result = run("review", "--videos", str(labels))
    assert result.exit_code == 2
    assert "--decisions" in result.stderr


def test_explaining_shows_features_and_what_was_too_unsure() -> None:
    text = "Quillbarrow map: https://bit.ly/3abc001\nThis walk is sponsored by Surfshark."
    shown = run("explain", stdin=text).stdout
    sure, _, unsure = shown.partition("Too unsure to be published")
    assert "Surfshark" in sure.partition("Sponsors")[2]
    assert "stated sponsor" in sure
    assert "claim:" not in shown
    assert "0.50" in sure
    assert "Quillbarrow" in unsure


def test_further_labels_need_folds(labels: Path) -> None:
    result = run("evaluate", "--labels", str(labels), "--learn-from", str(labels))
    assert result.exit_code == 2
    assert "--folds" in result.stderr
