"""Decisions on suggested candidates, kept as labelled videos: what `review` writes, `train`, `evaluate` and `review` read."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

from import_worker.detector.detection import Detection
from import_worker.detector.labelled import Label, LabelledVideo, names_label, read_labelled
from import_worker.detector.review import Suggestion

Decision = Literal["sponsor", "none", "ignore"]

_STRATUM: Final = "review"

_LISTS: Final[dict[Decision, str]] = {
    "sponsor": "sponsors",
    "none": "rejected",
    "ignore": "ignore",
}
"""Where a line has the brands of each decision; who claims a rejected one is wrong."""


class DecisionFile:
    """A file of decisions, a line a video in the format of labels, with `rejected` besides.

    Candidates of a decided video that nobody decided on are under `ignore`, marked `undecided`: they count neither way, and are
    suggested again.
    """

    def __init__(self, path: Path) -> None:
        """Read the decisions that a file has; a file that is not there has none.

        Raises:
            ValueError: A line is no labelled video; the message names the line.
        """
        self._path = path
        self._lines: dict[str, dict[str, Any]] = {}
        text = path.read_text("utf-8") if path.exists() else ""
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    decoded = json.loads(line)
                    lists: dict[str, Any] = {
                        name: decoded.get(name) or [] for name in _LISTS.values()
                    }
                    self._lines[read_labelled(decoded).id] = decoded | lists
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    raise ValueError(f"{path.name}:{number}: {error}") from error

    def __len__(self) -> int:
        """Return how many videos have decisions."""
        return len(self._lines)

    def has(self, suggestion: Suggestion) -> bool:
        """Return whether a candidate was decided on."""
        line = self._lines.get(suggestion.video.id, {})
        return any(
            _is_of(suggestion.detection, brand) and not brand.get("undecided")
            for name in _LISTS.values()
            for brand in line.get(name, ())
        )

    def add(self, suggestion: Suggestion, decision: Decision, others: Iterable[Suggestion]) -> None:
        """Take in a decision, and write the file; of `others` those of its video are undecided unless they were decided on."""
        video, detection = suggestion.video, suggestion.detection
        line = self._lines.setdefault(video.id, _line_of(video))
        line["ignore"] = [brand for brand in line["ignore"] if not _is_of(detection, brand)]
        evidence = {"evidence": detection.excerpt, "kind": detection.kind.replace("_", " ")}
        line[_LISTS[decision]] += [_brand(detection) | (evidence if decision == "sponsor" else {})]
        known = [brand for name in _LISTS.values() for brand in line[name]]
        line["ignore"] += [
            _brand(other.detection) | {"undecided": True}
            for other in others
            if other.video.id == video.id and not any(_is_of(other.detection, b) for b in known)
        ]
        self._write()

    def _write(self) -> None:
        written = self._path.with_name(f"{self._path.name}.new")
        # In ASCII, as texts may have halves of characters, which no encoding can write.
        lines = (json.dumps(line) + "\n" for line in self._lines.values())
        written.write_text("".join(lines), "utf-8")
        written.replace(self._path)


def _line_of(video: LabelledVideo) -> dict[str, Any]:
    return {
        "id": video.id,
        "channel": video.channel,
        "title": video.title,
        "description": video.description,
        "category_id": "" if video.category is None else str(video.category),
        "newlines_lost": video.lost_breaks,
        "stratum": video.stratum or _STRATUM,
        "sponsors": [_label(label) for label in video.sponsors],
        "ignore": [_label(label) for label in video.ignored],
        "rejected": [],
    }


def _label(label: Label) -> dict[str, Any]:
    return {
        "brand": label.brand,
        "domain": label.domain,
        "domains": list(label.other_domains),
        "aliases": list(label.aliases),
        "kind": label.kind.replace("_", " "),
        "evidence": label.evidence,
    }


def _brand(detection: Detection) -> dict[str, Any]:
    return {"brand": detection.brand, "domain": detection.domain}


def _is_of(detection: Detection, brand: dict[str, Any]) -> bool:
    label = Label(brand["brand"], brand.get("domain"), tuple(brand.get("aliases") or ()), "")
    return names_label(detection.brand, detection.domain, label)
