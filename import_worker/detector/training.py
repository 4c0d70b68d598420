"""Training of the decider on labelled videos. It needs scikit-learn, which the services do not."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from import_worker.detector.context import ChannelContext, contexts_of
from import_worker.detector.decider import Decider, read_decider
from import_worker.detector.directory import bundled_directory
from import_worker.detector.labelled import LabelledVideo, names_label
from import_worker.detector.learners import BoostedTrees, calibration
from import_worker.detector.proposals import Proposed, propose_features

FOLDS: Final = 5

DIVISIONS: Final = 3
"""Ways to divide the channels into folds: the calibration rests on scores of all, for those of one move with its luck."""

WRITTEN_WEIGHT: Final = 0.3
"""What a candidate of a written text counts beside one of a labelled video: they have forms and languages that few of those have."""

_SALTS: Final = "fgh"


@dataclass(frozen=True, slots=True)
class Row:
    """A candidate of a labelled video.

    Attributes:
        video: The video.
        proposed: The candidate with its features.
        labels: The numbers of the video's labels that it names.
        is_ignored: Whether it names a brand that counts neither way.
    """

    video: LabelledVideo
    proposed: Proposed
    labels: tuple[int, ...]
    is_ignored: bool


def rows_of(
    videos: Sequence[LabelledVideo], advance: Callable[[], object] = lambda: None
) -> list[Row]:
    """Return the candidates of all videos; channels are known from these videos alone.

    `advance` is called after each video.
    """
    contexts: Mapping[str, ChannelContext] = contexts_of(
        (video.channel, video.description) for video in videos
    )
    rows: list[Row] = []
    for video in videos:
        proposals = propose_features(
            video.title,
            video.description,
            contexts[video.channel],
            bundled_directory(),
            category=video.category,
        )
        for proposed in proposals:
            found = proposed.candidate.found
            named = [
                number
                for number, label in enumerate(video.sponsors)
                if names_label(found.name, found.domain, label)
            ]
            ignored = any(names_label(found.name, found.domain, item) for item in video.ignored)
            rows.append(Row(video, proposed, tuple(named), ignored))
        advance()
    return rows


def fold_of(channel: str, division: int = 0) -> int:
    """Return the fold of a channel in a division, by its name's hash: all of its videos are held out together."""
    digest = hashlib.sha256(f"{_SALTS[division]}{channel}".encode()).hexdigest()
    return int(digest, 16) % FOLDS


def train(
    rows: Sequence[Row], labels: Mapping[str, str], written: Sequence[Row] = ()
) -> dict[str, Any]:
    """Return the weights learnt from all rows, calibrated on scores of held-out channels.

    Args:
        rows: The candidates.
        labels: SHA-256 of each file of labels, by its name.
        written: Candidates of texts that were written to train on; nothing is calibrated or measured on them.

    Raises:
        ValueError: There are no right or no wrong candidates to learn from.
    """
    if len({bool(row.labels) for row in rows if row.labels or not row.is_ignored}) < 2:
        raise ValueError("training needs candidates that are sponsors and candidates that are not")
    names = _names([*rows, *written])
    scores, probabilities = _calibration(out_of_fold_scores(rows, written))
    trees = _fit(rows, names, written).trees()
    return {
        "labels": dict(labels),
        "candidates": len(rows),
        "features": names,
        "scores": scores,
        "probabilities": probabilities,
        "trees": trees,
    }


def out_of_fold_scores(rows: Sequence[Row], written: Sequence[Row] = ()) -> list[tuple[Row, float]]:
    """Return each row with the scores of trees that have seen no video of its channel, one score a division."""
    names = _names([*rows, *written])
    scored: list[tuple[Row, float]] = []
    for division, fold in product(range(DIVISIONS), range(FOLDS)):
        seen = [row for row in rows if fold_of(row.video.channel, division) != fold]
        held_out = [row for row in rows if fold_of(row.video.channel, division) == fold]
        if held_out and seen:
            scores = _fit(seen, names, written).scores(_matrix(held_out, names))
            scored += zip(held_out, scores, strict=True)
    return scored


def out_of_fold_deciders(rows: Sequence[Row], written: Sequence[Row] = ()) -> list[Decider]:
    """Return for each fold a decider that has seen none of its channels."""
    return [
        read_decider(
            train([row for row in rows if fold_of(row.video.channel) != fold], {}, written)
        )
        for fold in range(FOLDS)
    ]


def write_weights(weights: Mapping[str, Any], path: Path) -> None:
    """Write weights as JSON, a tree a line."""
    head = {key: value for key, value in weights.items() if key != "trees"}
    trees = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in weights["trees"])
    text = json.dumps(head, indent=1, ensure_ascii=False)
    path.write_text(f'{text[:-2]},\n "trees": [\n{trees}\n]}}\n', encoding="utf-8")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _names(rows: Iterable[Row]) -> list[str]:
    return sorted({name for row in rows for name in row.proposed.features})


def _matrix(rows: Sequence[Row], names: Sequence[str]) -> list[list[float]]:
    return [[row.proposed.features.get(name, 0.0) for name in names] for row in rows]


def _fit(rows: Sequence[Row], names: Sequence[str], written: Sequence[Row]) -> BoostedTrees:
    measured, further = _counted(rows), _counted(written)
    counted = [*measured, *further]
    weights = [1.0] * len(measured) + [WRITTEN_WEIGHT] * len(further)
    return BoostedTrees(_matrix(counted, names), _are_right(counted), names, weights)


def _counted(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.labels or not row.is_ignored]


def _are_right(rows: Sequence[Row]) -> list[bool]:
    return [bool(row.labels) for row in rows]


def _calibration(scored: Sequence[tuple[Row, float]]) -> tuple[list[float], list[float]]:
    """Return scores with their probabilities."""
    counted = [(row, score) for row, score in scored if row.labels or not row.is_ignored]
    return calibration([score for _, score in counted], _are_right([row for row, _ in counted]))
