"""The `QuotaStore` in Valkey: two Lua scripts, each one atomic step."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Final, cast

from redis.asyncio import Redis
from redis.commands.core import AsyncScript

from gateway.domain.principal import Standing
from gateway.domain.usage import Admission, Charge, QuotaState, Verdict
from gateway.storage.valkey import USAGE_STREAM, burst_key, counter_key, failures_as_unavailable

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SCRIPTS: Final = files("gateway.storage")


class ValkeyQuota:
    """Counts in Valkey, by its clock.

    Args:
        valkey: An open connection pool.
        clock: Stands in for Valkey's clock in tests.
    """

    def __init__(self, valkey: Redis, clock: Callable[[], datetime] | None = None) -> None:
        self._take = _script(valkey, "quota.lua")
        self._give_back = _script(valkey, "refund.lua")
        self._clock = clock

    async def take(self, charge: Charge, standing: Standing, seed: int | None = None) -> Verdict:
        keys = [burst_key(charge.account_id), counter_key(charge.account_id, ""), USAGE_STREAM]
        arguments = [
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
        ]
        with failures_as_unavailable():
            reply = cast("list[Any]", await self._take(keys=keys, args=arguments))
        return _verdict(reply, standing.monthly_requests)

    async def give_back(self, admission: Admission) -> None:
        charge = admission.charge
        keys = [counter_key(charge.account_id, admission.month), USAGE_STREAM]
        arguments = [
            charge.entry_id,
            charge.account_id,
            charge.credential_id,
            charge.tool,
            charge.cost,
            _micros(admission.admitted_at),
        ]
        with failures_as_unavailable():
            await self._give_back(keys=keys, args=arguments)


def from_micros(micros: int) -> datetime:
    """The instant so many microseconds after 1970, as the scripts write it."""
    return _EPOCH + timedelta(microseconds=micros)


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _script(valkey: Redis, name: str) -> AsyncScript:
    return valkey.register_script(_SCRIPTS.joinpath(name).read_text())


def _verdict(reply: list[Any], limit: int) -> Verdict:
    outcome, month, micros, month_end, remaining, wait_ms = reply
    state = QuotaState(limit, int(remaining), datetime.fromtimestamp(int(month_end), UTC))
    named: Any = outcome.decode()
    return Verdict(
        outcome=named,
        month=month.decode(),
        at=from_micros(int(micros)),
        state=None if named == "unseeded" else state,
        wait_seconds=int(wait_ms) / 1000,
    )
