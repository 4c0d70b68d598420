"""Evaluation of the detector on labelled videos: micro precision and recall over (video, brand)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Final

from import_worker.detector.context import ChannelContext, channel_context
from import_worker.detector.detect import detect
from import_worker.detector.detection import Detection
from import_worker.detector.directory import Directory
from import_worker.detector.labelled import Label, LabelledVideo, matches, read_labels
from import_worker.detector.languages import language_of

_Z95: Final = 1.959964


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The Wilson interval of a share, at 95 %; everything is possible without trials."""
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, _Z95 * _Z95
    middle = share + square / (2 * trials)
    reach = _Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of pairs that were right, wrongly claimed, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Share of the claims that are right; 1 without claims."""
        claimed = self.right + self.wrong
        return self.right / claimed if claimed else 1.0

    @property
    def recall(self) -> float:
        """Share of the labels that were found; 1 without labels."""
        labelled = self.right + self.missed
        return self.right / labelled if labelled else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def precision_interval(self) -> tuple[float, float]:
        """The 95 % interval of the precision."""
        return wilson(self.right, self.right + self.wrong)

    @property
    def recall_interval(self) -> tuple[float, float]:
        """The 95 % interval of the recall."""
        return wilson(self.right, self.right + self.missed)

    @property
    def f1_interval(self) -> tuple[float, float]:
        """The 95 % interval of F1, a function of the share right / (right + wrong + missed)."""
        low, high = wilson(self.right, self.right + self.wrong + self.missed)
        return 2 * low / (1 + low), 2 * high / (1 + high)

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)


@dataclass(frozen=True, slots=True)
class Error:
    """A wrong claim or a missed label, with the text that was read, for reading."""

    video: str
    channel: str
    brand: str
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole score, its parts, and every error."""

    videos: int
    overall: Score
    by_stratum: Mapping[str, Score]
    by_kind: Mapping[str, Score]
    by_language: Mapping[str, Score]
    wrong: tuple[Error, ...]
    missed: tuple[Error, ...]


def evaluate_file(path: Path, directory: Directory | None = None) -> Evaluation:
    """Runs the detector on a file of labelled videos and scores it.

    The context of a channel is learnt from the channel's videos in that file alone.

    Raises:
        ValueError: A line is no labelled video.
    """
    videos = read_labels(path)
    contexts = _contexts(videos)
    return evaluate(
        (video, detect(video.title, video.description, contexts[video.channel], directory))
        for video in videos
    )


def evaluate(results: Iterable[tuple[LabelledVideo, Sequence[Detection]]]) -> Evaluation:
    """Scores detections against labels."""
    videos, overall = 0, Score()
    by_stratum: defaultdict[str, Score] = defaultdict(Score)
    by_kind: defaultdict[str, Score] = defaultdict(Score)
    by_language: defaultdict[str, Score] = defaultdict(Score)
    wrong: list[Error] = []
    missed: list[Error] = []
    for video, detections in results:
        found, false, lost = _compare(video, detections)
        score = Score(len(found), len(false), len(lost))
        videos += 1
        overall += score
        by_stratum[video.stratum] += score
        by_language[language_of(f"{video.title}\n{video.description}")] += score
        for label in found:
            by_kind[label.kind] += Score(right=1)
        for label in lost:
            by_kind[label.kind] += Score(missed=1)
            missed.append(Error(video.id, video.channel, label.brand, label.kind, label.evidence))
        for item in false:
            by_kind[item.kind] += Score(wrong=1)
            wrong.append(
                Error(
                    video.id, video.channel, item.brand, f"{item.kind}: {item.reason}", item.excerpt
                )
            )
    return Evaluation(
        videos, overall, by_stratum, by_kind, by_language, tuple(wrong), tuple(missed)
    )


def _compare(
    video: LabelledVideo, detections: Sequence[Detection]
) -> tuple[list[Label], list[Detection], list[Label]]:
    found: list[Label] = []
    false: list[Detection] = []
    for detection in detections:
        labels = [label for label in video.sponsors if matches(detection, label)]
        found.extend(label for label in labels if label not in found)
        if not labels and not any(matches(detection, label) for label in video.ignored):
            false.append(detection)
    return found, false, [label for label in video.sponsors if label not in found]


def _contexts(videos: Iterable[LabelledVideo]) -> dict[str, ChannelContext]:
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for video in videos:
        texts[video.channel].append(video.description)
    return {name: channel_context(name, own) for name, own in texts.items()}
