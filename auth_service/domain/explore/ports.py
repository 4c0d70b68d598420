"""What pages with data need: the gateway, a store of paid answers, and tokens of the site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from auth_service.domain.explore.calls import ToolCall, ToolResult


class ToolGateway(Protocol):
    """The gateway's MCP endpoint."""

    async def call(self, token: str, call: ToolCall) -> ToolResult:
        """Return the answer of a tool.

        Raises:
            ToolCallError: The gateway refuses the call, it failed, or the gateway does not respond.
        """
        ...

    async def tools(self, token: str) -> Sequence[Mapping[str, Any]]:
        """Return the tools of the caller's plan as `tools/list` has them.

        Raises:
            ToolCallError: The gateway does not respond.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoredResult:
    """An answer that was paid for, and when it was read."""

    text: str
    at: datetime


class ResultStore(Protocol):
    """Answers that were paid for. Without its engine it has none, and stores none."""

    async def get(self, keys: Sequence[str]) -> Sequence[StoredResult | None]: ...

    async def put(self, key: str, result: StoredResult, seconds: int) -> None: ...


class SiteTokens(Protocol):
    """Sign a token of the site for an account; calls with an included one are part of a page that is counted."""

    def __call__(self, account_id: str, member_id: str | None, *, included: bool) -> str: ...
