"""The import worker's gRPC client for followed channels: of the site, and of the limits of plans."""

from collections.abc import Sequence
from typing import Any, Final

import grpc.aio

from auth_service.clients.deadlines import PART_SECONDS, START_SECONDS
from auth_service.domain.plans import Plan
from protos.imports.v1 import imports_pb2 as pb
from protos.imports.v1 import imports_pb2_grpc as pb_grpc
from servicekit.grpc.client import call
from servicekit.grpc.codec import decode
from shapes.imports import Follow, Follower, FollowerList, FollowPage

_JOB_SECONDS: Final = 20.0
"""For the job that sends limits, which no page waits for."""


class GrpcFollowWorker:
    """Implement the site's `FollowWorker` over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.FollowsStub(channel)

    async def follow(self, account_id: str, channel: str, plan: Plan) -> Follow:
        request = pb.FollowChannelRequest(
            account_id=account_id,
            channel=channel,
            max_followed=plan.followed_channels,
            max_concurrent=plan.concurrent_imports,
        )
        return decode(await call(self._stub.FollowChannel, request, timeout=START_SECONDS), Follow)

    async def unfollow(self, account_id: str, channel: str, max_followed: int) -> Follow:
        request = pb.UnfollowChannelRequest(
            account_id=account_id, channel=channel, max_followed=max_followed
        )
        return decode(await call(self._stub.UnfollowChannel, request, timeout=PART_SECONDS), Follow)

    async def list(self, account_id: str, limit: int, cursor: str | None) -> FollowPage:
        request = pb.ListFollowsRequest(account_id=account_id, limit=limit, cursor=cursor)
        return decode(await call(self._stub.ListFollows, request, timeout=PART_SECONDS), FollowPage)


class GrpcFollowLimitWorker:
    """Implement `FollowLimitWorker` over one gRPC channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = pb_grpc.FollowLimitsStub(channel)

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        request = pb.ListFollowersRequest(after=after, limit=limit)
        reply = await call(self._stub.ListFollowers, request, timeout=_JOB_SECONDS)
        return decode(reply, FollowerList).followers

    async def set_limit(self, account_id: str, max_followed: int) -> None:
        request = pb.SetFollowLimitRequest(account_id=account_id, max_followed=max_followed)
        await call(self._stub.SetFollowLimit, request, timeout=_JOB_SECONDS)

    async def remove(self, account_id: str) -> None:
        request = pb.RemoveFollowsRequest(account_id=account_id)
        await call(self._stub.RemoveFollows, request, timeout=_JOB_SECONDS)
