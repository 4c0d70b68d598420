"""Pages of followed channels by RPC: their cursors, and what of a channel is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from import_worker.domain.follows import (
    Follow,
    Follower,
    FollowPage,
    FollowPosition,
    TooManyFollowed,
    view_of,
)
from import_worker.rpc.follows import FollowsServicer
from protos.imports.v1 import imports_pb2 as pb
from servicekit.errors import InvalidInput

NOW = datetime(2026, 11, 22, 12, 0, 0, 123_456, tzinfo=UTC)
CHANNEL = "UC" + "a" * 22


def follow(*, paused: bool = False, next_check_at: datetime | None = None) -> Follow:
    return Follow("ann", CHANNEL, "Diary", NOW, paused, NOW, None, next_check_at, None)


@dataclass
class Follows:
    """One page, behind any position; the positions that were asked for."""

    positions: list[FollowPosition | None] = field(default_factory=list[FollowPosition | None])

    async def listed(self, account_id: str, before: FollowPosition | None, limit: int) -> Any:
        assert limit == 1
        self.positions.append(before)
        view = view_of(follow(), NOW, checks=True)
        return FollowPage((view,), Follower(account_id, 3, 1), FollowPosition(NOW, CHANNEL))


def servicer(follows: Any) -> FollowsServicer:
    return FollowsServicer(follows)


async def test_a_cursor_leads_behind_the_last_channel_of_its_page() -> None:
    follows = Follows()
    request = pb.ListFollowsRequest(account_id="ann", limit=1)
    page = await servicer(follows).ListFollows(request, None)
    assert (page.total, page.paused) == (3, 1)
    assert page.channels[0].state == "active"
    following = pb.ListFollowsRequest(account_id="ann", limit=1, cursor=page.next_cursor)
    await servicer(follows).ListFollows(following, None)
    assert follows.positions == [None, FollowPosition(NOW, CHANNEL)]


@pytest.mark.parametrize(
    "cursor", ["", "x", "12", "12.", "-1.UC", "1\u0663.UC", "9" * 30 + ".UC", "1.\0"]
)
async def test_a_cursor_that_is_none_of_ours_is_refused(cursor: str) -> None:
    request = pb.ListFollowsRequest(account_id="ann", limit=1, cursor=cursor)
    with pytest.raises(InvalidInput):
        await servicer(Follows()).ListFollows(request, None)


def test_a_check_that_is_overdue_is_due_now_and_one_that_never_comes_has_no_time() -> None:
    later, earlier = NOW + timedelta(hours=1), NOW - timedelta(hours=1)
    assert view_of(follow(next_check_at=later), NOW, checks=True).next_check_at == later
    assert view_of(follow(next_check_at=earlier), NOW, checks=True).next_check_at == NOW
    assert view_of(follow(), NOW, checks=True).next_check_at == NOW
    assert view_of(follow(paused=True), NOW, checks=True).next_check_at is None
    assert view_of(follow(), NOW, checks=False).next_check_at is None


def test_the_limit_is_named() -> None:
    assert "2,000 followed channels" in str(TooManyFollowed(2_000))
    assert "1 followed channel." in str(TooManyFollowed(1))
