"""Videos that a reader labelled with their sponsors."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from import_worker.detector.brand_names import article_free
from import_worker.detector.detection import Detection
from import_worker.domain.records import KINDS

_KINDS: Final = {
    "paid sponsorship": "paid_sponsorship",
    "promo code": "promo_code",
    "free product": "free_product",
}


UNREAD: Final = "unread"
"""The stratum of videos that are there to be measured on, alone or behind another: "unread", "written, unread"."""


@dataclass(frozen=True, slots=True)
class Label:
    """A brand that a reader named; `kind` is empty for brands that count neither way."""

    brand: str
    domain: str | None
    aliases: tuple[str, ...]
    kind: str
    evidence: str = ""
    other_domains: tuple[str, ...] = ()

    @property
    def domains(self) -> frozenset[str]:
        """Its domains: the main one, others, and aliases that are domains."""
        aliases = (alias for alias in self.aliases if "." in alias)
        every = (self.domain or "", *self.other_domains, *aliases)
        return frozenset(domain.lower() for domain in every if domain)

    @property
    def keys(self) -> frozenset[str]:
        """Its names as `brand_names.article_free` gives them."""
        return frozenset(article_free(name) for name in (self.brand, *self.aliases)) - {""}


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
    category: int | None = None
    lost_breaks: bool = False

    @property
    def is_unread(self) -> bool:
        """Whether it is there to be measured on, so that no tree may learn from it."""
        return self.stratum.rpartition(", ")[2] == UNREAD


def is_exam_channel(channel: str) -> bool:
    """Return whether a channel is kept back for the exam: its name's SHA-256 ends in 0, 1 or 2."""
    return hashlib.sha256(channel.encode()).hexdigest()[-1] in "012"


def read_labels(
    path: Path, *, exclude_exam: bool = False, texts: Mapping[str, Mapping[str, Any]] | None = None
) -> list[LabelledVideo]:
    """Return the labelled videos of a file, JSON lines in UTF-8.

    With `exclude_exam` nothing but the channel is read of videos that are kept back. Lines that have a `video_id` and no text
    take channel, title, description and category from `texts`, see `label_texts`.

    Raises:
        ValueError: A line is no labelled video; the message names the line.
    """
    videos: list[LabelledVideo] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                decoded = json.loads(line) if line.strip() else None
                if decoded is not None and texts is not None and "channel" not in decoded:
                    decoded = {**_text_of(decoded, texts), **decoded}
                if decoded is None or (exclude_exam and is_exam_channel(decoded["channel"])):
                    continue
                videos.append(read_labelled(decoded))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return videos


def _text_of(line: Mapping[str, Any], texts: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    text = texts.get(line["video_id"])
    if text is None:
        raise ValueError(f"the collected videos have no video {line['video_id']}")
    return text


def read_labelled(line: Mapping[str, Any]) -> LabelledVideo:
    """Return a labelled video from its decoded JSON line.

    Raises:
        ValueError: A field is missing, or holds what it may not; the message names it.
    """
    try:
        return LabelledVideo(
            id=line["id"],
            channel=line["channel"],
            stratum=line.get("stratum") or line.get("part") or "",
            title=line["title"] or "",
            description=line["description"] or "",
            sponsors=tuple(_label(item, _kind(item)) for item in _brands(line, "sponsors")),
            ignored=tuple(_label(item, "") for item in _brands(line, "ignore")),
            category=int(line["category_id"]) if line.get("category_id") else None,
            lost_breaks=bool(line.get("newlines_lost")),
        )
    except KeyError as error:
        raise ValueError(f"a labelled video has no field {error}") from error


def _brands(line: Mapping[str, Any], field: str) -> Sequence[Mapping[str, Any]]:
    """Return the brands of a field, each an object; one that counts neither way may be a name alone."""
    brands = line[field] if field == "sponsors" else line.get(field) or ()
    if field == "ignore" and isinstance(brands, list | tuple):
        brands = [
            {"brand": brand} if isinstance(brand, str) else brand
            for brand in cast("Sequence[object]", brands)
        ]
    if not isinstance(brands, list | tuple) or not all(
        isinstance(brand, Mapping) for brand in cast("Sequence[object]", brands)
    ):
        raise ValueError(f"the field '{field}' is no list of objects with a 'brand'")
    return cast("Sequence[Mapping[str, Any]]", brands)


def _kind(brand: Mapping[str, Any]) -> str:
    """Return the kind of a sponsor, which may be written with blanks."""
    kind = str(brand["kind"])
    known = _KINDS.get(kind, kind)
    if known not in KINDS:
        raise ValueError(f"the field 'kind' is '{kind}', not one of {', '.join(KINDS)}")
    return known


def matches(detection: Detection, label: Label) -> bool:
    """Return whether a detection names the labelled brand."""
    return names_label(detection.brand, detection.domain, label)


def names_label(name: str, domain: str | None, label: Label) -> bool:
    """Return whether a name with a domain is a label's: by any of its domains, else by name or alias.

    Case, punctuation and a leading article do not matter.
    """
    return (domain is not None and domain in label.domains) or article_free(name) in label.keys


def _label(line: Mapping[str, Any], kind: str) -> Label:
    return Label(
        brand=line["brand"],
        domain=line.get("domain"),
        aliases=tuple(line.get("aliases") or ()),
        kind=kind,
        evidence=line.get("evidence") or "",
        other_domains=tuple(line.get("domains") or ()),
    )
