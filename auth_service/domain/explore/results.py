"""The answers that a page needs: paid ones of the same day from the store, all others from the gateway in time.

A page counts as one request: its first call is counted, and the calls that go with it are included in that. An answer
that comes too late is stored when it comes, so loading the page again shows it free of charge.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

from auth_service.domain.explore.calls import ToolCall, ToolCallError, ToolResult, late
from auth_service.domain.explore.ports import ResultStore, SiteTokens, ToolGateway
from auth_service.domain.ports import Clock
from auth_service.domain.site.login_service import Visitor
from servicekit.concurrency.single_flight import SingleFlight

DEADLINE_SECONDS: Final = 3.0
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
        loop = asyncio.get_running_loop()
        deadline = seconds or self._deadline
        ends_at = loop.time() + deadline
        calls = dict(included or {})
        keys = [self._key(visitor, call) for call in (main, *calls.values())]
        stored = await self._store.get(keys) if main.is_stored else [None] * len(keys)
        paid = stored[0] is not None
        if stored[0] is not None:
            result = ToolResult(stored[0])
        else:
            flight = self._begin(visitor, main, included=False)
            await asyncio.wait([flight], timeout=max(0.0, ends_at - loop.time()))
            result = self._result(flight, deadline)
        found = {
            name: ToolResult(text)
            for name, text in zip(calls, stored[1:], strict=True)
            if text is not None
        }
        flights = {
            name: self._begin(visitor, call, included=True)
            for name, call in calls.items()
            if name not in found
        }
        if flights:
            await asyncio.wait(flights.values(), timeout=max(0.0, ends_at - loop.time()))
        missing = self._collect(flights, found, deadline)
        return PageResults(result, found, missing, counted=not paid)

    def _collect(
        self,
        flights: Mapping[str, asyncio.Task[ToolResult]],
        found: dict[str, ToolResult],
        deadline: float,
    ) -> dict[str, str]:
        """Add the answers of included calls to those found; return why others are missing."""
        missing: dict[str, str] = {}
        for name, flight in flights.items():
            try:
                found[name] = self._result(flight, deadline)
            except ToolCallError as failure:
                missing[name] = failure.public_message
        return missing

    async def paid(self, visitor: Visitor, call: ToolCall) -> ToolResult | None:
        """Return the answer of a call if it was paid for today; nothing is called."""
        if not call.is_stored:
            return None
        (text,) = await self._store.get([self._key(visitor, call)])
        return None if text is None else ToolResult(text)

    async def keep(self, visitor: Visitor, call: ToolCall, result: ToolResult) -> None:
        """Store an answer for another call that has the same one, so that it is free for the rest of the day."""
        if call.is_stored:
            await self._store.put(self._key(visitor, call), result.text, self._rest_of_day())

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
