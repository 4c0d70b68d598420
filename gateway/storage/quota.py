"""The `QuotaStore` in Valkey: two Lua scripts, each one atomic step."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import Redis

from gateway.domain.principal import Standing
from gateway.domain.usage import Admission, Charge, QuotaState, Verdict
from gateway.storage.scripts import GatheredScripts, ScriptCall
from gateway.storage.valkey import (
    CATALOG_VERSION,
    USAGE_STREAM,
    burst_key,
    counter_key,
    failures_as_unavailable,
)
from servicekit import logs
from servicekit.errors import Unavailable

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FOLDER: Final = files("gateway.storage")
_TAKE: Final = _FOLDER.joinpath("quota.lua").read_text()
_GIVE_BACK: Final = _FOLDER.joinpath("refund.lua").read_text()

log = logs.get(__name__)


class ValkeyQuota:
    """Counts in Valkey, by its clock. Calls at the same moment go to it together.

    Args:
        valkey: An open connection pool.
        clock: Stands in for Valkey's clock in tests.
    """

    def __init__(self, valkey: Redis, clock: Callable[[], datetime] | None = None) -> None:
        self._scripts = GatheredScripts(valkey, (_TAKE, _GIVE_BACK), unclaimed=self._unclaimed)
        self._clock = clock
        self._giving_back: set[asyncio.Task[None]] = set()

    async def take(self, charge: Charge, standing: Standing, seed: int | None = None) -> Verdict:
        call = ScriptCall(
            _TAKE,
            (
                burst_key(charge.account_id),
                counter_key(charge.account_id, ""),
                USAGE_STREAM,
                CATALOG_VERSION,
            ),
            (
                charge.entry_id,
                charge.account_id,
                charge.credential_id,
                charge.tool,
                charge.cost,
                standing.monthly_requests,
                standing.burst_requests,
                standing.burst_refill_per_second,
                "" if seed is None else seed,
                "" if self._clock is None else _micros(self._clock()),
            ),
            about=(charge, standing),
        )
        with failures_as_unavailable():
            reply = await self._scripts.run(call)
        return _verdict(reply, standing.monthly_requests)

    async def give_back(self, admission: Admission) -> None:
        charge = admission.charge
        call = ScriptCall(
            _GIVE_BACK,
            (counter_key(charge.account_id, admission.month), USAGE_STREAM),
            (
                charge.entry_id,
                charge.account_id,
                charge.credential_id,
                charge.tool,
                charge.cost,
                _micros(admission.admitted_at),
            ),
        )
        with failures_as_unavailable():
            await self._scripts.run(call)

    def _unclaimed(self, call: ScriptCall, reply: Any) -> None:
        """Gives an admission back whose caller went away before it was told of it."""
        if call.script is not _TAKE:
            return
        charge, standing = call.about
        verdict = _verdict(reply, standing.monthly_requests)
        if verdict.outcome == "admitted" and verdict.state is not None and charge.cost:
            admission = Admission(charge, verdict.month, verdict.at, verdict.state)
            task = asyncio.ensure_future(self._quietly_give_back(admission))
            self._giving_back.add(task)
            task.add_done_callback(self._giving_back.discard)

    async def _quietly_give_back(self, admission: Admission) -> None:
        try:
            await self.give_back(admission)
        except Unavailable as error:
            log.warning("refund_failed", entry_id=admission.charge.entry_id, error=str(error))


def from_micros(micros: int) -> datetime:
    """The instant so many microseconds after 1970, as the scripts write it."""
    return _EPOCH + timedelta(microseconds=micros)


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _verdict(reply: list[Any], limit: int) -> Verdict:
    outcome, month, micros, month_end, remaining, wait_ms, version = reply
    state = QuotaState(limit, int(remaining), datetime.fromtimestamp(int(month_end), UTC))
    named: Any = outcome.decode()
    return Verdict(
        outcome=named,
        month=month.decode(),
        at=from_micros(int(micros)),
        state=None if named == "unseeded" else state,
        wait_seconds=int(wait_ms) / 1000,
        catalog_version=version.decode(),
    )
