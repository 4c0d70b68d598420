"""Whole stacks, warmed up, that tests break."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from tests.faults.services import PEERS, Running, running
from tests.faults.trial import bearable_rate


@pytest.fixture(scope="session")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Running]:
    """The stack of all modules that want no settings of their own; its parts are reached by proxies."""
    async with warm((*PEERS, "postgres"), {}, tmp_path_factory.mktemp("faults")) as made:
        yield made


@pytest.fixture(scope="module")
async def stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Running]:
    """A stack of the module alone.

    Its `PROXIED` names parts that are reached by a proxy, its `MORE` further settings, and its `STANDBY` says
    whether Postgres has a standby.
    """
    module = cast("Any", request).module
    proxied: Sequence[str] = getattr(module, "PROXIED", ())
    more: dict[str, str] = getattr(module, "MORE", {})
    async with warm(proxied, more, tmp_path_factory.mktemp("faults")) as made:
        yield made


@asynccontextmanager
async def warm(
    proxied: Sequence[str],
    more: Mapping[str, str],
    logs: Path,
    data: Path | None = None,
    pooler: Mapping[str, str] | None = None,
) -> AsyncGenerator[Running]:
    """A stack that has been asked a little; its logs are in `logs` at the end."""
    # Not in pytest's folder: another pytest that begins shuts Postgres' own user out of that.
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-faults-") as folder:
        async with running(Path(folder), proxied, more, data, pooler=pooler) as made:
            await warm_up(made)
            try:
                yield made
            finally:
                _keep(Path(folder), logs)


def _keep(folder: Path, logs: Path) -> None:
    for log in folder.glob("*.log"):
        shutil.copy(log, logs)


async def warm_up(stack: Running) -> None:
    """Opens what processes open under load and keep, and sees how much of it the machine bears."""
    stack.per_second = await bearable_rate(stack)
