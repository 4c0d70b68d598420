"""The own names of what a page is about, so that it has one address, and is paid for once."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, Protocol

from servicekit.errors import ServiceError

_RESOLVE_SECONDS: Final = 0.5


class ReferenceResolver(Protocol):
    """The catalogue's side, which knows aliases, domains, handles and ids.

    Its methods raise a ServiceError where a reference means nothing, or the catalogue does not respond.
    """

    async def sponsor_slug(self, reference: str) -> str: ...

    async def youtuber_reference(self, reference: str) -> str: ...


@dataclass(frozen=True, slots=True)
class References:
    """Own names by any reference; what was given where that is not known, or the catalogue takes too long."""

    resolver: ReferenceResolver | None

    async def sponsor(self, reference: str) -> str:
        """Return the slug of the brand that is meant."""
        if self.resolver is None:
            return reference
        return await own_name(self.resolver.sponsor_slug(reference), reference)

    async def youtuber(self, reference: str) -> str:
        """Return the handle of the creator that is meant, the id of one without."""
        if self.resolver is None:
            return reference
        return await own_name(self.resolver.youtuber_reference(reference), reference)


async def own_name(resolved: Awaitable[str], reference: str) -> str:
    """Return what a reference was resolved to, or the reference if that fails or takes too long."""
    try:
        async with asyncio.timeout(_RESOLVE_SECONDS):
            return await resolved
    except (ServiceError, TimeoutError):
        return reference
