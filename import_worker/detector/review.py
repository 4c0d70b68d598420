"""Choice of what to label next: candidates that the decider is unsure of, and frequent unknown brands."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from import_worker.detector.brand_names import article_free
from import_worker.detector.detection import Detection
from import_worker.detector.directory import bundled_directory
from import_worker.detector.evaluation import Result
from import_worker.detector.labelled import (
    LabelledVideo,
    is_exam_channel,
    matches,
    read_labels,
)

_EVEN: Final = 0.5
_LEAST_CHANNELS: Final = 2


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A candidate that no label of its video names."""

    video: LabelledVideo
    detection: Detection


@dataclass(frozen=True, slots=True)
class UnknownBrand:
    """A brand outside the directory, with how often it is a candidate."""

    name: str
    domain: str | None
    videos: int
    channels: int
    probability: float


def read_videos(path: Path, *, exclude_exam: bool = False) -> list[LabelledVideo]:
    """Return the videos of a file: labelled ones of JSON lines, or collected ones of JSON lines, which may be gzipped.

    With `exclude_exam` videos of channels that are kept back are left out.

    Raises:
        ValueError: A line is no video; the message names the line.
    """
    is_compressed = path.suffix == ".gz"
    if not is_compressed and not _holds_collected(path):
        return read_labels(path, exclude_exam=exclude_exam)
    videos: list[LabelledVideo] = []
    with (gzip.open if is_compressed else open)(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                decoded = json.loads(line)
                if not (exclude_exam and is_exam_channel(decoded["channel_title"] or "")):
                    videos.append(_collected(decoded, number))
            except KeyError as error:
                raise ValueError(f"{path.name}:{number}: a video has no field {error}") from error
            except (ValueError, TypeError) as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return videos


def _holds_collected(path: Path) -> bool:
    """Return whether a file's first line is a collected video's, which has no labels."""
    with path.open(encoding="utf-8") as lines:
        first = next((line for line in lines if line.strip()), "")
    try:
        decoded = json.loads(first) if first else None
    except ValueError:
        return False
    return isinstance(decoded, dict) and "video_id" in decoded and "sponsors" not in decoded


def suggestions_of(results: Iterable[Result]) -> list[Suggestion]:
    """Return the candidates that no label names, those nearest to an even chance first."""
    suggestions = [
        Suggestion(result.video, item)
        for result in results
        for item in result.proposed
        if not any(
            matches(item, label) for label in (*result.video.sponsors, *result.video.ignored)
        )
    ]
    return sorted(suggestions, key=lambda suggestion: abs(suggestion.detection.confidence - _EVEN))


def unknown_brands(suggestions: Sequence[Suggestion]) -> list[UnknownBrand]:
    """Return the brands outside the directory that two channels or more may have, the widest first."""
    directory = bundled_directory()
    by_key: defaultdict[str, list[Suggestion]] = defaultdict(list)
    for suggestion in suggestions:
        if directory.named(suggestion.detection.brand) is None:
            by_key[article_free(suggestion.detection.brand)].append(suggestion)
    brands = [_unknown(suggestions) for suggestions in by_key.values()]
    wide = [brand for brand in brands if brand.channels >= _LEAST_CHANNELS]
    return sorted(wide, key=lambda brand: (-brand.channels, -brand.videos, brand.name))


def _unknown(suggestions: Sequence[Suggestion]) -> UnknownBrand:
    best = max(suggestions, key=lambda suggestion: suggestion.detection.confidence).detection
    return UnknownBrand(
        name=best.brand,
        domain=best.domain,
        videos=len({suggestion.video.id for suggestion in suggestions}),
        channels=len({suggestion.video.channel for suggestion in suggestions}),
        probability=sum(suggestion.detection.confidence for suggestion in suggestions)
        / len(suggestions),
    )


def _collected(line: Mapping[str, Any], number: int) -> LabelledVideo:
    return LabelledVideo(
        id=str(line["video_id"] or f"line {number}"),
        channel=line["channel_title"] or "",
        stratum="",
        title=line["title"] or "",
        description=line["description"] or "",
        sponsors=(),
        ignored=(),
        category=int(line["category_id"]) if line.get("category_id") else None,
    )
