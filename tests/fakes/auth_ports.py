"""Ports of the auth service, as tests fill them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from servicekit.errors import InvalidInput


class CountingThrottle:
    """`Throttle` with one window that never ends."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()
        self.refuses_all = False

    async def admit(self, key: str, limit: int, per_seconds: int) -> float | None:
        self.used[key] += 1
        return float(per_seconds) if self.refuses_all or self.used[key] > limit else None

    async def forget(self, key: str, per_seconds: int) -> None:  # noqa: ARG002 - the port's
        del self.used[key]


class SilentFetcher:
    """`Fetcher` of sites that do not respond."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def fetch(self, url: str) -> tuple[Mapping[str, Any], int]:
        self.requests.append(url)
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


class BarrenFetcher:
    """`Fetcher` of sites that have no documents."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def fetch(self, url: str) -> tuple[Mapping[str, Any], int]:
        self.requests.append(url)
        raise InvalidInput(f"{url} answers with status 404, not 200.")
