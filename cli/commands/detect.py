"""`sponsorgraph detect`: train and measure the sponsorship detector, and see what it finds in a text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cli.commands._detection_files import one_sentence
from cli.commands._shell import err, out, print_error, print_table
from cli.commands.detect_labels import labels as write_labels
from cli.commands.detect_rerun import rerun
from cli.text import lines, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from import_worker.detector.decider import Decider
    from import_worker.detector.evaluation import Evaluation, Result
    from import_worker.detector.explaining import Explained
    from import_worker.detector.labelled import LabelledVideo
    from import_worker.detector.review import Suggestion, UnknownBrand

# The detector takes longer to load than most commands take to run: it is imported where it is used.

app = typer.Typer(help="Train, measure and explain the sponsorship detector.", no_args_is_help=True)

Labels = Annotated[
    list[Path],
    typer.Option(exists=True, dir_okay=False, help="Labelled videos, JSON lines; may be repeated."),
]
Written = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True,
        dir_okay=False,
        help="Written texts to train on, but for the part unread; may be repeated.",
    ),
]
Texts = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        dir_okay=False,
        help="Collected videos, videos.jsonl.gz: labels without texts have theirs by video_id.",
    ),
]
ExcludeExam = Annotated[
    bool, typer.Option("--exclude-exam", help="Leave out the channels kept back for the exam.")
]


app.command("rerun")(rerun)
app.command("labels")(write_labels)


@app.command("evaluate")
def evaluate_labels(  # noqa: PLR0913 - each is an option
    *,
    labels: Labels,
    predictions: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write what is published, a line a video.")
    ] = None,
    folds: Annotated[
        bool, typer.Option("--folds", help="Train five times, and score channels held out.")
    ] = False,
    share: Annotated[
        float, typer.Option(min=0.01, max=1, help="With --folds: train on this share of channels.")
    ] = 1.0,
    exclude_exam: ExcludeExam = False,
    written: Written = None,
    learn_from: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="With --folds: further labels to train on; nothing is measured on them.",
        ),
    ] = None,
    texts: Texts = None,
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
    counts neither way. Without --folds the bundled weights decide, which may have seen the labels.
    """
    from cli.commands._detection_report import evaluation_json, print_evaluation  # noqa: PLC0415
    from import_worker.detector.evaluation import evaluate, write_predictions  # noqa: PLC0415

    if learn_from and not folds:
        raise _failed(ValueError("--learn-from needs --folds: without them nothing is trained"))
    videos = _read(labels, exclude_exam=exclude_exam, texts=texts)
    if not videos:
        raise _failed(ValueError("no labelled video is in the files of --labels"))
    examples = _written(written)
    measured = {video.id for video in videos}
    further = _read(learn_from or [], exclude_exam=exclude_exam, texts=texts)
    others = [video for video in further if video.id not in measured]
    results = _held_out(videos, share, examples, others) if folds else _detected(videos)
    evaluation = evaluate(results)
    if predictions:
        with one_sentence():
            write_predictions(results, predictions)
    if as_json:
        typer.echo(json.dumps(evaluation_json(evaluation), ensure_ascii=False))
    else:
        print_evaluation(out, evaluation)
    _hold_to_floors(evaluation, floor_precision, floor_recall)


@app.command("train")
def train_weights(
    *,
    labels: Labels,
    weights: Annotated[
        Path, typer.Option("--out", dir_okay=False, help="The file of weights to write.")
    ] = Path("weights.json"),
    exclude_exam: ExcludeExam = False,
    written: Written = None,
    texts: Texts = None,
) -> None:
    """Learn the decider's weights from labelled videos, and score held-out channels in five folds.

    Videos of the part `unread` are left out: they are there to be measured on.
    To ship the weights, write to import_worker/detector/weights.json and change DETECTOR_VERSION.
    """
    from cli.commands._detection_report import print_evaluation  # noqa: PLC0415
    from import_worker.detector.evaluation import evaluate  # noqa: PLC0415

    training = _training()
    read = _read(labels, exclude_exam=exclude_exam, texts=texts)
    videos = [video for video in read if not video.is_unread]
    examples = _written(written)
    with _progress() as progress:
        task = progress.add_task("reading candidates", total=len(videos))
        rows = training.rows_of(videos, lambda: progress.advance(task))
    files = [*labels, *(written or []), *([texts] if texts else [])]
    digests = {file.name: training.digest(file) for file in files}
    try:
        learnt = training.train(rows, digests, training.rows_of(examples))
    except ValueError as error:
        raise _failed(error) from error
    # Before the weights are written: videos of too few channels cannot be held out, and leave no file.
    held_out = evaluate(_held_out(videos, 1.0, examples))
    with one_sentence():
        training.write_weights(learnt, weights)
    print_evaluation(out, held_out, with_errors=False)
    out.print(
        f"{len(learnt['features'])} features of {learnt['candidates']} candidates: {weights}",
    )


