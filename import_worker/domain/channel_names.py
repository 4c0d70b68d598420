"""Resolution of a channel, and the creation of its import."""

import secrets
from datetime import datetime

from import_worker.domain import messages
from import_worker.domain.imports import Bounds, Checkpoint, Import
from import_worker.domain.ports import ImportTransactions
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    Reference,
    Source,
    SourceQuotaUsedUp,
    SourceUnavailable,
)


async def resolved(open_store: ImportTransactions, source: Source, reference: Reference) -> Channel:
    """Return the channel; while the source is unavailable, by its id or as it was resolved before.

    A channel that the source no longer has is returned while videos of it are stored: its import removes them, and fails.

    Raises:
        ChannelNotFound: There is no such channel, and no video of it is stored.
        SourceQuotaUsedUp, SourceUnavailable: The source rests and the channel is not known.
    """
    try:
        return await source.resolve(reference)
    except (ChannelNotFound, SourceQuotaUsedUp, SourceUnavailable) as error:
        async with open_store() as store:
            known = await store.known_channel(reference.value)
            if isinstance(error, ChannelNotFound) and (
                known is None
                or source.is_partial
                or not await store.videos.descriptions(known.channel_id, 1)
            ):
                raise
        if known is not None:
            return unread(known.channel_id, known.title)
        if reference.kind == "channel_id":
            return unread(reference.value, reference.value)
        raise


def unread(channel_id: str, title: str) -> Channel:
    """Return a channel of which nothing else is known."""
    return Channel(
        channel_id=channel_id,
        title=title,
        handle=None,
        description="",
        country=None,
        subscribers=None,
        video_count=None,
        uploads=channel_id,
    )


def new_import(
    channel: Channel, reference: str, source: str, bounds: Bounds, at: datetime
) -> Import:
    """Return an import that waits for a worker."""
    return Import(
        import_id=f"imp_{secrets.token_hex(12)}",
        channel_id=channel.channel_id,
        reference=reference,
        title=channel.title,
        source=source,
        bounds=bounds,
        state="queued",
        message=messages.QUEUED,
        checkpoint=Checkpoint(),
        created_at=at,
    )
