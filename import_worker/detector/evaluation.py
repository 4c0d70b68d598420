"""Evaluation of the detector on labelled videos: micro precision and recall over (video, brand)."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from import_worker.detector.brand_names import article_free
from import_worker.detector.context import contexts_of
from import_worker.detector.decider import Decider
from import_worker.detector.detect import LEAST_PROBABILITY, propose
from import_worker.detector.detection import Detection
from import_worker.detector.directory import Directory
from import_worker.detector.intervals import ENOUGH_GROUPS, Interval, bootstrap, wilson
from import_worker.detector.labelled import Label, LabelledVideo, matches
from import_worker.detector.languages import language_of
from import_worker.detector.reliability import Band, bands_of, expected_error


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
class Measured:
    """A score with the 95 % intervals of its precision, recall and F1."""

    score: Score
    precision_interval: Interval
    recall_interval: Interval
    f1_interval: Interval


@dataclass(slots=True)
class Tally:
    """Scores by channel, which are resampled whole."""

    by_channel: defaultdict[str, Score] = field(
        default_factory=lambda: defaultdict[str, Score](Score)
    )

    def add(self, channel: str, score: Score) -> None:
        """Add a score of one of the channel's videos; one that counts nothing changes nothing."""
        if score != Score():
            self.by_channel[channel] += score

    def measured(self) -> Measured:
        """Return the sum, with a bootstrap's intervals, or Wilson's for few channels."""
        scores = list(self.by_channel.values())
        total = sum(scores, Score())
        if len(scores) < ENOUGH_GROUPS:
            return Measured(total, *_wilson_intervals(total))
        counts = [(score.right, score.wrong, score.missed) for score in scores]
        return Measured(total, *bootstrap(counts, _shares))


@dataclass(frozen=True, slots=True)
class Error:
    """A wrong claim or a missed label, with the text that was read, for reading."""

    video: str
    channel: str
    brand: str
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A labelled video with all that the detector proposes for it, the surest first."""

    video: LabelledVideo
    proposed: tuple[Detection, ...]

    @property
    def published(self) -> tuple[Detection, ...]:
        """The detections that are certain enough to be published."""
        return tuple(item for item in self.proposed if item.confidence >= LEAST_PROBABILITY)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole score, its parts, and every error.

    Attributes:
        videos: How many videos were read.
        overall: The score over all of them.
        by_stratum: By how a video was drawn.
        by_kind: By kind: a claim is right in it when it and the label agree on the kind.
        kinds: How many of the brands found were claimed as the first kind and labelled as the second.
        by_language: By a guess at the text's language.
        by_breaks: By whether the source kept the line breaks: "intact" or "lost".
        matched: How many claims match a label; two of one label are a duplicate.
        exact_names: How many of them have the label's brand name, apart from case and article.
        duplicates: How many repeat a label that another claim of the video matches.
        bands: Candidates by probability, also those that are not published.
        wrong: The wrong claims.
        missed: The missed labels.
    """

    videos: int
    overall: Measured
    by_stratum: Mapping[str, Measured]
    by_kind: Mapping[str, Measured]
    kinds: Mapping[tuple[str, str], int]
    by_language: Mapping[str, Measured]
    by_breaks: Mapping[str, Measured]
    matched: int
    exact_names: int
    duplicates: int
    bands: tuple[Band, ...]
    published_bands: tuple[Band, ...]
    wrong: tuple[Error, ...]
    missed: tuple[Error, ...]

    @property
    def kind_share(self) -> float:
        """The share of the brands found whose kind is the label's; 1 without any."""
        right = sum(
            count for (claimed, labelled), count in self.kinds.items() if claimed == labelled
        )
        return right / sum(self.kinds.values()) if self.kinds else 1.0

    @property
    def exact_share(self) -> float:
        """The share of matching claims with the label's name; 1 without claims."""
        return self.exact_names / self.matched if self.matched else 1.0

    @property
    def calibration_error(self) -> float:
        """The expected calibration error over all candidates."""
        return expected_error(self.bands)

    @property
    def published_calibration_error(self) -> float:
        """The expected calibration error over what is published."""
        return expected_error(self.published_bands)


