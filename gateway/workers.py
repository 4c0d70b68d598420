"""Several processes of a service on one port, among which the kernel distributes the connections.

A process of Python uses one core. The first process starts the others, restarts those that end by
themselves, and forwards the signal to stop.
"""

import asyncio
import os
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Final

from servicekit.observability import logs
from servicekit.process.addresses import family_of
from servicekit.process.launch import launch_command
from servicekit.process.runtime import stop_signal

log = logs.get(__name__)

_TOO_SHORT_SECONDS: Final = 5.0
"""A worker that lived no longer would not live longer when started again."""


async def supervise(
    command: Sequence[str], environments: Sequence[Mapping[str, str]], address: tuple[str, int]
) -> int:
    """Run a worker for each environment until told to stop; return the exit code.

    Ends with the code of a worker that ended soon after its start, as then none would serve.

    Args:
        command: Path of a program and its arguments.
        environments: What each worker has beside this process's own environment.
        address: Host and port that the workers are going to share.

    Raises:
        OSError: The address is taken by others.
    """
    # Workers let each other have the port, and would let strangers have it, too.
    socket.create_server(address, family=family_of(address[0])).close()
    workers = [_Worker(command, environment) for environment in environments]
    async with stop_signal() as stopped:
        stopping = asyncio.create_task(stopped.wait())
        running = [asyncio.create_task(worker.run()) for worker in workers]
        await asyncio.wait([stopping, *running], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        for worker in workers:
            worker.stop()
        return max(map(abs, await asyncio.gather(*running)))


class _Worker:
    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = launch_command(command)
        self._environment = {**os.environ, **environment}  # noqa: TID251 - handed on whole
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False

    async def run(self) -> int:
        """Keep the worker running; return the exit code of its last process."""
        while True:
            started = time.monotonic()
            process = await asyncio.create_subprocess_exec(*self._command, env=self._environment)
            self._process = process
            if self._stopping:
                self.stop()
            code = await process.wait()
            if self._stopping or time.monotonic() - started < _TOO_SHORT_SECONDS:
                return code
            log.warning("worker_ended", pid=process.pid, code=code)

    def stop(self) -> None:
        self._stopping = True
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
