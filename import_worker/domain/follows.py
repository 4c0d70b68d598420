"""The channels that an account follows: new videos in their feeds are imported without being asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from servicekit.errors import NotFound, ResourceExhausted

FollowState = Literal["active", "paused", "importing", "unfollowed"]


@dataclass(frozen=True, slots=True)
class Follow:
    """A channel that an account follows.

    Attributes:
        account_id: The account.
        channel_id: YouTube's id of the channel.
        title: The channel's name.
        created_at: Since when the account follows it.
        is_paused: Whether it is beyond what the account may follow now.
        last_import_at: When the channel was last imported.
        last_check_at: When its feed was last read.
        next_check_at: When its feed is to be read again; None if it never was.
        check_problem: Why the last attempt to read its feed gave nothing.
    """

    account_id: str
    channel_id: str
    title: str
    created_at: datetime
    is_paused: bool
    last_import_at: datetime
    last_check_at: datetime | None
    next_check_at: datetime | None
    check_problem: str | None


@dataclass(frozen=True, slots=True)
class Follower:
    """An account that follows channels, and how many: `total` has the paused ones too."""

    account_id: str
    total: int
    paused: int


@dataclass(frozen=True, slots=True)
class FollowView:
    """A channel as its account sees it; without a `follow` it is not followed now.

    Attributes:
        channel_id: YouTube's id of the channel.
        title: The channel's name.
        state: Whether it is followed, or will be once `import_id` is done.
        follow: What is known of a channel that is followed.
        next_check_at: When its feed is due to be read; None while nothing is due.
        import_id: Its first import, while that is under way.
    """

    channel_id: str
    title: str
    state: FollowState
    follow: Follow | None = None
    next_check_at: datetime | None = None
    import_id: str | None = None


@dataclass(frozen=True, slots=True)
class FollowPosition:
    """The place of a channel in the list of an account, which is newest first."""

    created_at: datetime
    channel_id: str


@dataclass(frozen=True, slots=True)
class FollowPage:
    """Channels that an account follows, and the place behind which the next page begins."""

    views: tuple[FollowView, ...]
    follower: Follower
    following: FollowPosition | None


class FollowStore(Protocol):
    """Who follows which channels, in the transaction of an `ImportStore`.

    Whoever changes what an account follows calls `lock` first, and locks no import afterwards.
    """

    async def lock(self, account_id: str) -> None:
        """Wait for other transactions that change what the account follows."""
        ...

    async def get(self, account_id: str, channel_id: str) -> Follow | None: ...

    async def add(self, account_id: str, channel_id: str, at: datetime) -> None:
        """Follow a channel that was imported."""
        ...

    async def remove(self, account_id: str, channel_id: str) -> bool:
        """End following a channel, also after an import that is under way; return whether there was any of it."""
        ...

    async def follower(self, account_id: str) -> Follower:
        """Return how many channels the account follows."""
        ...

    async def pending(self, account_id: str) -> int:
        """Return how many further channels it will follow when their imports are done."""
        ...

    async def page(
        self, account_id: str, before: FollowPosition | None, limit: int
    ) -> Sequence[Follow]:
        """Return channels of the account, newest first, from the one behind `before`."""
        ...

    async def limit(self, account_id: str, max_followed: int) -> None:
        """Pause what is beyond the limit and resume what is within it; the oldest come first."""
        ...

    async def remove_all(self, account_id: str) -> None:
        """Remove what the account follows, and what it would follow after its imports."""
        ...

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        """Return accounts that follow channels, by id, from the one behind `after`."""
        ...

    async def importers(self, import_id: str) -> Sequence[str]:
        """Return the accounts, by id, that want an import."""
        ...

    async def add_imported(
        self, account_id: str, channel_id: str, import_id: str, at: datetime
    ) -> None:
        """Follow the channel of an import that is done, if the account follows fewer than its request allows."""
        ...


class NotFollowed(NotFound):
    default_reason = "CHANNEL_NOT_FOLLOWED"

    def __init__(self, channel: str) -> None:
        super().__init__(
            f"You do not follow {channel[:100]!r}. List the channels that you follow to see them.",
            details={"field": "channel"},
        )


class TooManyFollowed(ResourceExhausted):
    default_reason = "TOO_MANY_FOLLOWED"

    def __init__(self, limit: int, pending: int = 0) -> None:
        later = f", and {pending:,} more will be followed once imported" if pending else ""
        super().__init__(
            f"Your plan allows {limit:,} followed channel{'' if limit == 1 else 's'}{later}. Unfollow one first.",
            details={"max_followed": str(limit)},
        )


def view_of(follow: Follow, now: datetime, *, checks: bool) -> FollowView:
    """Return a channel as its account sees it; `checks` is whether feeds are read at all."""
    due = None
    if checks and not follow.is_paused:
        due = max(follow.next_check_at or now, now)
    state: FollowState = "paused" if follow.is_paused else "active"
    return FollowView(follow.channel_id, follow.title, state, follow, due)