@app.command("review")
def review(
    *,
    videos: Annotated[
        list[Path],
        typer.Option(exists=True, dir_okay=False, help="videos.jsonl.gz, or labelled videos."),
    ],
    decisions: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Append what is decided, a line a video.")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--list", min=1, help="List so many, and ask nothing.")
    ] = None,
    exclude_exam: ExcludeExam = False,
) -> None:
    """Show what to label next: candidates near an even chance, and frequent unknown brands.

    Without --list each candidate is shown with its text, to be decided by y (a sponsor), n (none),
    i (could go either way), s (skip) or q (stop). A brand that a label of its video names is left out.
    """
    from import_worker.detector.review import read_videos, suggestions_of, unknown_brands  # noqa: PLC0415

    if count is None and decisions is None:
        raise _failed(ValueError("name a file with --decisions, or ask for a --list"))
    with one_sentence():
        read = [video for file in videos for video in read_videos(file, exclude_exam=exclude_exam)]
    suggestions = suggestions_of(_detected(read))
    if count is not None:
        print_table(_suggestion_table(suggestions[:count]))
        print_table(_brand_table(unknown_brands(suggestions)[:count]))
    elif decisions is not None:
        _decide_each(suggestions, decisions)


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
    """Show what the detector finds in a description, where, why, and what it was too unsure of."""
    with one_sentence():
        text = file.read_text("utf-8", "replace") if file else sys.stdin.read()
    from import_worker.detector import ChannelContext  # noqa: PLC0415
    from import_worker.detector.explaining import explain as explained_in  # noqa: PLC0415

    _print_explained(explained_in(title, text, ChannelContext(name=channel)), title, text)


def _read(
    files: Sequence[Path], *, exclude_exam: bool, texts: Path | None = None
) -> list[LabelledVideo]:
    from import_worker.detector.label_texts import read_texts  # noqa: PLC0415
    from import_worker.detector.labelled import read_labels  # noqa: PLC0415

    videos: dict[str, LabelledVideo] = {}
    with one_sentence():
        known = read_texts(texts) if texts and files else None
        read = [
            video
            for file in files
            for video in read_labels(file, exclude_exam=exclude_exam, texts=known)
        ]
    for video in read:
        videos.setdefault(video.id, video)
    if len(videos) < len(read):
        err.print(
            f"{len(read) - len(videos):,} lines left out: videos that a line before them labels."
        )
    return list(videos.values())


def _written(files: Sequence[Path] | None) -> list[LabelledVideo]:
    return [text for text in _read(files or [], exclude_exam=False) if not text.is_unread]


def _detected(
    videos: Sequence[LabelledVideo], decider_of: Callable[[str], Decider | None] = lambda _: None
) -> list[Result]:
    from import_worker.detector.evaluation import detect_all  # noqa: PLC0415

    with _progress() as progress:
        task = progress.add_task("detecting", total=len(videos))
        return detect_all(videos, decider_of, advance=lambda: progress.advance(task))


def _held_out(
    videos: Sequence[LabelledVideo],
    share: float,
    written: Sequence[LabelledVideo],
    others: Sequence[LabelledVideo] = (),
) -> list[Result]:
    _training()
    from import_worker.detector.cross_validation import deciders_by_fold  # noqa: PLC0415

    with _progress() as progress:
        task = progress.add_task("training five times", total=len(videos) + len(others))
        try:
            deciders = deciders_by_fold(
                videos, share, lambda: progress.advance(task), written, others
            )
        except ValueError as error:
            raise _failed(error) from error
    return _detected(videos, deciders)


def _training():  # noqa: ANN202 - the module, which its caller uses with its types
    try:
        from import_worker.detector import training  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise _failed(ValueError("training needs scikit-learn: make install-dev")) from error
    return training


