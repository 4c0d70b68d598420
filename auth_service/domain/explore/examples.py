"""Three answers for people without an account: read at most once an hour, and never counted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from auth_service.domain.explore import sponsor_tables
from auth_service.domain.explore.calls import ToolCall, ToolCallError
from auth_service.domain.explore.columns import Row
from auth_service.domain.explore.ports import SiteTokens, ToolGateway
from auth_service.domain.explore.tables import TableSpec
from auth_service.domain.ports import Clock

_FRESH: Final = timedelta(hours=1)
_RETRY: Final = timedelta(minutes=1)
_WAIT_SECONDS: Final = 0.5
_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the call that answers it, and its rows."""

    prompt: str
    call: ToolCall
    spec: TableSpec
    rows: Sequence[Row]


class Examples:
    """Hold the examples of this process. A visitor waits for them briefly, and else sees none."""

    def __init__(self, gateway: ToolGateway, tokens: SiteTokens, clock: Clock) -> None:
        self._gateway = gateway
        self._tokens = tokens
        self._clock = clock
        self._examples: Sequence[Example] = ()
        self._due_at: datetime | None = None
        self._reading: asyncio.Task[None] | None = None

    async def get(self) -> Sequence[Example]:
        """Return the examples; none while the gateway does not respond."""
        now = self._clock()
        if self._reading is None and (self._due_at is None or now >= self._due_at):
            self._due_at = now + _RETRY
            self._reading = asyncio.create_task(self._read())
            self._reading.add_done_callback(self._ended)
        if self._reading is not None and not self._examples:
            await asyncio.wait([self._reading], timeout=_WAIT_SECONDS)
        return self._examples

    async def _read(self) -> None:
        token = self._tokens("", None, included=True)

        async def example(spec: TableSpec, arguments: dict[str, Any], subject: str) -> Example:
            call = spec.call(arguments, limit=_ROWS)
            result = await self._gateway.call(token, call)
            return Example(
                spec.prompt.format(subject=subject), call, spec, spec.rows(result.content)
            )

        try:
            ranked = await example(sponsor_tables.RANKED, {}, "")
            found = [ranked]
            if ranked.rows:
                brand = ranked.rows[0]["sponsor"]
                arguments = {"sponsor": brand["slug"]}
                found += [
                    await example(spec, arguments, brand["name"])
                    for spec in (sponsor_tables.YOUTUBERS, sponsor_tables.SIMILAR)
                ]
        except ToolCallError:
            return
        self._examples, self._due_at = found, self._clock() + _FRESH

    def _ended(self, reading: asyncio.Task[None]) -> None:
        self._reading = None
        if not reading.cancelled():
            reading.result()
