"""The record of calls that ended, for the account's page of usage."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeVar

from gateway.authentication.principal import IncludedPrincipal, Principal, is_of_site
from gateway.call_statistics import EndedCall
from gateway.domain.elicitation import InputRequired
from gateway.mcp.errors import ToolFailure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallRecord:
    """Make calls and record how they ended."""

    on_end: Callable[[EndedCall], None]

    async def ended(
        self,
        tool_name: str,
        principal: Principal,
        attempt: Callable[[], Awaitable[T]],
        *,
        is_repeated: bool = False,
    ) -> T:
        """Return the outcome of a call. `is_repeated` says that it is made again where too many calls come at once."""
        began = monotonic()
        failed: bool | None = True
        try:
            outcome = await attempt()
            failed = isinstance(outcome, ToolFailure)
            # The site waits and calls again, as an export does: its reader made one call.
            if is_rate_limited(outcome) and (is_repeated or is_of_site(principal)):
                failed = None
        except (InputRequired, asyncio.CancelledError):
            failed = None  # it goes on with what the user enters, or its caller has gone away
            raise
        finally:
            # A page of the site is one call for its reader, however many calls it is made of.
            if failed is not None and not isinstance(principal, IncludedPrincipal):
                account_id, credential_id = (
                    principal.entitlements.account_id,
                    principal.credential_id,
                )
                seconds = monotonic() - began
                self.on_end(EndedCall(account_id, credential_id, tool_name, seconds, failed))
        return outcome

    async def ended_with_retries(
        self,
        tool_name: str,
        principal: Principal,
        attempt: Callable[[], Awaitable[T]],
        max_waits: int,
    ) -> T:
        """Return the outcome of a call that waits so many times where too many come at once, recorded once."""
        for _ in range(max_waits):
            outcome = await self.ended(tool_name, principal, attempt, is_repeated=True)
            if not is_rate_limited(outcome):
                return outcome
            await asyncio.sleep(_wait(outcome))
        return await self.ended(tool_name, principal, attempt)


def is_rate_limited(outcome: object) -> bool:
    """Return whether a call was refused because too many came at once."""
    return isinstance(outcome, ToolFailure) and outcome.code == "rate_limited"


def _wait(refusal: object) -> float:
    if not isinstance(refusal, ToolFailure):
        return 1.0
    seconds = refusal.facts.get("retry_after_seconds", 1.0)
    return float(seconds) if isinstance(seconds, int | float) else 1.0
