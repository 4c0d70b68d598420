"""The servicers of followed channels: decode, call, encode."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from import_worker.domain.follow_requests import WantedFollow
from import_worker.domain.follows import FollowPosition
from import_worker.rpc.fields import account, text
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput
from servicekit.grpc.codec import encode
from shapes.imports import Follow, Follower, FollowerList, FollowPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from import_worker.domain import follows as domain
    from import_worker.domain.follow_requests import FollowLimits, Follows

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MAX_DIGITS: Final = 16


class FollowsServicer(pb_grpc.FollowsServicer):
    """Implements `sponsorgraph.imports.v1.Follows`."""

    def __init__(self, follows: Follows) -> None:
        self._follows = follows

    async def FollowChannel(self, request: pb.FollowChannelRequest, context: Any) -> pb.Follow:  # noqa: N802
        del context
        wanted = WantedFollow(
            account_id=account(request.account_id),
            channel=text("channel", request.channel),
            max_followed=request.max_followed,
            max_concurrent=request.max_concurrent,
        )
        return encode(_follow(await self._follows.follow(wanted)), pb.Follow)

    async def UnfollowChannel(  # noqa: N802
        self, request: pb.UnfollowChannelRequest, context: Any
    ) -> pb.Follow:
        del context
        view = await self._follows.unfollow(
            account(request.account_id), text("channel", request.channel), request.max_followed
        )
        return encode(_follow(view), pb.Follow)

    async def ListFollows(self, request: pb.ListFollowsRequest, context: Any) -> pb.FollowPage:  # noqa: N802
        del context
        before = _position(request.cursor) if request.HasField("cursor") else None
        page = await self._follows.listed(account(request.account_id), before, request.limit)
        found = FollowPage(
            channels=tuple(_follow(view) for view in page.views),
            total=page.follower.total,
            paused=page.follower.paused,
            next_cursor=_cursor(page.following) if page.following else None,
            note=None,
        )
        return encode(found, pb.FollowPage)


class FollowLimitsServicer(pb_grpc.FollowLimitsServicer):
    """Implements `sponsorgraph.imports.v1.FollowLimits`."""

    def __init__(self, limits: FollowLimits) -> None:
        self._limits = limits

    async def ListFollowers(  # noqa: N802
        self, request: pb.ListFollowersRequest, context: Any
    ) -> pb.FollowerList:
        del context
        found = await self._limits.followers(text("after", request.after), request.limit)
        return encode(FollowerList(_followers(found)), pb.FollowerList)

    async def SetFollowLimit(self, request: pb.SetFollowLimitRequest, context: Any) -> pb.Follower:  # noqa: N802
        del context
        found = await self._limits.set_limit(account(request.account_id), request.max_followed)
        return encode(_followers([found])[0], pb.Follower)

    async def RemoveFollows(self, request: pb.RemoveFollowsRequest, context: Any) -> pb.Follower:  # noqa: N802
        del context
        found = await self._limits.remove(account(request.account_id))
        return encode(_followers([found])[0], pb.Follower)


def _follow(view: domain.FollowView) -> Follow:
    follow = view.follow
    return Follow(
        channel_id=view.channel_id,
        channel_title=view.title,
        state=view.state,
        followed_at=follow and follow.created_at,
        last_import_at=follow and follow.last_import_at,
        last_check_at=follow and follow.last_check_at,
        next_check_at=view.next_check_at,
        check_problem=follow and follow.check_problem,
        import_id=view.import_id,
        note=None,
    )


def _followers(found: Sequence[domain.Follower]) -> tuple[Follower, ...]:
    return tuple(Follower(item.account_id, item.total, item.paused) for item in found)


def _cursor(position: FollowPosition) -> str:
    return f"{(position.created_at - _EPOCH) // _MICROSECOND}.{position.channel_id}"


def _position(cursor: str) -> FollowPosition:
    digits, _, channel_id = text("cursor", cursor).partition(".")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MAX_DIGITS or not channel_id:
        raise InvalidInput(
            "cursor is not one that this list returned: leave it out for the first page.",
            details={"field": "cursor"},
        )
    return FollowPosition(_EPOCH + int(digits) * _MICROSECOND, channel_id)
