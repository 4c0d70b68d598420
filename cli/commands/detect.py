"""`sponsorgraph detect`: measure the sponsorship detector, and see what it finds in a text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from cli.commands._shell import err, out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from import_worker.detector import Detection
    from import_worker.detector.evaluation import Error, Evaluation, Score

app = typer.Typer(help="Measure and explain the sponsorship detector.", no_args_is_help=True)

_Interval = tuple[float, float]


@app.command("evaluate")
def evaluate_labels(
    *,
    labels: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="Labelled videos, JSON lines.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
    floor_precision: Annotated[
        float, typer.Option(min=0, max=1, help="Fail when the precision is lower.")
    ] = 0.0,
    floor_recall: Annotated[
        float, typer.Option(min=0, max=1, help="Fail when the recall is lower.")
    ] = 0.0,
) -> None:
    """Score the detector on labelled videos, by (video, brand) pairs.

    A line has id, title, description, channel, stratum, sponsors and ignore; what `ignore` names
    counts neither way.
    """
    # The detector takes longer to load than most commands take to run.
    from import_worker.detector.evaluation import evaluate_file  # noqa: PLC0415

    try:
        evaluation = evaluate_file(labels)
    except ValueError as error:
        err.print(f"[red]Error:[/red] {error}", markup=True)
        raise typer.Exit(2) from error
    if as_json:
        typer.echo(json.dumps(_as_json(evaluation), ensure_ascii=False))
    else:
        _print(evaluation)
    score = evaluation.overall
    below = [
        f"{name} {value:.3f} is below the floor of {floor}"
        for name, value, floor in (
            ("precision", score.precision, floor_precision),
            ("recall", score.recall, floor_recall),
        )
        if value < floor
    ]
    for line in below:
        err.print(f"[red]Failed:[/red] {line}")
    if below:
        raise typer.Exit(1)


@app.command("explain")
def explain(
    file: Annotated[
        Path | None,
        typer.Argument(exists=True, dir_okay=False, help="A description; standard input without."),
    ] = None,
    *,
    title: Annotated[str, typer.Option(help="The video's title.")] = "",
    channel: Annotated[str, typer.Option(help="The channel's name.")] = "",
) -> None:
    """Show what the detector finds in a description, where, and why."""
    text = file.read_text("utf-8", "replace") if file else sys.stdin.read()
    from import_worker.detector import ChannelContext, detect  # noqa: PLC0415

    found = detect(title, text, ChannelContext(name=channel))
    if title:
        out.print(_highlighted(title, [item for item in found if item.source == "title"]))
        out.print()
    out.print(_highlighted(text, [item for item in found if item.source == "description"]))
    if not found:
        out.print("No sponsors found.")
        return
    table = Table("brand", "what", "evidence", "why")
    for item in found:
        columns = (item.kind, item.domain, item.code and f"code {item.code}", item.link)
        table.add_row(
            Text(item.brand, overflow="fold"),
            Text("\n".join(part for part in columns if part), overflow="fold"),
            Text(f"{item.source} {item.start}-{item.end}\n{item.excerpt}", overflow="fold"),
            Text(f"{item.reason} ({item.confidence:.2f})"),
        )
    out.print(table)


def _highlighted(text: str, found: list[Detection]) -> Text:
    shown = Text(text)
    for item in found:
        shown.stylize("black on yellow", item.start, item.end)
    return shown


def _print(evaluation: Evaluation) -> None:
    from import_worker.detector import DETECTOR_VERSION  # noqa: PLC0415

    out.print(f"Detector {DETECTOR_VERSION}, {evaluation.videos} videos")
    out.print(_scores("", {"all": evaluation.overall}))
    out.print(_scores("stratum", evaluation.by_stratum))
    out.print(_scores("kind", evaluation.by_kind))
    out.print(_scores("language", evaluation.by_language))
    out.print(_errors("Missed", evaluation.missed))
    out.print(_errors("Wrong", evaluation.wrong))


def _scores(name: str, scores: Mapping[str, Score]) -> Table:
    table = Table(name, "right", "wrong", "missed", "precision", "recall", "F1")
    for key, score in sorted(scores.items()):
        table.add_row(
            Text(key, overflow="fold"),
            *(str(score.right), str(score.wrong), str(score.missed)),
            _share(score.precision, score.precision_interval, score.right + score.wrong),
            _share(score.recall, score.recall_interval, score.right + score.missed),
            _share(score.f1, score.f1_interval, score.right + score.wrong + score.missed),
        )
    return table


def _share(value: float, interval: _Interval, of: int) -> str:
    return f"{value:.3f}\n{interval[0]:.2f}-{interval[1]:.2f}" if of else "-"


def _errors(title: str, errors: tuple[Error, ...]) -> Table:
    table = Table("video", "channel", "brand", "detail", "text", title=f"{title}: {len(errors)}")
    for error in errors:
        cells = (error.video, error.channel, error.brand, error.detail, error.text)
        table.add_row(*(Text(cell, overflow="fold") for cell in cells))
    return table


def _as_json(evaluation: Evaluation) -> dict[str, object]:
    from import_worker.detector import DETECTOR_VERSION  # noqa: PLC0415

    return {
        **_score_json(evaluation.overall),
        "videos": evaluation.videos,
        "detector_version": DETECTOR_VERSION,
        "by_stratum": {key: _score_json(score) for key, score in evaluation.by_stratum.items()},
        "by_kind": {key: _score_json(score) for key, score in evaluation.by_kind.items()},
        "by_language": {key: _score_json(score) for key, score in evaluation.by_language.items()},
    }


def _score_json(score: Score) -> dict[str, object]:
    return {
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "pairs": score.right + score.missed,
        "right": score.right,
        "wrong": score.wrong,
        "missed": score.missed,
        "precision_interval": list(score.precision_interval),
        "recall_interval": list(score.recall_interval),
        "f1_interval": list(score.f1_interval),
    }
