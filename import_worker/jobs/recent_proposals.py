"""Proposals of texts that were read a moment ago: an import reads a channel's videos twice."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Final

from import_worker.detector import ChannelContext
from import_worker.domain.signals import signals_of
from import_worker.domain.sources import SourceVideo
from import_worker.jobs.proposals import Proposal, propose

_LIMIT: Final = 2_000
"""Videos that are remembered, over all imports."""


class RecentProposals:
    """Proposes a video's brands once for each text and context.

    The second reading of an import knows the whole channel. Where that taught nothing new of the
    channel, its videos have the proposals of the first.

    Args:
        limit: How many videos are remembered; the one read longest ago is forgotten first.
    """

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._known: OrderedDict[Hashable, tuple[Proposal, ...]] = OrderedDict()
        self._lock = Lock()

    def propose(self, video: SourceVideo, context: ChannelContext) -> tuple[Proposal, ...]:
        """Return what `proposals.propose` does."""
        key = (
            video.title,
            video.description,
            video.category_number,
            signals_of(video),
            context.learnt,
        )
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        proposed = propose(video, context)
        with self._lock:
            self._known[key] = proposed
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        return proposed
