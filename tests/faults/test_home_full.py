"""The disk of a home full under load: first the whole home of `make run`, then its logs alone.

The stack is the one that `sponsorgraph up` starts, with its own supervisor.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg
import pytest

from devstack.home import Home
from tests.e2e.conftest import RunningStack, start
from tests.e2e.fleet import until
from tests.faults.load import Account, Load
from tests.faults.reliability import Row, note
from tests.faults.small_disk import full, small_disk

pytestmark = [pytest.mark.timeout(300)]

HOME_MEGABYTES: Final = 480
LOG_MEGABYTES: Final = 2
FULL_SECONDS: Final = 8.0
DEADLINE_SECONDS: Final = 10.0
RECOVERY_SECONDS: Final = 15.0
PLANS: Final = json.dumps(
    {
        "creator": {
            "monthly_requests": 100_000,
            "burst_requests": 5_000,
            "burst_refill_per_second": 5_000,
        }
    }
)
LIMIT: Final = 100_000


@asynccontextmanager
async def home_of(megabytes: int, full_folder: str) -> AsyncGenerator[tuple[RunningStack, Path]]:
    """A running stack, and the small disk that one folder of its home is on."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-faults-") as made:
        home = Path(made) / "home"
        folder = home / full_folder
        folder.mkdir(parents=True)
        async with small_disk(megabytes, folder) as disk:
            stack = await asyncio.to_thread(start, home, AUTH_PLANS=PLANS)
            try:
                yield stack, disk
            finally:
                if stack.process.poll() is None:
                    await asyncio.to_thread(stack.stop)


async def new_account(stack: RunningStack) -> Account:
    email = await asyncio.to_thread(stack.account, "creator")
    key = await asyncio.to_thread(stack.key, email)
    return Account(email, "", key, LIMIT)


@asynccontextmanager
async def load_on(stack: RunningStack) -> AsyncGenerator[Load]:
    """Calls of a new account, from their first success until the end of the block."""
    accounts = [await new_account(stack)]
    load = Load(stack.connection["mcp_url"], accounts, per_second=15, deadline=DEADLINE_SECONDS)
    async with load.going():
        await until(lambda: load.good_since(0) >= 30, "the load is not answered")
        yield load


def command_output(stack: RunningStack) -> str:
    return (stack.home.parent / f"{stack.home.name}.out").read_text(errors="replace")


def postgres_has_to_grow(stack: RunningStack) -> None:
    """Has Postgres write more of its log than it has room for, without which it ends."""
    home = Home(stack.home)
    addresses = home.addresses()
    assert addresses
    url = f"postgresql://postgres:{home.secrets().postgres_password}@{addresses.postgres}/postgres"
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as connection:
        for _ in range(2 * HOME_MEGABYTES):
            connection.execute("SELECT pg_logical_emit_message(true, '', repeat('x', 1000000))")


async def in_ledger(stack: RunningStack, account: Account) -> int:
    """Requests that the ledger has of the account; none while auth_service is being started."""
    shown = await asyncio.to_thread(stack.command, "account", "show", account.email, "--json")
    if shown.returncode:
        assert "Nothing responds at" in shown.stderr or "does not answer now" in shown.stderr
        return -1
    return json.loads(shown.stdout)["requests_this_month"]


async def assert_nothing_is_left_of_it(stack: RunningStack, load: Load, returned: float) -> Row:
    """Everybody succeeded in time, every response is in the ledger once, and all processes live."""
    kinds = Counter(call.kind for call in load.calls)
    assert kinds.keys() <= {"ok", "503 unavailable"}, kinds
    refused = [call for call in load.calls if call.kind == "503 unavailable"]
    assert [item for item in refused if not item.retry_after] == []
    (account,) = load.accounts
    charged = sum(call.request.cost for call in load.calls if call.kind == "ok")

    async def is_recorded() -> bool:
        return await in_ledger(stack, account) >= charged

    await until(is_recorded, f"the ledger has not all of {charged} answers")
    recorded = await in_ledger(stack, account)
    assert recorded == charged
    assert stack.process.poll() is None
    for pid in stack.connection["pids"].values():
        os.kill(pid, 0)
    assert [item.name for item in stack.home.glob("connection.json?*")] == []
    recovered = load.whole_since(returned)
    assert recovered is not None
    assert recovered - returned <= RECOVERY_SECONDS
    return Row(
        section="home",
        fault="",
        promised="",
        requests=len(load.calls),
        errors={kind: count for kind, count in kinds.items() if kind != "ok"},
        lost=charged - recorded,
        double=0,
        seconds=recovered - returned,
    )


async def test_a_full_home_ends_nothing_and_all_is_back_when_there_is_room() -> None:
    async with home_of(HOME_MEGABYTES, "") as (stack, disk):
        before = stack.connection["pids"]
        async with load_on(stack) as load:
            async with full(disk):
                await asyncio.to_thread(postgres_has_to_grow, stack)
                await until(lambda: "Postgres had ended" in command_output(stack), "room is left")
                os.kill(before["auth_service"], signal.SIGKILL)
                await asyncio.sleep(FULL_SECONDS)
                assert stack.process.poll() is None, command_output(stack)
            emptied = time.monotonic()
            await until(lambda: load.is_whole_since(emptied), "no recovery")
        row = await assert_nothing_is_left_of_it(stack, load, emptied)
        assert stack.connection["pids"]["postgres"] != before["postgres"]
        output = command_output(stack)
        failures = len(re.findall("Postgres had ended and cannot be started", output))
        assert 1 <= failures <= len(re.findall("Postgres had ended and was started again", output))
    note(
        replace(
            row,
            fault="The disk of the home full, auth_service killed meanwhile",
            promised="503 at once; the supervisor says so once and goes on; all is back by itself",
        )
    )


async def test_full_logs_are_noticed_by_nobody_though_processes_are_started_again() -> None:
    async with home_of(LOG_MEGABYTES, "logs") as (stack, disk):
        before = stack.connection["pids"]
        async with load_on(stack) as load:
            async with full(disk):
                os.kill(before["valkey"], signal.SIGKILL)
                os.kill(before["auth_service"], signal.SIGKILL)
                await until(lambda: not _left(stack, before), "not started again")
                begun = time.monotonic()
                await until(lambda: load.is_whole_since(begun), "no answers while logs are full")
            emptied = time.monotonic()
            await until(lambda: load.is_whole_since(emptied), "no recovery")
        row = await assert_nothing_is_left_of_it(stack, load, emptied)
    note(
        replace(
            row,
            fault="The disk of the logs full, Valkey and auth_service killed meanwhile",
            promised="as with room: 503 while both are away; lines are missing in the logs",
        )
    )


def _left(stack: RunningStack, before: dict[str, int]) -> set[str]:
    """Return the killed processes that were not started again yet."""
    now = stack.connection["pids"]
    return {name for name in ("valkey", "auth_service") if now[name] == before[name]}