def _hold_to_floors(evaluation: Evaluation, precision: float, recall: float) -> None:
    score = evaluation.overall.score
    below = [
        f"{name} {value:.3f} is below the floor of {floor}"
        for name, value, floor in (
            ("precision", score.precision, precision),
            ("recall", score.recall, recall),
        )
        if value < floor
    ]
    for line in below:
        err.print(Text.assemble(("Failed:", "red"), " ", line))
    if below:
        raise typer.Exit(1)


def _decide_each(suggestions: Sequence[Suggestion], path: Path) -> None:
    from import_worker.detector.decision_file import Decision, DecisionFile  # noqa: PLC0415

    meanings: dict[str, Decision] = {"y": "sponsor", "n": "none", "i": "ignore"}
    with one_sentence():
        decisions = DecisionFile(path)
        try:
            for suggestion in suggestions:
                if decisions.has(suggestion):
                    continue
                choice = _choice(suggestion)
                if choice == "q":
                    break
                if choice in meanings:
                    decisions.add(suggestion, meanings[choice], suggestions)
        except (typer.Abort, EOFError):
            out.print()
    out.print(f"{len(decisions)} videos decided: {path}")


def _choice(suggestion: Suggestion) -> str:
    item, video = suggestion.detection, suggestion.video
    out.print(Text("\n" + one_line(f"{video.channel}: {video.title}"), style="bold"))
    out.print(Text(lines(item.excerpt)))
    prompt = f"{one_line(item.brand)} ({item.kind}, {item.confidence:.2f}) y/n/i/s/q"
    while True:
        choice = str(typer.prompt(prompt, default="s", show_default=False)).strip().lower()[:1]
        if choice in {"y", "n", "i", "s", "q"}:
            return choice


def _suggestion_table(suggestions: Sequence[Suggestion]) -> Table:
    table = Table(
        "video",
        "channel",
        "brand",
        "kind",
        "probability",
        "text",
        title="Unsure first: what no label names",
    )
    for suggestion in suggestions:
        item, video = suggestion.detection, suggestion.video
        cells = (video.id, video.channel, item.brand, item.kind, f"{item.confidence:.2f}")
        table.add_row(*(_text(cell) for cell in (*cells, item.excerpt)))
    return table


def _brand_table(brands: Sequence[UnknownBrand]) -> Table:
    table = Table(
        *("brand", "domain", "videos", "channels", "mean probability"), title="Unknown brands"
    )
    for brand in brands:
        figures = (str(brand.videos), str(brand.channels), f"{brand.probability:.2f}")
        table.add_row(_text(brand.name), _text(brand.domain or ""), *figures)
    return table


def _print_explained(explained: Sequence[Explained], title: str, text: str) -> None:
    published = [candidate for candidate in explained if candidate.is_published]
    unsure = [candidate for candidate in explained if not candidate.is_published]
    if title:
        out.print(_highlighted(title, "title", published))
        out.print()
    out.print(_highlighted(text, "description", published))
    from import_worker.detector.detect import LEAST_PROBABILITY  # noqa: PLC0415

    out.print(f"A brand is published from a probability of {LEAST_PROBABILITY:.2f} on.")
    if published:
        print_table(_explained_table("Sponsors", published))
    else:
        out.print("No sponsors found.")
    if unsure:
        print_table(_explained_table("Too unsure to be published", unsure))


def _explained_table(title: str, explained: Sequence[Explained]) -> Table:
    from import_worker.detector.feature_words import in_words  # noqa: PLC0415

    table = Table("brand", "what", "evidence", "probability, and why", title=title)
    for candidate in explained:
        item = candidate.detection
        columns = (item.kind, item.domain, item.code and f"code {item.code}", item.link)
        table.add_row(
            _text(item.brand),
            _text("\n".join(part for part in columns if part)),
            _text(f"{item.source} {item.start}-{item.end}\n{item.excerpt}"),
            _text(
                "\n".join((f"{item.confidence:.2f}: {item.reason}", *in_words(candidate.features)))
            ),
        )
    return table


def _highlighted(text: str, source: str, explained: Sequence[Explained]) -> Text:
    shown = Text(lines(text))
    for candidate in explained:
        item = candidate.detection
        if item.source == source:
            shown.stylize("black on yellow", item.start, item.end)
    return shown


def _text(cell: str) -> Text:
    return Text(lines(cell), overflow="fold")


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=err, transient=True)


def _failed(error: Exception) -> typer.Exit:
    print_error(str(error))
    return typer.Exit(2)
