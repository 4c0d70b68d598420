"""Rounds in which the import worker is told how many channels accounts follow."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from auth_service.app import now
from auth_service.domain.follow_limits import ChangedAccounts, FollowLimits
from servicekit.errors import NoResponse
from shapes.imports import Follower


@dataclass
class RestartingWorker:
    """Responds to some rounds and not to others; after the last one it ends the task."""

    responds: list[bool]
    rounds: int = field(default=0)

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        assert (after, limit) == ("", 500)
        if self.rounds == len(self.responds):
            task = asyncio.current_task()
            assert task
            task.cancel()
            await asyncio.sleep(0)
        self.rounds += 1
        if not self.responds[self.rounds - 1]:
            raise NoResponse("It is not up yet.")
        return []

    async def set_limit(self, account_id: str, max_followed: int) -> None:
        raise AssertionError((account_id, max_followed))

    async def remove(self, account_id: str) -> None:
        raise AssertionError(account_id)


@pytest.mark.parametrize(
    ("responds", "reports"),
    [([True], 0), ([False, True], 0), ([False, False, False, True], 2), ([False, True, False], 0)],
)
async def test_a_worker_that_is_away_is_reported_from_the_second_round_on(
    responds: list[bool], reports: int
) -> None:
    failures: list[str] = []
    worker = RestartingWorker(responds)
    limits = FollowLimits(
        lambda: pytest.fail("no account has changed"), worker, {}, now, ChangedAccounts(),
        failures.append, retry_seconds=0,
    )  # fmt: skip
    with suppress(asyncio.CancelledError):
        await limits.run(0)
    assert len(failures) == reports
