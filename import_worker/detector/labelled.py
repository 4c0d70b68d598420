"""Videos that a reader labelled with their sponsors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from import_worker.detector.detection import Detection
from import_worker.detector.folding import name_key

_KINDS: Final = {
    "paid sponsorship": "paid_sponsorship",
    "promo code": "promo_code",
    "free product": "free_product",
}


@dataclass(frozen=True, slots=True)
class Label:
    """A brand that a reader named; `kind` is empty for brands that count neither way."""

    brand: str
    domain: str | None
    aliases: tuple[str, ...]
    kind: str
    evidence: str = ""


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


def read_labels(path: Path) -> list[LabelledVideo]:
    """The labelled videos of a file, JSON lines in UTF-8.

    Raises:
        ValueError: A line is no labelled video; the message names the line.
    """
    videos: list[LabelledVideo] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                videos += [read_labelled(json.loads(line))] if line.strip() else []
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return videos


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
            sponsors=tuple(_label(sponsor, str(sponsor["kind"])) for sponsor in line["sponsors"]),
            ignored=tuple(_label(item, "") for item in line.get("ignore") or ()),
        )
    except KeyError as error:
        raise ValueError(f"a labelled video has no field {error}") from error


def matches(detection: Detection, label: Label) -> bool:
    """Return whether a detection names the labelled brand: by domain, else by name or alias."""
    if detection.domain and detection.domain == (label.domain or "").lower():
        return True
    names = {name_key(name) for name in (label.brand, *label.aliases)}
    return name_key(detection.brand) in names


def _label(line: Mapping[str, Any], kind: str) -> Label:
    return Label(
        brand=line["brand"],
        domain=line.get("domain"),
        aliases=tuple(line.get("aliases") or ()),
        kind=_KINDS.get(kind, kind),
        evidence=line.get("evidence") or "",
    )
