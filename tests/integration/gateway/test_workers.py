"""Several processes on one port, under one that supervises them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from devstack.ports import HOST, free_port

# Sends its process id to each connection.
PROGRAM = """
import os, socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1])), reuse_port=True) as server:
    while True:
        connection, _ = server.accept()
        connection.sendall(str(os.getpid()).encode())
        connection.close()
"""
SUPERVISING = """
import asyncio, sys
from gateway.workers import supervise
program, port, count = sys.argv[1:]
command = (sys.executable, "-c", program, port)
environments = [{"WORKER": str(number)} for number in range(int(count))]
sys.exit(asyncio.run(supervise(command, environments, ("127.0.0.1", int(port)))))
"""


@asynccontextmanager
async def supervised(
    program: str, port: int, folder: Path, preface: str = ""
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Two workers of a program that is given the port."""
    arguments = ("-c", preface + SUPERVISING, program, str(port), "2")
    with (folder / "output").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def responding_process(port: int) -> int:
    """The id of the process that responds to a new connection; 0 if none does."""
    try:
        reader, writer = await asyncio.open_connection(HOST, port)
    except OSError:
        return 0
    with contextlib.suppress(OSError):
        response = await reader.read()
        writer.close()
        return int(response or 0)
    return 0


async def until_responses_of(port: int, enough: Callable[[set[int]], bool]) -> set[int]:
    """The ids of processes that responded, once they are enough."""
    seen: set[int] = set()
    async with asyncio.timeout(60):
        while not enough(seen):
            seen |= {await responding_process(port)} - {0}
    return seen


async def test_all_workers_respond_and_end_with_the_first_process(tmp_path: Path) -> None:
    port = free_port()
    async with supervised(PROGRAM, port, tmp_path) as first:
        workers = await until_responses_of(port, lambda seen: len(seen) == 2)
        assert first.pid not in workers
        first.send_signal(signal.SIGTERM)
        assert await first.wait() == signal.SIGTERM  # the workers here die of it
        assert not any(psutil.pid_exists(worker) for worker in workers)


async def test_a_killed_first_process_takes_its_workers_along(tmp_path: Path) -> None:
    port = free_port()
    async with supervised(PROGRAM, port, tmp_path) as first:
        workers = await until_responses_of(port, lambda seen: len(seen) == 2)
        first.kill()
        await first.wait()
        async with asyncio.timeout(60):
            while any(map(psutil.pid_exists, workers)):  # noqa: ASYNC110 - not our children
                await asyncio.sleep(0.05)


async def test_a_worker_that_ends_after_a_while_is_started_anew(tmp_path: Path) -> None:
    port = free_port()
    no_while = "from gateway import workers\nworkers._TOO_SHORT_SECONDS = 0.0\n"
    async with supervised(PROGRAM, port, tmp_path, no_while):
        before = await until_responses_of(port, lambda seen: len(seen) == 2)
        os.kill(min(before), signal.SIGKILL)
        await until_responses_of(port, lambda seen: bool(seen - before))


async def test_workers_that_cannot_start_end_the_first_process_with_their_code(
    tmp_path: Path,
) -> None:
    async with supervised("import sys; sys.exit(3)", free_port(), tmp_path) as first:
        assert await first.wait() >= 3


async def test_a_port_that_others_have_is_not_shared_with_them(tmp_path: Path) -> None:
    port = free_port()
    taken = await asyncio.start_server(lambda _reader, writer: writer.close(), HOST, port)
    async with taken, supervised(PROGRAM, port, tmp_path) as first:
        assert await first.wait() == 1
    assert "Address already in use" in (tmp_path / "output").read_text()
