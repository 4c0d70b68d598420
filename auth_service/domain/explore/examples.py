"""Three answers for people without an account: read at most once an hour, and never counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from auth_service.domain.explore import sponsor_tables
from auth_service.domain.explore.calls import ToolCall
from auth_service.domain.explore.columns import Row
from auth_service.domain.explore.hourly import HourlyResult
from auth_service.domain.explore.ports import SiteTokens, ToolGateway
from auth_service.domain.explore.tables import TableSpec
from auth_service.domain.ports import Clock

_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the call that answers it, and its rows."""

    prompt: str
    call: ToolCall
    spec: TableSpec
    rows: Sequence[Row]


class Examples:
    """The examples of this process. A visitor waits for them briefly, and else sees none."""

    def __init__(self, gateway: ToolGateway, tokens: SiteTokens, clock: Clock) -> None:
        self._gateway = gateway
        self._tokens = tokens
        self._examples = HourlyResult[Sequence[Example]](self._read, (), clock)

    async def get(self) -> Sequence[Example]:
        """Return the examples; none while the gateway does not respond."""
        return await self._examples.get()

    async def _read(self) -> Sequence[Example]:
        token = self._tokens("", None, included=True)

        async def example(spec: TableSpec, arguments: dict[str, Any], subject: str) -> Example:
            call = spec.call(arguments, limit=_ROWS)
            result = await self._gateway.call(token, call)
            return Example(
                spec.prompt.format(subject=subject), call, spec, spec.rows(result.content)
            )

        ranked = await example(sponsor_tables.RANKED, {}, "")
        found = [ranked]
        if ranked.rows:
            brand = ranked.rows[0]["sponsor"]
            arguments = {"sponsor": brand["slug"]}
            found += [
                await example(spec, arguments, brand["name"])
                for spec in (sponsor_tables.YOUTUBERS, sponsor_tables.SIMILAR)
            ]
        return found
