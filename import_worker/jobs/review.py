"""The port of the step between the detector and the records."""

from collections.abc import Sequence
from typing import Protocol

from import_worker.detector import ChannelContext
from import_worker.jobs.proposals import ProposedVideo


class Review(Protocol):
    """Reviews the candidates of a channel's videos."""

    async def review(
        self,
        channel_id: str,
        videos: Sequence[ProposedVideo],
        context: ChannelContext,
        *,
        stored_only: bool = False,
    ) -> Sequence[ProposedVideo]:
        """Return the same videos, with the candidates that are to be published marked as such.

        With `stored_only` nothing is requested from outside.

        Raises:
            StoreUnavailable: Our own database is away.
        """
        ...
