"""The answers that a page needs: paid ones of the same day from the store, all others from the gateway in time.

A page counts as one request: its first call is counted, and the calls that go with it are included in that. An answer
that comes too late is stored when it comes, so loading the page again shows it free of charge. What was paid for is free
until the day ends, and up to date: an older answer is read again, as a call that is included, and shown as it was only
where the gateway has none in time.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from auth_service.domain.explore.calls import ToolCall, ToolCallError, ToolResult, late
from auth_service.domain.explore.ports import (
    ResultStore,
    SiteTokens,
    StoredResult,
    ToolGateway,
)
from auth_service.domain.ports import Clock
from auth_service.domain.site.login_service import Visitor
from servicekit.concurrency.single_flight import SingleFlight

DEADLINE_SECONDS: Final = 3.0
_FRESH: Final = timedelta(seconds=30)
"""How long a stored answer is shown without reading it again."""
_REFRESH_SECONDS: Final = 1.0
"""How long a page waits for a newer answer than it has."""
_MAIN: Final = ""
"""The name of the page's own call among those that are included."""
_MAX_WAITS: Final = 5
_MAX_PAUSE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class PageResults:
    """The answers of a page.

    Attributes:
        main: Of the call that counts.
        included: Of the calls that go with it, by name; those without an answer are in `missing`.
        missing: Why there is no answer, by name of the call.
        counted: Whether the page was counted now.
    """

    main: ToolResult
    included: Mapping[str, ToolResult]
    missing: Mapping[str, str]
    counted: bool

    def of(self, name: str) -> ToolResult | str:
        """Return the answer of an included call, or why there is none; for any other name that of the call that counts."""
        return self.missing.get(name) or self.included.get(name, self.main)


