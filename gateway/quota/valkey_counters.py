"""The `Counters` in Valkey: two Lua scripts, each one atomic step of the server that has the account's shard."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec
from redis.asyncio import Redis

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import epoch_of
from gateway.quota.errors import NotSent
from gateway.quota.models import Decision, QuotaState, Reservation, Seed, UsageRequest
from gateway.storage.valkey import REQUEST_COUNTER, failures_as_unavailable
from servicekit.concurrency.batching import RequestBatcher
from servicekit.errors import Unavailable
from servicekit.observability import logs
from servicekit.valkey_keys import FIRST_EPOCH, SINGLE, KeyLayout, Shard

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FOLDER: Final = files("gateway.quota")
_MAX_BATCH: Final = 64
_FACTS: Final = 4

log = logs.get(__name__)


class _Call(msgspec.Struct, frozen=True):
    usage: UsageRequest
    entitlements: Entitlements
    seed: Seed | None
    generation: str


class ValkeyQuota:
    """Counts in Valkey, by its clock. Calls of one moment are admitted by one run of the script a shard.

    Args:
        valkey: An open connection pool.
        clock: Stands in for Valkey's clock in tests.
        layout: The shards of accounts.
        node_of: Returns the server of a shard. Batches of several servers are sent at the same
            time, and do not wait for each other.
    """

    def __init__(
        self,
        valkey: Redis,
        clock: Callable[[], datetime] | None = None,
        layout: KeyLayout = SINGLE,
        node_of: Callable[[Shard], str] = lambda _shard: "",
    ) -> None:
        self._reserve_script: Any = valkey.register_script(
            _FOLDER.joinpath("reserve.lua").read_text()
        )
        self._refund_script: Any = valkey.register_script(
            _FOLDER.joinpath("refund.lua").read_text()
        )
        self._layout = layout
        self._node_of = node_of
        self._batchers: dict[str, RequestBatcher[_Call, Decision]] = {}
        self._clock = clock
        self.refunder: Callable[[Reservation], Awaitable[object]] = self.refund
        """Undoes the admission of a caller who went away before it was told of it."""
        self.on_unclaimed: Callable[[UsageRequest], None] = lambda _usage: None
        """Told of a call whose caller went away, and that may have been admitted or not."""
        self._refunding: set[asyncio.Task[None]] = set()

    async def reserve(
        self,
        usage: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        generation: str = "",
    ) -> Decision:
        # What was asked under another generation is no seed of this one's counters.
        under = generation if seed is None else seed.generation
        batcher = self._batcher(self._node_of(self._layout.shard_of(usage.account_id)))
        return await batcher.submit(_Call(usage, entitlements, seed, under))

    async def refund(self, admission: Reservation) -> bool:
        usage, generation = admission.usage, admission.generation
        shard = self._layout.shard_of(usage.account_id)
        counter = shard.counter(usage.account_id, admission.month, _epoch(generation))
        arguments = (
            usage.entry_id,
            usage.account_id,
            usage.credential_id,
            usage.tool,
            usage.cost,
            _micros(admission.admitted_at),
            generation,
        )
        with failures_as_unavailable(REQUEST_COUNTER):
            keys = counter, shard.usage_stream, shard.generation
            return await self._refund_script(keys, arguments) == 1

    def abandon(self) -> None:
        error = NotSent("The request counter was found to be away.", retry_after=2.0)
        for batcher in self._batchers.values():
            batcher.fail_pending(error)

    def _batcher(self, node: str) -> RequestBatcher[_Call, Decision]:
        batcher = self._batchers.get(node)
        if batcher is None:
            send = self._reserve_sharded if self._layout.is_sharded else self._reserve_all
            batcher = RequestBatcher(send, max_size=_MAX_BATCH, unclaimed=self._unclaimed)
            self._batchers[node] = batcher
        return batcher

    async def _reserve_all(self, calls: Sequence[_Call]) -> Sequence[Decision]:
        keys, arguments = self._run(self._layout.shards[0], calls)
        with failures_as_unavailable(REQUEST_COUNTER):
            reply = await self._reserve_script(keys, arguments)
        return list(_decisions(calls, reply))

    async def _reserve_sharded(self, calls: Sequence[_Call]) -> Sequence[Decision]:
        by_shard: dict[Shard, list[_Call]] = {}
        for call in calls:
            shard = self._layout.shard_of(call.usage.account_id)
            by_shard.setdefault(shard, []).append(call)
        runs = [self._run(shard, of_shard) for shard, of_shard in by_shard.items()]
        with failures_as_unavailable(REQUEST_COUNTER):
            replies = await self._reserve_script.run_all(runs)
        decisions: dict[str, Decision] = {}
        for of_shard, reply in zip(by_shard.values(), replies, strict=True):
            for call, decision in zip(of_shard, _decisions(of_shard, reply), strict=True):
                decisions[call.usage.entry_id] = decision
        return [decisions[call.usage.entry_id] for call in calls]

    def _run(
        self, shard: Shard, calls: Sequence[_Call]
    ) -> tuple[list[str], list[str | int | float]]:
        """Return keys and arguments of the script for calls of a shard."""
        keys = [shard.usage_stream, shard.catalog_version, shard.generation]
        arguments: list[str | int | float] = ["" if self._clock is None else _micros(self._clock())]
        for call in calls:
            account_id = call.usage.account_id
            keys += shard.burst(account_id), shard.counter(account_id, "", _epoch(call.generation))
            arguments += _arguments(call)
        return keys, arguments

    def _unclaimed(self, call: _Call, decision: Decision | Exception) -> None:
        """Refund an admission whose caller went away before its result."""
        if isinstance(decision, Exception):
            self.on_unclaimed(call.usage)
        elif decision.outcome == "admitted" and decision.state is not None and call.usage.cost:
            admission = Reservation(
                call.usage, decision.month, decision.at, decision.state, generation=call.generation
            )
            task = asyncio.ensure_future(self._refund_quietly(admission))
            self._refunding.add(task)
            task.add_done_callback(self._refunding.discard)

    async def _refund_quietly(self, admission: Reservation) -> None:
        try:
            await self.refunder(admission)
        except Unavailable as error:
            log.warning("refund_failed", entry_id=admission.usage.entry_id, error=str(error))


def from_micros(micros: int) -> datetime:
    """Return the instant so many microseconds after 1970, as the scripts write it."""
    return _EPOCH + timedelta(microseconds=micros)


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _arguments(call: _Call) -> tuple[str | int | float, ...]:
    usage, entitlements = call.usage, call.entitlements
    return (
        usage.entry_id,
        usage.account_id,
        usage.credential_id,
        usage.tool,
        usage.cost,
        entitlements.monthly_requests,
        entitlements.burst_requests,
        entitlements.burst_refill_per_second,
        "" if call.seed is None else call.seed.used,
        call.generation,
    )


@lru_cache(maxsize=4)  # the same for all calls of an epoch
def _epoch(generation: str) -> str:
    return epoch_of(generation) or FIRST_EPOCH


def _decisions(calls: Sequence[_Call], reply: list[Any]) -> Iterable[Decision]:
    micros, month, month_end, version = reply[:_FACTS]
    at, resets_at = from_micros(int(micros)), datetime.fromtimestamp(month_end, UTC)
    named, catalog_version = month.decode(), version.decode()
    of_calls = iter(reply[_FACTS:])
    for call, outcome, remaining, wait_ms in zip(calls, of_calls, of_calls, of_calls, strict=True):
        outcome_name: Any = outcome.decode()
        state = QuotaState(call.entitlements.monthly_requests, remaining, resets_at, at)
        yield Decision(
            outcome=outcome_name,
            month=named,
            at=at,
            state=None if outcome_name in ("unseeded", "closed") else state,
            wait_seconds=wait_ms / 1000,
            catalog_version=catalog_version,
            generation=call.generation,
        )
