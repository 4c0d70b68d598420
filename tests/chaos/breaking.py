"""How each fault of the plan is done and healed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from devstack.engines import Postgres, Valkey
from tests.chaos.layout import Layout
from tests.chaos.plan import SKEW_SECONDS, Fault, Kind
from tests.faults.services import processes_of

FAKETIME: Final = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
"""The library that moves a process' clock (Debian: faketime); None where it is not installed."""

UNNOTICED_SECONDS: Final = 3.0
"""Between an engine's fault and what is done about it."""

Broken = Callable[[Layout, Fault], AbstractAsyncContextManager[None]]


def possible() -> tuple[Kind, ...]:
    """Return the kinds of faults that this machine can make."""
    return tuple(kind for kind in BROKEN if kind != "skew" or FAKETIME is not None)


async def break_and_heal(stack: Layout, fault: Fault, began: float) -> None:
    """Do one fault when it is due; it is healed when this returns."""
    await asyncio.sleep(began + fault.at - time.monotonic())
    async with BROKEN[fault.kind](stack, fault):
        await asyncio.sleep(fault.seconds)


@asynccontextmanager
async def _killed(stack: Layout, fault: Fault) -> AsyncGenerator[None]:
    engine, _, role = fault.part.partition(" ")
    if engine == "postgres":
        async with _postgres_away(stack, role, _kill_server):
            yield
    elif engine == "valkey":
        server = await _valkey(stack, role)
        assert server.process is not None
        server.process.kill()
        await asyncio.to_thread(server.process.wait)
        yield
        await asyncio.get_running_loop().run_in_executor(
            stack.starter, stack.sentinels.start_server, server
        )
    elif engine == "sentinel":
        process = stack.sentinels.processes[int(role)]
        process.kill()
        await asyncio.to_thread(process.wait)
        yield
        stack.sentinels.start_sentinel(int(role))
    else:
        stack.held.add(fault.part)
        await _kill(stack, fault.part)
        yield
        stack.held.discard(fault.part)


@asynccontextmanager
async def _paused(stack: Layout, fault: Fault) -> AsyncGenerator[None]:
    engine, _, role = fault.part.partition(" ")
    if engine == "postgres":
        async with _postgres_away(stack, role, _stop_server):
            yield
        return
    if engine == "valkey":
        process = (await _valkey(stack, role)).process
    elif engine == "sentinel":
        process = stack.sentinels.processes[int(role)]
    else:
        process = stack.children[fault.part].process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def _cut_off(stack: Layout, fault: Fault) -> AsyncGenerator[None]:
    """Nothing passes between the callers of a part and the part; nobody is told."""
    servers = {"postgres primary": stack.primary, "postgres standby": stack.standby}
    server = servers.get(fault.part)
    proxy = stack.proxies[fault.part] if server is None else stack.postgres_proxy(server)
    async with proxy.silent():
        yield


@asynccontextmanager
async def _skewed(stack: Layout, fault: Fault) -> AsyncGenerator[None]:
    """A process is started again with a clock that is ahead or behind, and once more with the right one."""
    child = stack.children[fault.part]
    right = child.environment
    seconds = SKEW_SECONDS if round(fault.at * 10) % 2 else -SKEW_SECONDS
    child.environment = {
        **right,
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME": f"{seconds:+d}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    await _kill(stack, fault.part)
    yield
    child.environment = right
    await _kill(stack, fault.part)


@asynccontextmanager
async def _promoted(stack: Layout, fault: Fault) -> AsyncGenerator[None]:
    """The other server of an engine becomes the primary; the old one comes back as its standby."""
    engine, _, ailment = fault.part.partition(" ")
    if engine == "valkey":
        await asyncio.to_thread(stack.sentinels.fail_over)
        yield
        return
    old = stack.primary
    proxy = stack.postgres_proxy(old)
    if ailment == "kill":
        await _kill_server(old)
    elif ailment == "pause":
        await _stop_server(old)
    else:
        proxy.cut_off()
    await asyncio.sleep(UNNOTICED_SECONDS)
    await stack.promote_standby()
    yield
    await _kill_server(old)
    proxy.pass_on()
    await stack.rebuild_standby()


BROKEN: Final[dict[Kind, Broken]] = {
    "kill": _killed,
    "pause": _paused,
    "partition": _cut_off,
    "skew": _skewed,
    "promotion": _promoted,
}


@asynccontextmanager
async def _postgres_away(
    stack: Layout, role: str, ail: Callable[[Postgres], object]
) -> AsyncGenerator[None]:
    """A server is killed or stopped and comes back in its role; nobody waits for a standby for long."""
    server = stack.primary if role == "primary" else stack.standby
    is_standby = server is stack.standby
    await ail(server)  # type: ignore[misc]
    unawaited = asyncio.create_task(_stop_waiting(stack)) if is_standby else None
    yield
    if unawaited is not None:
        await unawaited
    assert server.process is not None
    if server.process.poll() is None:
        for pid in processes_of(server):
            os.kill(pid, signal.SIGCONT)
    else:
        await stack.start_postgres(server)
    if is_standby:
        await stack.standby_is(awaited=True)


async def _stop_waiting(stack: Layout) -> None:
    await asyncio.sleep(UNNOTICED_SECONDS)
    await stack.standby_is(awaited=False)


async def _kill(stack: Layout, name: str) -> None:
    process = stack.children[name].process
    assert process is not None
    stack.killed.add(process.pid)
    process.kill()
    await asyncio.to_thread(process.wait)


async def _kill_server(server: Postgres) -> None:
    """SIGKILL of the first process and of its children, which a stopped one would leave behind."""
    assert server.process is not None
    if server.process.poll() is None:
        for pid in processes_of(server):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    await asyncio.to_thread(server.process.wait)


async def _stop_server(server: Postgres) -> None:
    for pid in processes_of(server):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


async def _valkey(stack: Layout, role: str) -> Valkey:
    port = await asyncio.to_thread(stack.sentinels.primary_port)
    first, second = stack.sentinels.servers
    primary, replica = (first, second) if first.port == port else (second, first)
    return primary if role == "primary" else replica
