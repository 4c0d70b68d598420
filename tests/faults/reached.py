"""The parts of a running stack that load, accounts and checks of counts need, however it is laid out."""

from __future__ import annotations

from typing import Any, Protocol

from devstack.clients.operations import OperationsClient
from tests.e2e.channel_imports import StandIn


class ReachedStack(Protocol):
    """A stack with its engines, reached past every proxy.

    Attributes:
        mcp_url: Where callers call.
        site_url: The site and the authorization server.
        operations: Operators' calls to the auth service.
        youtube: What imports read.
    """

    @property
    def mcp_url(self) -> str: ...

    @property
    def site_url(self) -> str: ...

    @property
    def operations(self) -> OperationsClient: ...

    @property
    def youtube(self) -> StandIn: ...

    async def rows(self, database: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in one of the databases."""
        ...

    async def in_valkey(self, *command: str) -> Any:
        """Run a command in Valkey."""
        ...
