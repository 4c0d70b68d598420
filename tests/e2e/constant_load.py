"""Callers of the gateway who never pause, and what became of their calls."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

CALLS: Final[tuple[tuple[str, dict[str, Any], int], ...]] = (
    ("sponsor.search", {"search": "nordvpm", "limit": 2}, 1),
    ("youtuber.search", {"limit": 2}, 1),
    ("sponsor.get", {"sponsor": "nordvpn"}, 1),
    ("sponsor.top", {"limit": 3}, 1),
    ("category.list", {}, 1),
    ("channel.imports", {}, 0),
    ("account.usage", {}, 0),
)
"""Tool, arguments, and what a call costs: every service is asked by one of them."""


_PAUSE_SECONDS: Final = 0.02


@dataclass(slots=True)
class Load:
    """Callers that send one request after the other, each over a connection of its own."""

    url: str
    tokens: tuple[str, ...]
    statuses: Counter[int] = field(default_factory=Counter[int])
    failures: list[str] = field(default_factory=list[str])
    counted: int = 0
    """Answers with 200 to calls that cost a request."""
    ended: bool = False

    @asynccontextmanager
    async def going(self, callers: int) -> AsyncGenerator[None]:
        """Constant load inside the block."""
        tokens = itertools.cycle(self.tokens)
        tasks = [asyncio.create_task(self._calls(next(tokens), n)) for n in range(callers)]
        try:
            yield
        finally:
            self.ended = True
            await asyncio.gather(*tasks)

    async def _calls(self, token: str, number: int) -> None:
        limits = httpx2.Limits(max_connections=1)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, limits=limits) as http:
            for turn in itertools.count(number):
                if self.ended:
                    return
                tool, arguments, costs = CALLS[turn % len(CALLS)]
                params = {"name": tool, "arguments": arguments}
                body = {"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params}
                # Room for processes to start in beside the load.
                await asyncio.sleep(_PAUSE_SECONDS)
                try:
                    reply = await http.post(self.url, json=body)
                except httpx2.TransportError as error:
                    self.failures.append(f"{tool}: {error!r}")
                    continue
                self.statuses[reply.status_code] += 1
                if reply.status_code == 200 and "result" in reply.json():
                    self.counted += costs
                else:
                    self.failures.append(f"{tool}: {reply.status_code} {reply.text[:300]}")
