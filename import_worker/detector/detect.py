"""Detection of a video's sponsors in its texts and its channel's context."""

from dataclasses import replace
from typing import Final

from import_worker.detector.context import ChannelContext
from import_worker.detector.decider import Decider, bundled_decider
from import_worker.detector.detection import Detection
from import_worker.detector.directory import Directory, bundled_directory
from import_worker.detector.evidence import detection_of
from import_worker.detector.proposals import Decided, decide, propose_features
from import_worker.detector.signal_odds import max_probability, with_signals
from import_worker.domain.signals import VideoSignals

LEAST_PROBABILITY: Final = 0.5
"""Candidates below it are not published."""

_LEAST_PROPOSED: Final = 0.05


def detect(  # noqa: PLR0913 (each is a part of what is known of a video)
    title: str,
    description: str,
    context: ChannelContext,
    directory: Directory | None = None,
    *,
    category: int | None = None,
    signals: VideoSignals | None = None,
    decider: Decider | None = None,
) -> tuple[Detection, ...]:
    """Return the sponsors of a video, the most certain first; each brand once.

    Args:
        title: The video's title.
        description: The video's description; its first ten thousand characters are read.
        context: What is known of the channel, see `context.channel_context`.
        directory: The brands to know; the bundled ones by default.
        category: YouTube's number of the video's category.
        signals: YouTube's mark, sponsors' chapters and viewers' segments.
        decider: The weights; the bundled ones by default.
    """
    decided = _decided(title, description, context, directory, category, decider)
    return _with_signals(decided, signals, LEAST_PROBABILITY)


def propose(  # noqa: PLR0913 (as `detect`)
    title: str,
    description: str,
    context: ChannelContext,
    directory: Directory | None = None,
    *,
    category: int | None = None,
    signals: VideoSignals | None = None,
    decider: Decider | None = None,
) -> tuple[Detection, ...]:
    """Return the brands that may stand behind a video, also those too unsure to be published."""
    decided = _decided(title, description, context, directory, category, decider)
    return _with_signals(decided, signals, _LEAST_PROPOSED)


def _decided(
    title: str,
    description: str,
    context: ChannelContext,
    directory: Directory | None,
    category: int | None,
    decider: Decider | None,
) -> list[Decided]:
    proposals = propose_features(
        title, description, context, directory or bundled_directory(), category=category
    )
    return decide(proposals, decider or bundled_decider())


def _with_signals(
    decided: list[Decided], signals: VideoSignals | None, least: float
) -> tuple[Detection, ...]:
    """Return the detections that have the least probability with what the signals speak for."""
    if signals is None:
        return tuple(detection_of(item) for item in decided if round(item.probability, 2) >= least)
    # Of most candidates no signal would make a proposal: their evidence is not looked for.
    likely = (
        item
        for item in decided
        if round(max_probability(round(item.probability, 2), signals), 2) >= least
    )
    found = (_weighed(detection_of(item), signals) for item in likely)
    return tuple(item for item in found if item.confidence >= least)


def _weighed(found: Detection, signals: VideoSignals) -> Detection:
    probability = with_signals(found.confidence, found.brand, found.kind, signals)
    return replace(found, confidence=round(probability, 2))