class ToolResults:
    """The use cases; one for the process, as calls under way are shared."""

    def __init__(
        self,
        gateway: ToolGateway,
        store: ResultStore,
        tokens: SiteTokens,
        clock: Clock,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._gateway = gateway
        self._store = store
        self._tokens = tokens
        self._clock = clock
        self._deadline = deadline_seconds
        self._flights = SingleFlight[str, ToolResult]()

    @property
    def gateway(self) -> ToolGateway:
        return self._gateway

    async def page(
        self,
        visitor: Visitor,
        main: ToolCall,
        included: Mapping[str, ToolCall] | None = None,
        *,
        seconds: float | None = None,
    ) -> PageResults:
        """Return the answers of a page, within so many seconds where it may take longer than pages do.

        Raises:
            ToolCallError: The call that counts is refused, failed, or came too late.
        """
        deadline = seconds or self._deadline
        ends_at = asyncio.get_running_loop().time() + deadline
        calls = {_MAIN: main, **(included or {})}
        stored = await self._stored(visitor, calls)
        counted = _MAIN not in stored
        found: dict[str, ToolResult] = {}
        if counted:
            flight = self._begin(visitor, calls.pop(_MAIN), included=False)
            await _wait([flight], ends_at)
            found[_MAIN] = self._result(flight, deadline)
        missing = await self._add_included(visitor, calls, stored, found, (ends_at, deadline))
        return PageResults(found.pop(_MAIN), found, missing, counted)

    async def _stored(
        self, visitor: Visitor, calls: Mapping[str, ToolCall]
    ) -> Mapping[str, StoredResult]:
        """Return the answers that were paid for today, none where that of the page's own call belongs to the account."""
        if not calls[_MAIN].is_stored:
            return {}
        stored = await self._store.get([self._key(visitor, call) for call in calls.values()])
        return {name: old for name, old in zip(calls, stored, strict=True) if old is not None}

    async def _add_included(
        self,
        visitor: Visitor,
        calls: Mapping[str, ToolCall],
        stored: Mapping[str, StoredResult],
        found: dict[str, ToolResult],
        times: tuple[float, float],
    ) -> dict[str, str]:
        """Add answers of included calls, newer ones than those stored if they come soon; return why others are missing."""
        ends_at, deadline = times
        fresh_from = self._clock() - _FRESH
        # Where one is old all are read again: a page has one state.
        is_old = any(result.at < fresh_from for result in stored.values())
        flights = {
            name: self._begin(visitor, call, included=True)
            for name, call in calls.items()
            if is_old or name not in stored
        }
        soon = min(ends_at, asyncio.get_running_loop().time() + _REFRESH_SECONDS)
        await _wait([flight for name, flight in flights.items() if name not in stored], ends_at)
        await _wait([flight for name, flight in flights.items() if name in stored], soon)
        found.update({name: ToolResult(stored[name].text) for name in calls if name in stored})
        return self._collect(flights, found, deadline)

    def _collect(
        self,
        flights: Mapping[str, asyncio.Task[ToolResult]],
        found: dict[str, ToolResult],
        deadline: float,
    ) -> dict[str, str]:
        """Put the answers of calls in the place of those stored; return why others are missing."""
        missing: dict[str, str] = {}
        for name, flight in flights.items():
            try:
                found[name] = self._result(flight, deadline)
            except ToolCallError as failure:
                if name not in found:
                    missing[name] = failure.public_message
        return missing

    async def paid(self, visitor: Visitor, call: ToolCall) -> ToolResult | None:
        """Return the answer of a call if it was paid for today; nothing is called."""
        if not call.is_stored:
            return None
        (old,) = await self._store.get([self._key(visitor, call)])
        return None if old is None else ToolResult(old.text)

    async def keep(self, visitor: Visitor, call: ToolCall, result: ToolResult) -> None:
        """Store an answer for another call that has the same one, so that it is free for the rest of the day."""
        if call.is_stored:
            stored = StoredResult(result.text, self._clock())
            await self._store.put(self._key(visitor, call), stored, self._rest_of_day())

    async def suggestions(
        self, visitor: Visitor, calls: Sequence[ToolCall]
    ) -> Sequence[ToolResult]:
        """Return the answers of short searches for a name that is being typed.

        They are free as completions are. They are not stored: a page that has the same call would be free as well.

        Raises:
            ToolCallError: A call is refused, failed, or came too late.
        """
        token = self.token(visitor, included=True)
        try:
            async with asyncio.timeout(self._deadline):
                return await asyncio.gather(*(self._gateway.call(token, call) for call in calls))
        except TimeoutError:
            raise late(self._deadline) from None

    def token(self, visitor: Visitor, *, included: bool = False) -> str:
        """Return a token for calls of the account that the visitor acts for."""
        return self._tokens(visitor.subject.account_id, visitor.member_id, included=included)

    def _result(self, flight: asyncio.Task[ToolResult], deadline: float) -> ToolResult:
        if not flight.done():
            raise late(deadline)
        return flight.result()

    def _begin(
        self, visitor: Visitor, call: ToolCall, *, included: bool
    ) -> asyncio.Task[ToolResult]:
        key = self._key(visitor, call)

        async def run() -> ToolResult:
            result = await self._call(visitor, call, included=included)
            await self.keep(visitor, call, result)
            return result

        return self._flights.begin(f"{key}{' included' if included else ''}", run)

    async def _call(self, visitor: Visitor, call: ToolCall, *, included: bool) -> ToolResult:
        """Call, and again after the pause that the gateway names where too many calls come at once."""
        for _ in range(_MAX_WAITS):
            try:
                return await self._gateway.call(self.token(visitor, included=included), call)
            except ToolCallError as refusal:
                pause = refusal.retry_after or 0.0
                if refusal.code != "rate_limited" or not 0 < pause <= _MAX_PAUSE_SECONDS:
                    raise
                await asyncio.sleep(pause)
        return await self._gateway.call(self.token(visitor, included=included), call)

    def _key(self, visitor: Visitor, call: ToolCall) -> str:
        day = self._clock().astimezone(UTC).date()
        text = f"{visitor.subject.account_id} {day} {call.key}"
        return hashlib.sha256(text.encode()).hexdigest()

    def _rest_of_day(self) -> int:
        now = self._clock().astimezone(UTC)
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        return max(1, int((midnight - now).total_seconds()))


async def _wait(flights: Sequence[asyncio.Task[ToolResult]], ends_at: float) -> None:
    if flights:
        loop = asyncio.get_running_loop()
        await asyncio.wait(flights, timeout=max(0.0, ends_at - loop.time()))
