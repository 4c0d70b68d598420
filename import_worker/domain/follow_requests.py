"""What accounts do with the channels that they follow, and what the auth service does when their plans change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from import_worker.domain.channel_names import resolved, unread
from import_worker.domain.follows import (
    Follower,
    FollowPage,
    FollowPosition,
    FollowView,
    NotFollowed,
    TooManyFollowed,
    view_of,
)
from import_worker.domain.imports import Bounds, Import
from import_worker.domain.joining import Wanted, join_or_add
from import_worker.domain.ports import Clock, ImportStore, ImportTransactions
from import_worker.domain.sources import Channel, Reference, Source, parse_reference
from servicekit.errors import InvalidInput

MAX_LISTED: Final = 100
MAX_FOLLOWERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class WantedFollow:
    """The arguments of a request to follow a channel."""

    account_id: str
    channel: str
    max_followed: int
    max_concurrent: int


@dataclass(frozen=True, slots=True)
class Follows:
    """Follow and unfollow channels, and list them; `checks` is whether feeds are read at all."""

    open: ImportTransactions
    source: Source
    clock: Clock
    checks: bool

    async def follow(self, wanted: WantedFollow) -> FollowView:
        """Follow a channel; begin its import if it was never imported, and follow it once that is done.

        Raises:
            InvalidInput: It names no channel.
            ChannelNotFound: There is no such channel.
            TooManyFollowed: The account follows as many channels as it may.
            TooManyImports: The channel has to be imported first, and the account has as many imports under way as it may have.
        """
        reference = parse_reference(wanted.channel)
        channel = await self._followed(reference)
        async with self.open() as store:
            # Locks are always taken in this order: the account, the import, what the account follows.
            await store.lock(f"account:{wanted.account_id}")
            if await store.known_channel(channel.channel_id) is None:
                return await self._import_first(store, wanted, reference, channel)
            await store.follows.lock(wanted.account_id)
            if await store.follows.get(wanted.account_id, channel.channel_id) is None:
                await _check_limit(store, wanted)
                await store.follows.add(wanted.account_id, channel.channel_id, self.clock())
            await store.follows.limit(wanted.account_id, wanted.max_followed)
            follow = await store.follows.get(wanted.account_id, channel.channel_id)
        if follow is None:  # its account was deleted meanwhile
            raise NotFollowed(wanted.channel)
        return view_of(follow, self.clock(), checks=self.checks)

    async def unfollow(self, account_id: str, channel: str, max_followed: int) -> FollowView:
        """End following a channel; a paused one may take its place.

        Raises:
            InvalidInput: It names no channel.
            ChannelNotFound: There is no such channel.
            NotFollowed: The account does not follow it.
        """
        reference = parse_reference(channel)
        async with self.open() as store:
            follower = await store.follows.follower(account_id)
            pending = await store.follows.pending(account_id)
        if follower.total + pending == 0:
            raise NotFollowed(channel)
        found = await self._unfollowed(reference)
        async with self.open() as store:
            await store.follows.lock(account_id)
            if not await store.follows.remove(account_id, found.channel_id):
                raise NotFollowed(channel)
            await store.follows.limit(account_id, max_followed)
        return FollowView(found.channel_id, found.title, "unfollowed")

    async def listed(
        self, account_id: str, before: FollowPosition | None, limit: int
    ) -> FollowPage:
        """Return a page of the channels that the account follows, the newest first."""
        if not 1 <= limit <= MAX_LISTED:
            raise InvalidInput(f"limit is 1 to {MAX_LISTED}.", details={"field": "limit"})
        async with self.open() as store:
            follower = await store.follows.follower(account_id)
            found = await store.follows.page(account_id, before, limit + 1)
        now, page = self.clock(), found[:limit]
        following = None
        if len(found) > limit:
            following = FollowPosition(page[-1].created_at, page[-1].channel_id)
        views = tuple(view_of(follow, now, checks=self.checks) for follow in page)
        return FollowPage(views, follower, following)

    async def _followed(self, reference: Reference) -> Channel:
        """Return the channel to follow; the id of an imported one needs no request of the source, a name may have moved."""
        known = await self._imported(reference) if reference.kind == "channel_id" else None
        return known or await resolved(self.open, self.source, reference)

    async def _unfollowed(self, reference: Reference) -> Channel:
        """Return the channel not to follow any more; an id and the name of an imported one need no request of the source."""
        known = await self._imported(reference)
        if known is None and reference.kind == "channel_id":
            known = unread(reference.value, reference.value)
        return known or await resolved(self.open, self.source, reference)

    async def _imported(self, reference: Reference) -> Channel | None:
        async with self.open() as store:
            known = await store.known_channel(reference.value)
        return unread(known.channel_id, known.title) if known is not None else None

    async def _import_first(
        self, store: ImportStore, wanted: WantedFollow, reference: Reference, channel: Channel
    ) -> FollowView:
        under_way = await store.unfinished(channel.channel_id)
        if under_way is None or not await _will_follow(store, wanted.account_id, under_way):
            await _check_limit(store, wanted)
        request = Wanted(
            wanted.account_id,
            wanted.channel,
            Bounds(),
            None,
            wanted.max_concurrent,
            wanted.max_followed,
        )
        import_, _ = await join_or_add(
            store, request, reference, channel, self.source.name, self.clock()
        )
        return FollowView(
            channel.channel_id, channel.title, "importing", import_id=import_.import_id
        )


@dataclass(frozen=True, slots=True)
class FollowLimits:
    """Bound how many channels accounts follow."""

    open: ImportTransactions

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        """Return accounts that follow channels, by id, from the one behind `after`."""
        if not 1 <= limit <= MAX_FOLLOWERS:
            raise InvalidInput(f"limit is 1 to {MAX_FOLLOWERS:,}.", details={"field": "limit"})
        async with self.open() as store:
            return await store.follows.followers(after, limit)

    async def set_limit(self, account_id: str, max_followed: int) -> Follower:
        """Pause what the account follows beyond a limit, and resume what is within it."""
        if max_followed < 0:
            raise InvalidInput("max_followed is 0 or more.", details={"field": "max_followed"})
        async with self.open() as store:
            await store.follows.lock(account_id)
            await store.follows.limit(account_id, max_followed)
            return await store.follows.follower(account_id)

    async def remove(self, account_id: str) -> Follower:
        """Remove all that the account follows."""
        async with self.open() as store:
            await store.follows.lock(account_id)
            await store.follows.remove_all(account_id)
            return await store.follows.follower(account_id)


async def follow_imported(store: ImportStore, done: Import) -> None:
    """Have the accounts that wanted an import follow its channel, each within its limit."""
    if done.finished_at is None:
        return
    # In the order of their ids, as each of them is locked.
    for account_id in await store.follows.importers(done.import_id):
        await store.follows.lock(account_id)
        await store.follows.add_imported(
            account_id, done.channel_id, done.import_id, done.finished_at
        )


async def _check_limit(store: ImportStore, wanted: WantedFollow) -> None:
    """Count the followed channels and those that will be followed once they are imported."""
    follower = await store.follows.follower(wanted.account_id)
    pending = await store.follows.pending(wanted.account_id)
    if follower.total + pending >= wanted.max_followed:
        raise TooManyFollowed(wanted.max_followed, pending)


async def _will_follow(store: ImportStore, account_id: str, import_: Import) -> bool:
    return any(
        request.account_id == account_id and request.max_followed > 0
        for request in await store.requests(import_.import_id)
    )
