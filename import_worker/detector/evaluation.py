"""How well the detector does on labelled videos: micro precision and recall over (video, brand)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from import_worker.detector.context import ChannelContext, channel_context
from import_worker.detector.detect import detect
from import_worker.detector.detection import Detection
from import_worker.detector.directory import Directory
from import_worker.detector.folding import name_key

_KINDS: Final = {
    "paid sponsorship": "paid_sponsorship",
    "promo code": "promo_code",
    "affiliate": "affiliate",
    "free product": "free_product",
}


@dataclass(frozen=True, slots=True)
class Label:
    """A brand that a reader named; `kind` is empty for brands that count neither way."""

    brand: str
    domain: str | None
    aliases: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class LabelledVideo:
    """A video with the brands that sponsor it and those that count neither way."""

    id: str
    channel: str
    stratum: str
    title: str
    description: str
    sponsors: tuple[Label, ...]
    ignored: tuple[Label, ...]


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

    def __add__(self, other: "Score") -> "Score":
        return Score(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)


@dataclass(frozen=True, slots=True)
class Error:
    """A wrong claim or a missed label, for reading."""

    video: str
    channel: str
    brand: str
    detail: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole score, its parts, and every error."""

    overall: Score
    by_stratum: Mapping[str, Score]
    by_kind: Mapping[str, Score]
    by_channel: Mapping[str, Score]
    wrong: tuple[Error, ...]
    missed: tuple[Error, ...]


def evaluate_file(path: Path, directory: Directory | None = None) -> Evaluation:
    """Runs the detector on a file of labelled videos, JSON lines in UTF-8, and scores it.

    The context of a channel is learnt from the channel's videos in that file alone.

    Raises:
        ValueError: A line is no labelled video.
    """
    with path.open(encoding="utf-8") as lines:
        videos = [read_labelled(json.loads(line)) for line in lines if line.strip()]
    contexts = _contexts(videos)
    return evaluate(
        (video, detect(video.title, video.description, contexts[video.channel], directory))
        for video in videos
    )


def evaluate(results: Iterable[tuple[LabelledVideo, Sequence[Detection]]]) -> Evaluation:
    """Scores detections against labels."""
    overall = Score()
    by_stratum: defaultdict[str, Score] = defaultdict(Score)
    by_kind: defaultdict[str, Score] = defaultdict(Score)
    by_channel: defaultdict[str, Score] = defaultdict(Score)
    wrong: list[Error] = []
    missed: list[Error] = []
    for video, detections in results:
        found, false, lost = _compare(video, detections)
        score = Score(len(found), len(false), len(lost))
        overall += score
        by_stratum[video.stratum] += score
        by_channel[video.channel] += score
        for label in found:
            by_kind[label.kind] += Score(right=1)
        for label in lost:
            by_kind[label.kind] += Score(missed=1)
            missed.append(Error(video.id, video.channel, label.brand, label.kind))
        for detection in false:
            by_kind[detection.kind] += Score(wrong=1)
            wrong.append(Error(video.id, video.channel, detection.brand, detection.reason))
    return Evaluation(overall, by_stratum, by_kind, by_channel, tuple(wrong), tuple(missed))


def read_labelled(line: Mapping[str, Any]) -> LabelledVideo:
    """A labelled video from its decoded JSON line.

    Raises:
        ValueError: A field is missing.
    """
    try:
        return LabelledVideo(
            id=line["id"],
            channel=line["channel"],
            stratum=line.get("stratum") or "",
            title=line["title"] or "",
            description=line["description"] or "",
            sponsors=tuple(
                _label(one, _KINDS.get(str(one["kind"]), str(one["kind"])))
                for one in line["sponsors"]
            ),
            ignored=tuple(_label(one, "") for one in line["ignore"]),
        )
    except KeyError as error:
        raise ValueError(f"a labelled video has no field {error}") from error


def matches(detection: Detection, label: Label) -> bool:
    """Whether a detection names the labelled brand: by domain, else by name or alias."""
    if detection.domain and detection.domain == (label.domain or "").lower():
        return True
    names = {name_key(name) for name in (label.brand, *label.aliases)}
    return name_key(detection.brand) in names


def _label(line: Mapping[str, Any], kind: str) -> Label:
    return Label(line["brand"], line.get("domain"), tuple(line.get("aliases") or ()), kind)


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
