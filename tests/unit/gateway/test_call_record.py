"""Which calls are recorded for the page of usage, and how they ended."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest

from gateway.authentication.principal import Principal
from gateway.call_statistics import EndedCall
from gateway.mcp.errors import ToolFailure, tool_failure
from gateway.mcp.methods.call_record import CallRecord
from gateway.quota.errors import RateLimited
from gateway.quota.models import QuotaState
from tests.fakes.gateway_ports import RESET, principal

STATE = QuotaState(10, 9, RESET, RESET)
LIMITED = tool_failure(RateLimited("Too many.", state=STATE, retry_after=0.0), "https://plans")
SITE = replace(principal(), credential_id="site:acc_1:")


def outcomes(*values: ToolFailure | str) -> Callable[[], Awaitable[ToolFailure | str]]:
    left = list(values)

    async def attempt() -> ToolFailure | str:
        return left.pop(0)

    return attempt


@pytest.mark.parametrize(
    ("caller", "outcome", "failed"),
    [
        (principal(), "ok", [False]),
        (principal(), LIMITED, [True]),
        (SITE, "ok", [False]),
        (SITE, LIMITED, []),
    ],
    ids=["script", "script refused", "site", "site refused"],
)
async def test_a_refusal_that_the_site_waits_for_is_no_call(
    caller: Principal, outcome: ToolFailure | str, failed: Sequence[bool]
) -> None:
    ended: list[EndedCall] = []
    await CallRecord(ended.append).ended("sponsor.top", caller, outcomes(outcome))
    assert [call.failed for call in ended] == failed


async def test_a_call_that_waits_is_recorded_once_by_its_end() -> None:
    ended: list[EndedCall] = []
    record = CallRecord(ended.append)
    repeated = outcomes(LIMITED, LIMITED, "ok")
    assert await record.ended_with_retries("sponsor.top", principal(), repeated, 5) == "ok"
    in_vain = outcomes(LIMITED, LIMITED)
    assert await record.ended_with_retries("sponsor.top", principal(), in_vain, 1) == LIMITED
    assert [call.failed for call in ended] == [False, True]
