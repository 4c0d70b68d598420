"""Which server answers questions is chosen for as long as the process runs."""

import asyncio
from typing import Any

import pytest

from catalog_service.storage import read_servers
from catalog_service.storage.read_servers import choosing
from servicekit.process import loops


class FailingOnce:
    """Servers whose second check ends by an error that nobody expects."""

    def __init__(self) -> None:
        self.checks = 0
        self.checked_again = asyncio.Event()

    async def check(self) -> None:
        self.checks += 1
        if self.checks == 2:
            raise IndexError("list index out of range")
        if self.checks == 3:
            self.checked_again.set()

    async def close(self) -> None: ...


async def test_a_check_that_fails_unexpectedly_is_not_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_servers, "EVERY_SECONDS", 0)
    monkeypatch.setattr(loops, "_PAUSE_SECONDS", 0)
    servers: Any = FailingOnce()
    async with choosing(servers):
        await asyncio.wait_for(servers.checked_again.wait(), 5)
