"""Deciders for an evaluation on channels that they have not seen."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from import_worker.detector.decider import Decider
from import_worker.detector.labelled import LabelledVideo
from import_worker.detector.training import fold_of, out_of_fold_deciders, rows_of

_STEPS: Final = 10_000


def deciders_by_fold(
    videos: Sequence[LabelledVideo],
    share: float = 1.0,
    advance: Callable[[], object] = lambda: None,
    written: Sequence[LabelledVideo] = (),
    others: Sequence[LabelledVideo] = (),
) -> Callable[[str], Decider]:
    """Train a decider for each fold, and return the one of a channel: it has seen none of its fold.

    Args:
        videos: The labelled videos.
        share: The share of the channels to train on, for a learning curve.
        advance: Called after each video that was read.
        written: Written texts to train on, see `training.WRITTEN_WEIGHT`.
        others: Further labelled videos to train on; each fold leaves out those of its channels too.

    Raises:
        ValueError: A fold has no right or no wrong candidates to learn from.
    """
    # Unread videos are read for what their channels teach, and teach the trees nothing.
    rows = [row for row in rows_of([*videos, *others], advance) if not row.video.is_unread]
    seen = [row for row in rows if _is_within(row.video.channel, share)]
    deciders = out_of_fold_deciders(seen, rows_of(written))
    return lambda channel: deciders[fold_of(channel)]


def _is_within(channel: str, share: float) -> bool:
    digest = hashlib.sha256(f"share {channel}".encode()).hexdigest()
    return int(digest, 16) % _STEPS < share * _STEPS