def detect_all(
    videos: Sequence[LabelledVideo],
    decider_of: Callable[[str], Decider | None] = lambda _: None,
    directory: Directory | None = None,
    advance: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Run the detector on videos; the context of a channel is learnt from all of these together.

    Args:
        videos: The videos, of all files.
        decider_of: The decider for a channel's name; None is the bundled one.
        directory: The brands to know; the bundled ones by default.
        advance: Called after each video.
    """
    contexts = contexts_of((video.channel, video.description) for video in videos)
    results: list[Result] = []
    for video in videos:
        proposed = propose(
            video.title,
            video.description,
            contexts[video.channel],
            directory,
            category=video.category,
            decider=decider_of(video.channel),
        )
        results.append(Result(video, proposed))
        advance()
    return results


def evaluate(results: Iterable[Result]) -> Evaluation:
    """Score what is published against the labels."""
    counts = _Counts()
    for result in results:
        counts.add(result)
    return counts.evaluation()


def write_predictions(results: Iterable[Result], path: Path) -> None:
    """Write what is published as JSON lines, a line a video."""
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            sponsors = [
                {
                    "brand": item.brand,
                    "domain": item.domain,
                    "kind": item.kind,
                    "probability": item.confidence,
                }
                for item in result.published
            ]
            line = {"id": result.video.id, "sponsors": sponsors}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


class _Counts:
    """What is counted while results are read."""

    def __init__(self) -> None:
        self.videos = self.matched = self.exact = self.duplicates = 0
        self.overall = Tally()
        self.stratum, self.kind, self.language, self.breaks = (
            defaultdict[str, Tally](Tally) for _ in range(4)
        )
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.candidates: list[tuple[float, bool]] = []
        self.wrong: list[Error] = []
        self.missed: list[Error] = []

    def add(self, result: Result) -> None:
        video = result.video
        found, false, lost = self._compare(video, result.published)
        score = Score(len(found), len(false), len(lost))
        self.videos += 1
        language = language_of(f"{video.title}\n{video.description}")
        breaks = "lost" if video.lost_breaks else "intact"
        for tally in (
            self.overall,
            self.stratum[video.stratum],
            self.language[language],
            self.breaks[breaks],
        ):
            tally.add(video.channel, score)
        self._add_kinds(video, self._pairs(result, found), false, lost)
        for item in result.proposed:
            is_right = any(matches(item, label) for label in video.sponsors)
            if is_right or not any(matches(item, label) for label in video.ignored):
                self.candidates.append((item.confidence, is_right))

    def evaluation(self) -> Evaluation:
        published = (item for item in self.candidates if item[0] >= LEAST_PROBABILITY)
        return Evaluation(
            videos=self.videos,
            overall=self.overall.measured(),
            by_stratum=_measured(self.stratum),
            by_kind=_measured(self.kind),
            kinds=dict(self.kinds),
            by_language=_measured(self.language),
            by_breaks=_measured(self.breaks),
            matched=self.matched,
            exact_names=self.exact,
            duplicates=self.duplicates,
            bands=bands_of(self.candidates),
            published_bands=bands_of(published),
            wrong=tuple(self.wrong),
            missed=tuple(self.missed),
        )

    def _compare(
        self, video: LabelledVideo, detections: Sequence[Detection]
    ) -> tuple[list[Label], list[Detection], list[Label]]:
        found: list[Label] = []
        false: list[Detection] = []
        for detection in detections:
            labels = [label for label in video.sponsors if matches(detection, label)]
            self._count_names(detection, labels, found)
            found.extend(label for label in labels if label not in found)
            if not labels and not any(matches(detection, label) for label in video.ignored):
                false.append(detection)
        return found, false, [label for label in video.sponsors if label not in found]

    def _count_names(
        self, detection: Detection, labels: Sequence[Label], found: Sequence[Label]
    ) -> None:
        if labels:
            name = article_free(detection.brand)
            self.matched += 1
            self.exact += any(name == article_free(label.brand) for label in labels)
            self.duplicates += all(label in found for label in labels)

    @staticmethod
    def _pairs(result: Result, found: Sequence[Label]) -> list[tuple[Label, Detection]]:
        """Return the labels that were found with the surest claim of each."""
        return [
            (label, next(item for item in result.published if matches(item, label)))
            for label in found
        ]

    def _add_kinds(
        self,
        video: LabelledVideo,
        found: Sequence[tuple[Label, Detection]],
        false: Sequence[Detection],
        lost: Sequence[Label],
    ) -> None:
        for label, claim in found:
            if claim.kind == label.kind:
                self.kind[label.kind].add(video.channel, Score(right=1))
            else:
                self.kind[label.kind].add(video.channel, Score(missed=1))
                self.kind[claim.kind].add(video.channel, Score(wrong=1))
            self.kinds[claim.kind, label.kind] += 1
        for label in lost:
            self.kind[label.kind].add(video.channel, Score(missed=1))
            self.missed.append(
                Error(video.id, video.channel, label.brand, label.kind, label.evidence)
            )
        for item in false:
            self.kind[item.kind].add(video.channel, Score(wrong=1))
            detail = f"{item.kind}: {item.reason} ({item.confidence:.2f})"
            self.wrong.append(Error(video.id, video.channel, item.brand, detail, item.excerpt))


def _measured(tallies: Mapping[str, Tally]) -> dict[str, Measured]:
    return {key: tally.measured() for key, tally in tallies.items()}


def _wilson_intervals(score: Score) -> tuple[Interval, Interval, Interval]:
    # F1 is a function of the share right / (right + wrong + missed).
    low, high = wilson(score.right, score.right + score.wrong + score.missed)
    return (
        wilson(score.right, score.right + score.wrong),
        wilson(score.right, score.right + score.missed),
        (2 * low / (1 + low), 2 * high / (1 + high)),
    )


def _shares(counts: Sequence[tuple[int, int, int]]) -> tuple[float, float, float]:
    right, wrong, missed = (sum(column) for column in zip(*counts, strict=True))
    score = Score(right, wrong, missed)
    return score.precision, score.recall, score.f1
