"""The daily units of YouTube's API, counted in Valkey for all workers together.

YouTube counts too and has the last word: this counter keeps the workers from asking what would be
refused, and tells all of them once one was.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

import redis.asyncio as redis
from redis.exceptions import RedisError

from import_worker.domain.sources import SourceQuotaUsedUp
from servicekit.observability import logs

Clock = Callable[[], datetime]

_PACIFIC: Final = ZoneInfo("America/Los_Angeles")
_PREFIX: Final = "sponsorgraph:youtube:units:"
_COUNTER_TTL_SECONDS: Final = 2 * 86_400

# KEYS 1 counter of the day   ARGV 1 units  2 budget  3 seconds that the counter is kept
# Gives 1 when the units were taken and 0 when they are more than what is left.
_SPEND: Final = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used + tonumber(ARGV[1]) > tonumber(ARGV[2]) then
  return 0
end
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""

log = logs.get(__name__)


def now() -> datetime:
    """Return the time of day, in UTC."""
    return datetime.now(UTC)


def until_reset(at: datetime) -> float:
    """Return seconds from `at` to the next midnight in California, where YouTube's day begins."""
    day = at.astimezone(_PACIFIC).date() + timedelta(days=1)
    midnight = datetime(day.year, day.month, day.day, tzinfo=_PACIFIC)
    return (midnight.astimezone(UTC) - at).total_seconds()


class Quota:
    """Units of one API key.

    Args:
        valkey: An open client. While it is away everything is let through: YouTube counts too.
        key: The API key; the counter is named after its hash, so a new key begins afresh.
        budget: Units a day.
        clock: Tells the time.
    """

    def __init__(self, valkey: redis.Redis, key: str, *, budget: int, clock: Clock = now) -> None:
        self._valkey: Any = valkey
        self._script: Any = self._valkey.register_script(_SPEND)
        self._name = _PREFIX + hashlib.sha256(key.encode()).hexdigest()[:12]
        self._budget = budget
        self._clock = clock
        self._full_day = ""

    async def spend(self, units: int) -> None:
        """Take units of the day.

        Raises:
            SourceQuotaUsedUp: Fewer are left.
        """
        at = self._clock()
        try:
            taken = cast(
                "int",
                await self._script(
                    keys=[self._counter(at)], args=[units, self._budget, _COUNTER_TTL_SECONDS]
                ),
            )
        except (RedisError, OSError) as error:
            log.warning("youtube_units_uncounted", units=units, error=str(error))
            taken = self._full_day != self._day(at)
        if not taken:
            raise used_up(at)

    async def used(self) -> int | None:
        """Return units of the day that are taken; None while Valkey is away."""
        try:
            return int(await self._valkey.get(self._counter(self._clock())) or 0)
        except (RedisError, OSError):
            return None

    async def fill(self) -> SourceQuotaUsedUp:
        """Record that YouTube's daily quota is used up; return the error to raise."""
        at = self._clock()
        self._full_day = self._day(at)
        try:
            await self._valkey.set(self._counter(at), self._budget, ex=_COUNTER_TTL_SECONDS)
        except (RedisError, OSError) as error:
            log.warning("youtube_units_not_filled", error=str(error))
        return used_up(at)

    def _counter(self, at: datetime) -> str:
        return f"{self._name}:{self._day(at)}"

    @staticmethod
    def _day(at: datetime) -> str:
        return at.astimezone(_PACIFIC).date().isoformat()


def used_up(at: datetime) -> SourceQuotaUsedUp:
    """Return the error of a day that is used up."""
    return SourceQuotaUsedUp(
        "The day's units of YouTube's API are used up. They are new at midnight in California.",
        retry_after=until_reset(at),
    )
