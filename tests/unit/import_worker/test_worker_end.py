"""The worker of a process ends when it is told to, in whatever state its database is."""

import asyncio
from typing import Any

import pytest
from procrastinate.exceptions import ConnectorException
from pydantic import SecretStr

from import_worker import app
from import_worker.settings import ImportSettings

SETTINGS = ImportSettings(database_url="postgresql://x", grpc_token=SecretStr("x" * 32))


class LosesItsDatabase:
    """Jobs whose worker cannot sign off at its end, as a real one without its database."""

    def __init__(self) -> None:
        self.running = asyncio.Event()
        self.starts = 0

    async def run_worker_async(self, **_: Any) -> None:
        self.starts += 1
        self.running.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectorException from None


async def test_a_worker_that_is_cancelled_without_its_database_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_RESTART_SECONDS", 0.0)
    stub: Any = LosesItsDatabase()
    task = asyncio.create_task(app._jobs(stub, SETTINGS))
    await stub.running.wait()
    task.cancel()
    finished, _ = await asyncio.wait([task], timeout=10)
    task.cancel()
    assert finished
    assert stub.starts == 1
