"""What the detector finds in a text with the features that speak for it, for a person to read."""

from dataclasses import dataclass
from typing import Final

from import_worker.detector.context import ChannelContext
from import_worker.detector.decider import bundled_decider
from import_worker.detector.detect import LEAST_PROBABILITY
from import_worker.detector.detection import Detection
from import_worker.detector.directory import AT_TIMES, bundled_directory
from import_worker.detector.evidence import detection_of
from import_worker.detector.proposals import Decided, decide, propose_features

_FEATURES: Final = 6
_OFTEN_ADVERTISED: Final = "name:creator_ads"


@dataclass(frozen=True, slots=True)
class Explained:
    """A candidate with the features that raised its probability most, the strongest first."""

    detection: Detection
    features: tuple[str, ...]

    @property
    def is_published(self) -> bool:
        """Whether it is sure enough to be published."""
        return self.detection.confidence >= LEAST_PROBABILITY


def explain(title: str, description: str, context: ChannelContext) -> list[Explained]:
    """Return every candidate of a video, the surest first, also those that are not published."""
    decider = bundled_decider()
    proposals = propose_features(title, description, context, bundled_directory())
    return [Explained(detection_of(item), _reasons(item)) for item in decide(proposals, decider)]


def _reasons(item: Decided) -> tuple[str, ...]:
    """Return the features that raised a probability most.

    How often creators advertise a brand is one only where the directory says so: the feature stands for statements too.
    """
    reasons = item.decider.decide(item.features, _FEATURES).reasons
    found = item.candidate.found
    brand = bundled_directory().named(found.name) if found.known else None
    is_advertised = brand is not None and brand.creator_ads > AT_TIMES
    return tuple(reason for reason in reasons if is_advertised or reason != _OFTEN_ADVERTISED)
