"""An evaluation of the detector as tables and as JSON."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.text import lines
from import_worker.detector import DETECTOR_VERSION
from import_worker.detector.evaluation import Error, Evaluation, Measured
from import_worker.detector.reliability import Band

_Interval = tuple[float, float]


def print_evaluation(out: Console, evaluation: Evaluation, *, with_errors: bool = True) -> None:
    """Print the scores, the calibration and, when asked, every error."""
    out.print(f"Detector {DETECTOR_VERSION}, {evaluation.videos} videos")
    out.print(_scores("", {"all": evaluation.overall}))
    out.print(
        f"Exact names: {evaluation.exact_names} of {evaluation.matched} ({evaluation.exact_share:.3f});"
        f" duplicates: {evaluation.duplicates}"
    )
    out.print(_scores("line breaks", evaluation.by_breaks))
    out.print(_scores("stratum", evaluation.by_stratum))
    out.print(_scores("kind claimed and labelled", evaluation.by_kind))
    out.print(_kinds(evaluation.kinds))
    out.print(f"Kinds: {evaluation.kind_share:.3f} of the brands found have the label's kind")
    out.print(_scores("language", evaluation.by_language))
    out.print(_reliability(evaluation.bands))
    out.print(
        f"Expected calibration error: {evaluation.calibration_error:.3f} of all candidates, "
        f"{evaluation.published_calibration_error:.3f} of what is published"
    )
    if with_errors:
        out.print(_errors("Missed", evaluation.missed))
        out.print(_errors("Wrong", evaluation.wrong))


def evaluation_json(evaluation: Evaluation) -> dict[str, object]:
    """Return the figures of an evaluation, to be written as JSON."""
    groups = {
        "by_breaks": evaluation.by_breaks,
        "by_stratum": evaluation.by_stratum,
        "by_kind": evaluation.by_kind,
        "by_language": evaluation.by_language,
    }
    return {
        **_score_json(evaluation.overall),
        "videos": evaluation.videos,
        "detector_version": DETECTOR_VERSION,
        "exact_names": evaluation.exact_share,
        "duplicates": evaluation.duplicates,
        "exact_kinds": evaluation.kind_share,
        "kinds": [
            {"claimed": claimed, "labelled": labelled, "brands": count}
            for (claimed, labelled), count in sorted(evaluation.kinds.items())
        ],
        "calibration_error": evaluation.calibration_error,
        "published_calibration_error": evaluation.published_calibration_error,
        "reliability": [
            {
                "from": band.low,
                "candidates": band.candidates,
                "right": band.right,
                "mean_probability": band.mean,
            }
            for band in evaluation.bands
        ],
        **{
            name: {key: _score_json(measured) for key, measured in scores.items()}
            for name, scores in groups.items()
        },
    }


def _scores(name: str, scores: Mapping[str, Measured]) -> Table:
    table = Table(name, "right", "wrong", "missed", "precision", "recall", "F1")
    for key, measured in sorted(scores.items()):
        score = measured.score
        table.add_row(
            Text(lines(key), overflow="fold"),
            *(str(score.right), str(score.wrong), str(score.missed)),
            _share(score.precision, measured.precision_interval, score.right + score.wrong),
            _share(score.recall, measured.recall_interval, score.right + score.missed),
            _share(score.f1, measured.f1_interval, score.right + score.wrong + score.missed),
        )
    return table


def _kinds(kinds: Mapping[tuple[str, str], int]) -> Table:
    table = Table("kind labelled", "kind claimed", "brands")
    for (claimed, labelled), count in sorted(kinds.items(), key=lambda item: item[0][::-1]):
        table.add_row(Text(labelled), Text(claimed), str(count))
    return table


def _share(value: float, interval: _Interval, of: int) -> str:
    return f"{value:.3f}\n{interval[0]:.2f}-{interval[1]:.2f}" if of else "-"


def _reliability(bands: Sequence[Band]) -> Table:
    table = Table("probability", "candidates", "right", "mean probability", "share right")
    for band in bands:
        if band.candidates:
            table.add_row(
                f"{band.low:.1f}-{band.low + 0.1:.1f}",
                *(str(band.candidates), str(band.right), f"{band.mean:.3f}", f"{band.share:.3f}"),
            )
    return table


def _errors(title: str, errors: tuple[Error, ...]) -> Table:
    table = Table("video", "channel", "brand", "detail", "text", title=f"{title}: {len(errors)}")
    for error in errors:
        cells = (error.video, error.channel, error.brand, error.detail, error.text)
        table.add_row(*(Text(lines(cell), overflow="fold") for cell in cells))
    return table


def _score_json(measured: Measured) -> dict[str, object]:
    score = measured.score
    return {
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "pairs": score.right + score.missed,
        "right": score.right,
        "wrong": score.wrong,
        "missed": score.missed,
        "precision_interval": list(measured.precision_interval),
        "recall_interval": list(measured.recall_interval),
        "f1_interval": list(measured.f1_interval),
    }
